/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A measurement, as main sees it: one step, or several with a growing load.
 * A step makes its connection, starts the sides, waits, stops and reaps
 * them. Speaks to nobody but through struct tw_watch.
 */
#ifndef TW_SESSION_H
#define TW_SESSION_H

#include "tw_analysis.h"
#include "tw_config.h"
#include "tw_load.h"
#include "tw_side.h"
#include "tw_throttle.h"
#include "tw_trace_own.h"

/* What main wants to be told of while a run lasts. */
struct tw_watch {
	void *arg;
	int tick_ms;		/* 0: no ticks */
	/* Every tick_ms; an error (-errno) ends the run. May be NULL. */
	int (*tick)(void *arg);
	/* A measured cycle, in order; likewise. Called at ticks. */
	int (*cycle)(void *arg, unsigned int pair,
		     const struct tw_cycle *cycle);
	/* SIGUSR1 came. */
	void (*status)(void *arg);
};

/* What is kept of a step once it is over. */
struct tw_step_result {
	struct tw_pair *pair;
	int workers;
	uint64_t work;		/* pieces done by the load in this step */
	uint64_t work_errors;	/* with a wrong result */
	uint64_t restarts;
	int64_t elapsed_ns;	/* of the measurement */
};

struct tw_session {
	const struct tw_config *config;
	struct tw_step_result *steps;
	int step;		/* the one under way, from 0 */
	int64_t end_ns;		/* of the step, CLOCK_MONOTONIC; -D */
	int steps_done;		/* those that were begun: each has its pair */
	bool started;		/* sides ran: there may be results */
	struct tw_pair *pair;	/* of the step; in the end, of all of them */
	struct tw_pair *merged;	/* the latter; NULL: one step, or not yet */
	struct tw_task task;	/* the same in every step */
	bool whole_cycles;
	struct tw_load load;
	char load_why[TW_LOAD_WHY];
	struct tw_runtime runtime;
	struct tw_throttle throttle;
	int kernel_log;		/* being listened to; or negative */
	bool throttling_heard;	/* the kernel said that it throttles */
	struct tw_settings main_settings;
	struct tw_settings main_left;	/* as they were at the end */
	const struct tw_transport_ops *transport;
	struct tw_link link;	/* main's own descriptors of both ends */
	int listener;
	uint16_t port;
	uint64_t strangers;	/* connections that were turned away */
	int latency_fd;		/* /dev/cpu_dma_latency; -1: no request */
	int latency_err;	/* 0, or why there is none */
	int signal_fd;
	bool has_drift;		/* the clock is a CPU counter ... */
	int64_t drift_ns;	/* ... which ran ahead so far ... */
	int64_t drift_over_ns;	/* ... in this time */
	struct tw_trace_fds trace_fds[TW_TRACES];
	struct tw_trace trace;	/* our own */
	char trace_why[TW_TRACE_WHY];
	const struct tw_break *broken;	/* what ended the run; or NULL */
	char *trace_text;	/* the last of our own trace; or NULL */
	struct tw_analysis *analysis;	/* of that; or NULL */
	int interrupted;	/* the signal that ended the run; 0: none */
	struct tw_failure failure;
};

/*
 * Takes main's settings and all that every step needs. 0, or -errno, and in
 * session->failure what could not be had; nothing is left then.
 */
int tw_session_open(struct tw_session *session,
		    const struct tw_config *config, bool whole_cycles);

/*
 * Makes step @step ready: its load at work, its pair connected. 0, or -errno
 * and session->failure.
 */
int tw_session_begin(struct tw_session *session, int step);

/*
 * Starts the sides and stays until the step is over. 0, or -errno and
 * session->failure; the results so far are valid either way.
 */
int tw_session_run(struct tw_session *session, const struct tw_watch *watch);

/*
 * After the last step: makes session->pair that of all steps together, for
 * the report, and looks into what broke the run. 0 or -errno.
 */
int tw_session_finish(struct tw_session *session);

/*
 * All steps so far together, also while the last is under way: then a cycle
 * may be counted in part, if they follow upon each other fast. To be dropped;
 * NULL: there is no memory.
 */
struct tw_pair *tw_session_sum(const struct tw_session *session);
void tw_session_drop(struct tw_pair **pair);

/*
 * Notes that main failed at @step with @err, unless something failed before,
 * which then is the cause. Returns @err.
 */
int tw_session_fail(struct tw_session *session, enum tw_step step, int err);

/* Closes main's descriptors of the connection. */
void tw_session_close_link(struct tw_session *session);

/*
 * For the session only: its traces. Opening takes 0, or -errno, the failure
 * and its reason; diagnosing is for when the sides have ended.
 */
int tw_session_open_traces(struct tw_session *session);
void tw_session_diagnose(struct tw_session *session);
void tw_session_close_traces(struct tw_session *session);

/*
 * For the session only: its load, for all steps and in each of them. 0, or
 * -errno and the failure. It ends before the results are told, as it may fail.
 */
int tw_session_open_load(struct tw_session *session);
int tw_session_begin_load(struct tw_session *session, int step, int workers);
void tw_session_end_load(struct tw_session *session);

/* Undoes tw_session_open(). */
void tw_session_close(struct tw_session *session);

#endif /* TW_SESSION_H */
