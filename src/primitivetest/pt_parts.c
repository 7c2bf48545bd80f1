// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of parts. A feature is its files and its row here. */
#include <stddef.h>

#include "beside/pt_part_beside.h"
#include "cause/pt_part_cause.h"
#include "check/tw_others.h"
#include "check/tw_part_check.h"
#include "core/pt_report.h"
#include "core/pt_session.h"
#include "result/pt_part_result.h"
#include "pt_parts.h"

static const struct tw_part *const parts[] = {
	&tw_part_help,
	&tw_part_signals,
	&tw_part_output,
	&tw_part_display,
	&tw_part_histogram,
	&tw_part_percentiles,
	&pt_part_dump,
	&pt_part_worst,
	&pt_part_config,
	&pt_part_limit,
	&pt_part_list,
	&pt_part_runtime,
	&tw_part_latency,
	&pt_part_load,
	&pt_part_session,
	&pt_part_report,
	&pt_part_trace,
	&tw_part_others,
	&tw_part_check,
	&tw_part_json,
	NULL
};

static const char *no_hint(const char *word, int letter)
{
	(void)word;
	(void)letter;
	return NULL;
}

const struct tw_program pt_program = {
	.name = "primitivetest",
	.object = "primitives",
	.about = "usage: primitivetest [options]\n"
		 "Measures the primitives of a real-time system one by one: "
		 "timers, clocks,\nsemaphores, queues, signals and "
		 "switches. Values are in ns.\n",
	.parts = parts,
	.hint = no_hint,
	.run = pt_session_run,
	.columns = pt_session_columns,
	.policy = pt_session_policy,
	.progress = pt_session_progress,
	.so_far = pt_session_so_far,
	.forget = pt_session_forget,
	.environ_params = pt_environ_params,
	.disturbs = "all",
};
