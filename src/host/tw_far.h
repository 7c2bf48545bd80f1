/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_FAR_H
#define TW_FAR_H

#include <stdbool.h>
#include <stdio.h>

struct tw_run;

/* All is called by main. This is the server's side, of a client at standard input and output. */
extern bool tw_far;

/* The highest that a server may have. */
extern int tw_far_priority;

/* A client measures only if it gets this lock; -1: there is none. */
extern int tw_far_lock_fd;

/* Its parent holds /dev/cpu_dma_latency, so it need not, and may not. */
extern bool tw_far_is_awake;

#define TW_ASK_VERSION	2
#define TW_ASK_MAX	65536	/* bytes of the line */

/*
 * What a client's side asks of a server's side: one line, a JSON array of words
 * that are options of twowaytest. After the version comes the number of steps,
 * unless it is in the options. @load: it runs there.
 */
void tw_ask_write(FILE *file, int steps, bool load);

/*
 * Reads the options out of such a line; returns the number of steps. Ends the
 * program after a message if it is wrong, or asks for what nobody may ask for
 * from another host, or not without a @login there.
 */
int tw_ask_parse(const char *line, bool login);

/*
 * -b with --trace between two hosts: each traces itself. When a client breaks,
 * its side tells the other one which cycle that was, in a line; the answer has
 * what the other one has found.
 */

/* The client's side: sends the line, if a cycle was too long. */
void tw_far_cause_tell(const struct tw_run *run);

/* The server's side: notes what such a line says, and stops the trace. */
void tw_far_cause_note(const struct tw_run *run, const char *line);

/* The same: sends what it has found, and adds to the answer, after a comma. */
void tw_far_cause_answer(FILE *file, const struct tw_run *run);

/* The client's side: what both have found. @added: NULL if there is nothing. */
void tw_far_cause_print(FILE *file, const struct tw_run *run,
			const char *added);

#endif /* TW_FAR_H */
