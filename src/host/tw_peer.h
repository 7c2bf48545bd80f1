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

/* run->start_pair: of a pair whose server is there. */
void tw_peer_start_pair(struct tw_run *run, int number);

/* NULL: both sides are on this host. */
extern const struct tw_peer_way *tw_peer_way;

#endif /* TW_PEER_H */
