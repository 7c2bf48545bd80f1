/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stream of lines to and from the server's side. Called by main. */
#ifndef TW_TALK_H
#define TW_TALK_H

#include <stdbool.h>
#include <stdint.h>

struct addrinfo;
struct tw_run;

/*
 * Opens it, and sends the request. Returns the addresses of the host, from the
 * one that works; NULL: a signal came. What fails ends the program after a
 * message.
 */
const struct addrinfo *tw_talk_open(const struct tw_run *run);

/* The addresses for sockets of this type, which replace those before. */
const struct addrinfo *tw_talk_find(int type);

void tw_talk_tell(const char *line);

/*
 * Waits for the line that has this member. What a login prints is skipped.
 * NULL: there was a message; or, with @hear, a signal is to end the run.
 */
char *tw_talk_expect(const char *member, int64_t end_ns, bool hear);

/* Reads what there is; false, after a message: it has ended. */
bool tw_talk_listen(void);

/* There is no further step: the other side's input ends; the stream does. */
void tw_talk_end_input(void);
void tw_talk_close(int ms);	/* a command may take so long to end */

/* Whether it has ended, or is not open. */
bool tw_talk_ended(void);

/* To wait for it; to wait for a signal that ends the run. */
int tw_talk_fd(void);
int tw_talk_stop_fd(void);
bool tw_talk_interrupted(void);

/* A time of CLOCK_MONOTONIC. */
int64_t tw_talk_in_ms(int64_t ms);

#endif /* TW_TALK_H */
