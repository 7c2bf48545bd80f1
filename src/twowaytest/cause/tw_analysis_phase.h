/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The phases of a cycle as stretches of time for the analysis: which of them
 * took too long, who was late in it, and what it had to do.
 */
#ifndef TW_ANALYSIS_PHASE_H
#define TW_ANALYSIS_PHASE_H

#include "cause/tw_analysis.h"
#include "cause/tw_break.h"
#include "run/tw_place.h"

/*
 * Returns the phase of the cycle with the largest excess over its mean. Only
 * phases that are part of the metric are considered; with two clocks, send and
 * receive are one phase, network.
 */
enum tw_metric_id tw_analysis_phase(const struct tw_break *brk,
				    const struct tw_metric_params *params);

/* Their names, if @side is who is late. */
struct tw_names tw_analysis_names(enum tw_metric_id phase, enum tw_role side);

/*
 * Analyses @text, which tw_trace_collect() returned. @pids: client and server,
 * by role. @may_throttle, @bypass: as in struct tw_stretch. Cannot fail:
 * without a result, analysis->lacks tells why. With two clocks, there is no
 * result for the phase sleep, and for network only what the client's host shows.
 */
void tw_analyse(struct tw_analysis *analysis, const char *text,
		const struct tw_break *brk,
		const struct tw_metric_params *params,
		const pid_t pids[TW_ROLES], bool may_throttle,
		enum tw_bypass bypass);

#endif /* TW_ANALYSIS_PHASE_H */
