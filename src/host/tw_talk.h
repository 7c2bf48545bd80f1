/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stream of lines to and from the server's side, which is another host's.
 * Called by the client's main.
 */
#ifndef TW_TALK_H
#define TW_TALK_H

#include "tw_reach.h"

/* How to reach it, from --connect and --rsh. */
extern struct tw_talk_way {
	struct tw_host host;
	const char *text;	/* of --connect; NULL: all is on this host */
	const char *command;	/* of --rsh; NULL: a server listens there */
} tw_talk_way;

/*
 * Opens it. Returns the addresses of the host, from the one that works; NULL: a
 * signal came. What fails ends the program after a message.
 */
const struct addrinfo *tw_talk_open(void);

void tw_talk_tell(const char *line);

/*
 * Waits for an answer that begins with this member, whose value it returns.
 * NULL: there was a message, unless @quiet; or a signal is to end the run.
 */
const char *tw_talk_expect(const char *member, int ms, bool hurry);

/* Reads what there is; false, after a message: it has ended. */
bool tw_talk_listen(void);

/* A command may take so long to end. */
void tw_talk_close(int ms);

/* To wait for it; -1: it is closed. */
int tw_talk_fd(void);

/* Lines of text that belong to an answer: each begins with #. */
const char *tw_talk_text(void);

#endif /* TW_TALK_H */
