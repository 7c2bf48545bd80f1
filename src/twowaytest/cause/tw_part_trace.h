/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of two hosts have to know of the trace. Called by main. */
#ifndef TW_PART_TRACE_H
#define TW_PART_TRACE_H

#include "cause/tw_cause.h"

/* Whether --trace was given, and its events; NULL: the default events. */
bool tw_part_trace_wanted(void);
const char *tw_part_trace_events(void);

/*
 * What the server's host has seen of the cycle that broke. To be called before
 * finish(); *view is used until the next run.
 */
void tw_part_trace_far(const struct tw_cause_view *view);

#endif /* TW_PART_TRACE_H */
