/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --trace, for --breaks, and for client and server on two hosts. */
#ifndef TW_TRACE_H
#define TW_TRACE_H

#include <stdio.h>

#include "tw_metric.h"

struct tw_break;
struct tw_cause;
struct tw_run;

/* What this host knows of the long cycle; NULL: there is none, or no trace. */
struct tw_cause *tw_trace_cause(const struct tw_run *run);

/*
 * The client on another host has seen a long cycle of this pair, which is in
 * struct tw_break now. Called by main.
 */
void tw_trace_break(const struct tw_run *run, int pair);

/* Whether the phase @id is a part of what the break is about, or of a part. */
bool tw_trace_has(const struct tw_break *of, enum tw_metric_id id);

/* The phase that a trace shows, of what the kernel's stamps divide it into. */
enum tw_metric_id tw_trace_whole(enum tw_metric_id id);

/*
 * The clients go on: finds the cause of this pair's long cycle, NULL without
 * --trace; prints it, and its trace; traces again. Of all that were found, that
 * of the longest cycle is kept.
 */
const struct tw_cause *tw_trace_look(const struct tw_run *run, int pair);
void tw_trace_print(FILE *file);
void tw_trace_resume(void);

#endif /* TW_TRACE_H */
