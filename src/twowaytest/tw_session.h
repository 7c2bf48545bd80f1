/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A measurement, as main runs it: one step, or several steps with a growing
 * load (--steps). A step connects client and server, starts them, waits, stops
 * and reaps them. The session prints nothing; it calls the functions of struct
 * tw_watch.
 *
 * All functions here are called by main.
 */
#ifndef TW_SESSION_H
#define TW_SESSION_H

#include "tw_analysis.h"
#include "tw_config.h"
#include "tw_load.h"
#include "tw_side.h"
#include "tw_throttle.h"
#include "tw_trace_own.h"

/* Functions that are called during a run. */
struct tw_watch {
	void *arg;
	int tick_ms;		/* 0: no ticks */
	/*
	 * Called every tick_ms. Returns 0, or -errno to end the run. May be
	 * NULL.
	 */
	int (*tick)(void *arg);
	/*
	 * Called at ticks for each measured cycle, in order. Returns as tick().
	 */
	int (*cycle)(void *arg, unsigned int pair,
		     const struct tw_cycle *cycle);
	/* Called after SIGUSR1. */
	void (*status)(void *arg);
};

/* The results of a step. */
struct tw_step_result {
	struct tw_pair *pair;
	int workers;
	uint64_t work;		/* work done by the load in this step */
	uint64_t work_errors;	/* results of the load that were wrong */
	uint64_t restarts;
	int64_t elapsed_ns;	/* duration of the measurement */
};

struct tw_session {
	const struct tw_config *config;
	struct tw_step_result *steps;
	int step;		/* index of the current step, from 0 */
	int64_t end_ns;		/* -D: end of the step, CLOCK_MONOTONIC */
	int steps_done;		/* steps that were begun; each has a pair */
	bool started;		/* client and server ran: see results */
	struct tw_pair *pair;	/* current step; at the end, all steps */
	struct tw_pair *merged;	/* sum of all steps; NULL: none yet */
	struct tw_task task;	/* the same in every step */
	bool whole_cycles;
	struct tw_load load;
	char load_why[TW_LOAD_WHY];
	struct tw_runtime runtime;
	struct tw_throttle throttle;
	int kernel_log;		/* descriptor of /dev/kmsg; or negative */
	bool throttling_heard;	/* the kernel reported throttling */
	struct tw_settings main_settings;
	struct tw_settings main_left;	/* the settings read at the end */
	const struct tw_transport_ops *transport;
	struct tw_link link;	/* main's descriptors of both ends */
	int listener;
	uint16_t port;
	uint64_t strangers;	/* unexpected connections, refused */
	int latency_fd;		/* /dev/cpu_dma_latency; -1: not open */
	int latency_err;	/* -errno: why it is not open; or 0 */
	int signal_fd;
	bool has_drift;		/* the clock is a CPU counter: */
	int64_t drift_ns;	/* time that it gained */
	int64_t drift_over_ns;	/* during this time */
	struct tw_trace_fds trace_fds[TW_TRACES];
	struct tw_trace trace;	/* our own */
	char trace_why[TW_TRACE_WHY];
	const struct tw_break *broken;	/* break that ended the run; or NULL */
	char *trace_text;	/* text of our trace; or NULL */
	struct tw_analysis *analysis;	/* analysis of this text; or NULL */
	int interrupted;	/* the signal that ended the run; 0: none */
	struct tw_failure failure;
};

/*
 * Applies the settings of main, and allocates and opens what all steps need.
 * Returns 0; or -errno, with the cause in session->failure. Then everything is
 * undone.
 */
int tw_session_open(struct tw_session *session,
		    const struct tw_config *config, bool whole_cycles);

/*
 * Prepares step @step, from 0: sets the load to work and connects client and
 * server. Returns 0, or -errno and session->failure.
 */
int tw_session_begin(struct tw_session *session, int step);

/*
 * Starts client and server and returns when the step has ended. Returns 0, or
 * -errno and session->failure. The results so far are valid in both cases.
 */
int tw_session_run(struct tw_session *session, const struct tw_watch *watch);

/*
 * Called after the last step. Makes session->pair the sum of all steps, for the
 * report, and looks into what broke the run. Returns 0 or -errno.
 */
int tw_session_finish(struct tw_session *session);

/*
 * Returns the sum of all steps so far, to be freed with tw_session_drop();
 * NULL: no memory. If the last step still runs, the sum may contain an
 * incomplete cycle, in case cycles are very short.
 */
struct tw_pair *tw_session_sum(const struct tw_session *session);
void tw_session_drop(struct tw_pair **pair);

/*
 * Stores a failure of main at @step, unless there is an earlier failure.
 * Returns @err.
 */
int tw_session_fail(struct tw_session *session, enum tw_step step, int err);

/* Closes main's descriptors of the connection. */
void tw_session_close_link(struct tw_session *session);

/*
 * Internal: the traces of a session. Opening returns 0, or -errno and
 * session->failure and trace_why. Diagnose after client and server ended.
 */
int tw_session_open_traces(struct tw_session *session);
void tw_session_diagnose(struct tw_session *session);
void tw_session_close_traces(struct tw_session *session);

/*
 * Internal: the load of a session and of each step. Returns 0, or -errno and
 * session->failure. End the load before the report is written, because ending
 * it can fail.
 */
int tw_session_open_load(struct tw_session *session);
int tw_session_begin_load(struct tw_session *session, int step, int workers);
void tw_session_end_load(struct tw_session *session);

/* Undoes tw_session_open(). */
void tw_session_close(struct tw_session *session);

#endif /* TW_SESSION_H */
