/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The spans of the trial that was above -b, for the analysis of the trace: who
 * was to do what, and from when to when. Called by main.
 */
#ifndef PT_SPANS_H
#define PT_SPANS_H

#include "pt_case.h"
#include "tw_cause.h"

#define PT_MARKS	(2 * PT_METRICS)
#define PT_MARK_TEXT	(PT_NAME + 16)

/*
 * The span of the metric that was above, or if it has none, those within it.
 * @ahead_ns: the timestamps' clock minus the trace's. Returns their number.
 */
int pt_spans_find(const struct pt_case *c, int64_t ahead_ns,
		  struct tw_span spans[PT_METRICS]);

/*
 * Where the spans of this trial begin and end, in order of time; with their
 * texts. Returns their number.
 */
int pt_spans_marks(const struct pt_case *c, int64_t ahead_ns,
		   struct tw_mark marks[PT_MARKS],
		   char texts[PT_MARKS][PT_MARK_TEXT]);

/* What the metric was before this trial, or is to be. */
double pt_spans_usual_ps(const struct pt_case *c, int metric);

#endif /* PT_SPANS_H */
