/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server's side, as the client's side sees it. Called by main. */
#ifndef TW_PEER_H
#define TW_PEER_H

#include "tw_ask.h"
#include "tw_reach.h"

struct tw_run;

/* How to reach it, from --connect and --rsh. */
struct tw_peer_way {
	struct tw_host host;
	const char *text;	/* of --connect */
	const char *command;	/* of --rsh; NULL: a server listens there */
	struct tw_ask ask;	/* but for the number of steps */
};

/* NULL: both sides are on this host. */
extern const struct tw_peer_way *tw_peer_way;

/* run->start_pair: of a pair whose server is there. */
void tw_peer_start_pair(struct tw_run *run, int number);

/*
 * The stream of lines to and from it: opens it, and sends the request. Returns
 * the addresses of the host, from the one that works; NULL: a signal came. What
 * fails ends the program after a message.
 */
const struct addrinfo *tw_talk_open(const struct tw_run *run);

void tw_talk_tell(const char *line);

/*
 * Waits for the line that begins with this member, whose value it returns. What
 * a login prints is skipped. NULL: there was a message; or, with @hear, a
 * signal is to end the run.
 */
const char *tw_talk_expect(const char *member, int64_t end_ns, bool hear);

/* Reads what there is; false, after a message: it has ended. */
bool tw_talk_listen(void);

/* There is no further step: the other side's input ends; the stream does. */
void tw_talk_end_input(void);
void tw_talk_close(int ms);	/* a command may take so long to end */

/* To wait for it; -1: it is closed. Whether there is nothing more to read. */
int tw_talk_fd(void);
bool tw_talk_ended(void);

#endif /* TW_PEER_H */
