/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that listens for clients on other hosts: it hands each that asks
 * for a run to a process of its own. Called by main.
 */
#ifndef TW_LISTEN_H
#define TW_LISTEN_H

#include "frame/tw_run.h"
#include "host/tw_front.h"
#include "host/tw_serve.h"

#define TW_SESSIONS_MAX	8

struct tw_listening {
	struct tw_service serving;	/* for each session */
	struct tw_allow allow;		/* no entry: all, as on the loopback */
	int listener;
	int latency_fd;			/* the request to power management */
	int64_t sessions;		/* clients at the same time */
	int64_t runs;			/* after so many it ends; 0: never */
};

/*
 * Serves clients until a signal comes, or all runs are done. Returns 0 or
 * -errno of poll().
 */
int tw_listen(struct tw_listening *listening, struct tw_run *run);

/* The same for one client that is at standard input and output. */
int tw_listen_stdio(struct tw_listening *listening, struct tw_run *run);

#endif /* TW_LISTEN_H */
