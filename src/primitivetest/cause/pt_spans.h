/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The spans of a trial as stretches of time for the analysis: which of them
 * took too long, whose it is, and what that task had to do. Called by main.
 */
#ifndef PT_SPANS_H
#define PT_SPANS_H

#include "cause/tw_analysis.h"
#include "cause/tw_trace_file.h"
#include "core/pt_case.h"

#define PT_MARKS	(2 * PT_METRICS)
#define PT_MARK_TEXT	(PT_NAME + 16)

/*
 * Of the trial that was above -b, the span that exceeds its mean by most: that
 * of the metric, or if it has none, one of those within it. @ahead_ns: the
 * timestamps' clock minus the trace's. Returns NULL, or why there is none.
 */
const char *pt_spans_find(const struct pt_case *c, int64_t ahead_ns,
			  struct tw_stretch *stretch);

/*
 * Where the spans of this trial begin and end, in order of time; with their
 * texts. Returns their number.
 */
int pt_spans_marks(const struct pt_case *c, int64_t ahead_ns,
		   struct tw_trace_mark marks[PT_MARKS],
		   char texts[PT_MARKS][PT_MARK_TEXT]);

#endif /* PT_SPANS_H */
