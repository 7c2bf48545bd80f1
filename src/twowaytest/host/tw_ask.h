/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a client asks the server's host for: out of the settings of its command
 * line, and there back into a command line, so that the same code checks it.
 * Called by main.
 */
#ifndef TW_ASK_H
#define TW_ASK_H

#include "frame/tw_run.h"
#include "host/tw_terms.h"

/* Refuses options that make no sense between two hosts. 0 or -EINVAL. */
int tw_ask_check(struct tw_run *run);

/* What the settings of @run ask for, in this step. */
void tw_ask(const struct tw_run *run, struct tw_asked *asked);

#define TW_ARGS_MAX	48

/* A command line; the texts are in @room. */
struct tw_args {
	int count;
	char *list[TW_ARGS_MAX + 1];
	size_t used;
	char room[TW_FRAME_BODY_MAX];
};

/* Appends an argument. Too many or too long ones are left out. */
void tw_args_add(struct tw_args *args, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends what the operator of a server has chosen: where the servers run. */
void tw_args_own(struct tw_args *own, const struct tw_run *run);

/* Appends what @asked asks for. */
void tw_args_ask(struct tw_args *args, const struct tw_asked *asked);

#endif /* TW_ASK_H */
