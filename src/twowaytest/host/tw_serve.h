/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Serves one client on another host: all its runs, one after the other. Called
 * by the process of that client's session.
 */
#ifndef TW_SERVE_H
#define TW_SERVE_H

#include "frame/tw_run.h"
#include "host/tw_ask.h"
#include "host/tw_control.h"
#include "host/tw_far_trace.h"
#include "host/tw_privileges.h"
#include "measure/tw_transport.h"

/* What the operator of the server's host allows. */
struct tw_ceilings {
	int64_t priority;	/* of a server; 0: not real-time */
	int64_t pairs;
	int64_t rate;		/* requests a second, all pairs together */
	int64_t size;		/* bytes of a request */
	int64_t time_s;		/* of a run */
	bool busy;		/* --wait=busy may be asked for */
};

struct tw_service {
	const struct tw_program *program;
	struct tw_ceilings ceilings;
	struct tw_args own;	/* options of the operator, such as CPUs */
	int64_t latency_us;	/* that power management is held to; -1: not */
	int64_t port;		/* first one to measure by; 0: any */
	union tw_address local;	/* where to measure */
	union tw_address client;	/* AF_UNSPEC: not known */
	char privileges[TW_PRIVILEGES];
	const char *peer;	/* the client, for messages */
	struct tw_control control;
	int signal_fd;		/* SIGINT, SIGTERM, SIGHUP, SIGCHLD */
	const struct tw_far_trace *trace;	/* NULL: it does not trace */
	char no_trace[TW_TRACE_WHY];	/* why not */
	int64_t runs;		/* after so many it ends; 0: never */
	bool silent;		/* standard output is not for people */
};

/*
 * Serves a client whose RUN has come: its @length bytes of @body. Returns when
 * the client has closed the connection, does not keep to the protocol, or a
 * signal came. Returns how many runs it has granted.
 */
int tw_serve(struct tw_service *serving, struct tw_run *run,
	     const char *body, size_t length);

/* For the part: memory of each pair; 0 bytes if this process serves nobody. */
size_t tw_serve_room(const struct tw_run *run);
void tw_serve_attach(struct tw_run *run, struct tw_pair *pair, void *room);

/*
 * Internal to tw_serve*.c: the settings of a run that was granted, for
 * tw_run_open(). Returns 0; or -errno, and run->error is the reason.
 */
int tw_serve_parse(struct tw_service *serving, struct tw_run *run,
		   const struct tw_asked *asked,
		   const struct tw_granted *granted);

#endif /* TW_SERVE_H */
