/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measuring sockets of two hosts: one for each pair, connected, blocking.
 * The first message of each has a secret and the number of the pair; over udp,
 * the server's side sends it back. Called by main.
 */
#ifndef TW_MEET_H
#define TW_MEET_H

#include <stdbool.h>
#include <stdint.h>

#include "tw_config.h"

struct addrinfo;

#define TW_COOKIE	16	/* bytes */

struct tw_meeting {
	bool udp;
	int pairs;
	uint8_t cookie[TW_COOKIE];
	int ports[TW_PAIRS_MAX];	/* of the server's side */
	int fds[TW_PAIRS_MAX];		/* listening, then connected; -1 */
	int listener;			/* tcp, server's side; else -1 */
};

/*
 * The server's side: opens the ports, and makes a cookie; then waits until all
 * pairs are connected, or @other_fd can be read (-EINTR). Returns 0 or -errno.
 */
int tw_meet_listen(struct tw_meeting *meeting);
int tw_meet_accept(struct tw_meeting *meeting, int other_fd, int64_t end_ns);

/* The client's side. @addresses: see tw_reach_connect(). */
int tw_meet_connect(struct tw_meeting *meeting,
		    const struct addrinfo **addresses, int other_fd,
		    int64_t end_ns);

#endif /* TW_MEET_H */
