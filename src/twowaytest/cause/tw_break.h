/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -b: the client checks each cycle against a limit. At the first cycle above
 * it, the client marks this cycle in the kernel's trace and stops the trace,
 * before the next cycle. This ends the run.
 */
#ifndef TW_BREAK_H
#define TW_BREAK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/tw_clock.h"
#include "cause/tw_trace.h"
#include "measure/tw_tally.h"

struct tw_json;

/* The traces that a break may end: the user's, and our own. */
enum tw_trace_id {
	TW_TRACE_USER,
	TW_TRACE_OWN,
	TW_TRACES
};

struct tw_break {
	/* Set by main before the fork. */
	int64_t limit_ns;	/* 0: no limit */
	enum tw_metric_id metric;
	struct tw_trace_fds traces[TW_TRACES];
	/* What a trace adds to the "break" object; NULL: nothing. */
	void (*json)(struct tw_json *json, const struct tw_break *brk);
	/* Of all pairs: which was the first, from 1; 0: none yet. */
	_Atomic unsigned int *first;
	_Atomic unsigned int first_of_all;	/* where that points to */
	/* Written by the client; valid after it has ended. */
	bool broken;
	struct tw_kept kept;
	uint64_t number;	/* number of the cycle in reports */
	int64_t value_ns;
	double means_ns[TW_METRICS];	/* means before this cycle */
	/* Measuring clock minus the trace's clock, in ns, at that time. */
	int64_t ahead_ns;
	int mark_err;		/* error of a mark or stop, -errno; or 0 */
};

/*
 * Called by the client, before tw_tally_add(). Returns true once: if the metric
 * is above the limit. Then it has marked and stopped the traces.
 */
bool tw_break_check(struct tw_break *brk, const struct tw_tally *tally,
		    const struct tw_clock *clock,
		    const struct tw_cycle *cycle);

#endif /* TW_BREAK_H */
