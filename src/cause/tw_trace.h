/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --trace, for a pair whose client and server are on two hosts. */
#ifndef TW_TRACE_H
#define TW_TRACE_H

struct tw_cause;
struct tw_run;

/* What this host knows of the long cycle; NULL: there is none, or no trace. */
struct tw_cause *tw_trace_cause(const struct tw_run *run);

/*
 * The client on another host has seen a long cycle of this pair, which is in
 * struct tw_break now. Called by main.
 */
void tw_trace_break(const struct tw_run *run, int pair);

#endif /* TW_TRACE_H */
