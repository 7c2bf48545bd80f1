/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A measurement, as main runs it: one step, or several steps with a growing
 * load (--steps). A step connects client and server, starts them, waits, stops
 * and reaps them; meanwhile the parts get their ticks.
 *
 * All functions here are called by main.
 */
#ifndef TW_SESSION_H
#define TW_SESSION_H

#include "check/tw_bypass.h"
#include "frame/tw_run.h"
#include "run/tw_config.h"
#include "run/tw_side.h"

/* The pairs of a step, with their results; or the sum over all steps. */
struct tw_pairs {
	unsigned int count;
	struct tw_pair *pair[TW_PAIRS_MAX];
};

/* How many cycles, and so on, in all pairs. */
struct tw_counts {
	uint64_t warmup, warmup_missed, cycles, missed, throttled;
};

struct tw_counts tw_pairs_counts(const struct tw_pairs *pairs);

struct tw_session;

/*
 * The other side of a session, if it is on another host. The functions return
 * 0, or -errno after tw_fail().
 */
struct tw_far {
	enum tw_role here;	/* TW_CLIENT or TW_SERVER */
	/*
	 * Stores this host's end of the connection of @pair in *link, blocking;
	 * the other end is -1.
	 */
	int (*link)(struct tw_session *session, const struct tw_pair *pair,
		    struct tw_link *link);
	/*
	 * All pairs are linked; none of their processes is started. NULL:
	 * nothing to do.
	 */
	int (*linked)(struct tw_session *session);
	/* The processes of all pairs are ready; NULL: nothing to do. */
	int (*ready)(struct tw_session *session);
	/*
	 * The run is over, by its own will or not, and the processes here are
	 * not stopped yet; NULL: nothing to do.
	 */
	void (*over)(struct tw_session *session);
	/* The control connection: while the test runs, all is silent there. */
	int fd;
	/* Called when it is not: ends the run, without a failure if 0. */
	int (*attend)(struct tw_session *session);
};

struct tw_session {
	struct tw_run run;
	const struct tw_far *far;	/* NULL: both sides are here */
	const struct tw_config *config;
	struct tw_pairs *steps;
	int64_t end_ns;		/* -D: end of the step, CLOCK_MONOTONIC */
	int steps_done;		/* steps that were begun; each has pairs */
	struct tw_pairs *pairs;	/* current step; at the end, all steps */
	struct tw_pairs merged;	/* sum of all steps; no pair: none yet */
	struct tw_clock clock;
	struct tw_settings main_settings;
	struct tw_settings main_left;	/* the settings read at the end */
	struct tw_transport transport;
	/* Main's descriptors of both ends; -1: none. */
	struct tw_link link[TW_PAIRS_MAX];
	int listener;
	uint16_t port;
	uint64_t strangers;	/* unexpected connections, refused */
	bool has_drift;		/* the clock is a CPU counter: */
	int64_t drift_ns;	/* time that it gained */
	int64_t drift_over_ns;	/* during this time */
	enum tw_bypass bypass;	/* this kernel's */
	/* A trace has shown whether throttling stopped the cycle that broke. */
	bool throttling_traced;
	bool throttling;	/* it did */
	/* All that failed is that a side lost its peer. */
	bool lost_peer;
	struct tw_column *column;	/* of tw_session_columns() */
};

/* The session that @run belongs to. */
static inline struct tw_session *tw_session(const struct tw_run *run)
{
	return (struct tw_session *)((char *)run -
				     offsetof(struct tw_session, run));
}

/* Whether the processes of @role run on this host. */
static inline bool tw_session_has(const struct tw_session *session,
				  enum tw_role role)
{
	return !session->far || session->far->here == role;
}

/* Whose priority is the highest here. */
static inline enum tw_role tw_session_highest(const struct tw_session *session)
{
	return tw_session_has(session, TW_CLIENT) ? TW_CLIENT : TW_SERVER;
}

/* Called first: sets @session for the settings of tw_config. */
void tw_session_init(struct tw_session *session);

/* The program's run(): starts client and server, and waits for the end. */
int tw_session_run(struct tw_run *run);

extern const struct tw_part tw_part_session;
extern const struct tw_part tw_part_session_json;
extern const struct tw_part tw_part_memory;	/* refuses more than is free */

/*
 * Stores the sum of all steps so far in *sum, to be freed with
 * tw_session_drop(). Returns 0 or -errno. If the last step still runs, the sum
 * may contain an incomplete cycle, in case cycles are very short.
 */
int tw_session_sum(struct tw_session *session, struct tw_pairs *sum);
void tw_session_drop(struct tw_pairs *pairs);

/* The first pair of the current step; at the end, of all steps. */
static inline struct tw_pair *tw_session_first(const struct tw_session *session)
{
	return session->pairs->pair[0];
}

/* Calls for each pair: for (k = 0; (pair = tw_session_pair(session, k)); k++) */
static inline struct tw_pair *tw_session_pair(const struct tw_session *session,
					      unsigned int k)
{
	return session->pairs && k < session->pairs->count ?
	       session->pairs->pair[k] : NULL;
}

/* The program's so_far() and forget(). */
struct tw_run *tw_session_so_far(struct tw_run *run);
void tw_session_forget(struct tw_run *copy);

/*
 * Whether the memory of all pairs can be locked beside main's own, if that was
 * asked for, after tw_run_open(). Returns 0, or -errno with a message: then
 * main still locks its memory.
 */
int tw_session_try_lock(struct tw_session *session);

/*
 * Internal: stores the shared memory of @count pairs in *pairs. Returns 0 or
 * -errno.
 */
int tw_session_map(struct tw_session *session, struct tw_pairs *pairs,
		   unsigned int count);

/*
 * Internal: whether children that are forked from now on have the memory of
 * @pair, too. Each would lock all that it has: with -m, N pairs N times.
 */
void tw_session_lend(const struct tw_pair *pair, bool lent);

/* Internal: stores the settings of pair @number in *task. */
void tw_session_task(const struct tw_session *session, unsigned int number,
		     struct tw_task *task);

/*
 * Internal: when -D ends the step that began at @begin_ns, CLOCK_MONOTONIC;
 * INT64_MAX: never. Its time is that of the measured cycles. The warm-up before
 * may take as much longer than it should. Till then main sleeps: only if it
 * began later than expected it has to sleep again.
 */
int64_t tw_session_deadline_ns(const struct tw_session *session,
			       int64_t begin_ns);

/*
 * Internal: fails with a message about @failure: what failed, with which value,
 * why, and what to do. Returns failure->err.
 */
int tw_explain(struct tw_session *session, const struct tw_failure *failure);

/* Internal: remarks(); and parts in a million that the counter runs fast. */
void tw_session_remarks(FILE *file, const struct tw_run *run);
double tw_session_drift_ppm(const struct tw_session *session);

/* The processes of a pair: "server", null if it is elsewhere, and "client". */
void tw_session_json_sides(struct tw_json *json,
			   const struct tw_session *session,
			   const struct tw_pair *pair);

/* Internal: connects the client and server of @pair. Returns 0 or -errno. */
int tw_session_link(struct tw_session *session, struct tw_pair *pair);

/* Closes main's descriptors of the connections. */
void tw_session_close_links(struct tw_session *session);

/* The process that serves @pair: its own, or that of all. */
static inline struct tw_side *tw_server_of(const struct tw_session *session,
					   const struct tw_pair *pair)
{
	return &session->pairs->pair[pair->server]->side[TW_SERVER];
}

#endif /* TW_SESSION_H */
