/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measuring sockets of two hosts: one for each pair, connected, blocking.
 * Each begins as a connection of tcp whose first message has a secret and the
 * number of the pair. Called by main.
 */
#ifndef TW_MEET_H
#define TW_MEET_H

#include <stdbool.h>
#include <stdint.h>

#include "tw_config.h"

struct addrinfo;

#define TW_COOKIE	32	/* characters, with 128 random bits */

struct tw_meeting {
	bool udp;
	int pairs;
	char cookie[TW_COOKIE + 1];
	int port;			/* of the server's side */
	int listener;			/* the server's side */
	int other_fd;			/* -EINTR when it can be read */
	int64_t end_ns;			/* -ETIMEDOUT then; see tw_await() */
	int fds[TW_PAIRS_MAX];		/* -1: not connected */
};

/*
 * The server's side: opens the port, and makes a cookie; then waits until all
 * pairs are connected. Both return 0 or -errno.
 */
int tw_meet_listen(struct tw_meeting *meeting);
int tw_meet_accept(struct tw_meeting *meeting);

/* The client's side. @addresses: see tw_reach_connect(). */
int tw_meet_connect(struct tw_meeting *meeting,
		    const struct addrinfo **addresses);

#endif /* TW_MEET_H */
