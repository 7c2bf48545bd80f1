/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -b: at the first cycle above a limit, within that cycle, the client marks
 * it in the kernel's trace, stops the tracing, and so ends the run.
 */
#ifndef TW_BREAK_H
#define TW_BREAK_H

#include <stdbool.h>

#include "tw_clock.h"
#include "tw_tally.h"

/* The traces that a break may end: the user's, and our own. */
enum tw_trace_id {
	TW_TRACE_USER,
	TW_TRACE_OWN,
	TW_TRACES
};

/* Opened by main before the fork; -1: there is no such trace. */
struct tw_trace_fds {
	int mark;		/* trace_marker */
	int stop;		/* tracing_on */
};

struct tw_break {
	/* Main's, before the fork. */
	int64_t limit_ns;	/* 0: there is none */
	enum tw_metric_id metric;
	struct tw_trace_fds traces[TW_TRACES];
	/* The client's; valid once it has ended. */
	bool broken;
	struct tw_kept kept;
	uint64_t number;	/* of the cycle, as users see it */
	int64_t value_ns;
	double means_ns[TW_METRICS];	/* up to this cycle, without it */
	/* How far the measuring clock was ahead of the trace's, mono, then. */
	int64_t ahead_ns;
	int mark_err;		/* -errno of a mark or stop; or 0 */
};

/*
 * Client only, before the cycle is folded: true, once, if the metric exceeds
 * the limit; the traces are marked and stopped then.
 */
bool tw_break_check(struct tw_break *brk, const struct tw_tally *tally,
		    const struct tw_clock *clock,
		    const struct tw_cycle *cycle);

#endif /* TW_BREAK_H */
