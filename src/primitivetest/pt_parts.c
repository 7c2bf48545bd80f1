// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of parts: those of twowaytest, and those of its own. A feature is
 * its files and its row here.
 */
#include "pt_report.h"

const char tw_program_name[] = "primitivetest";
const char tw_program_about[] =
	"Measures the primitives of a real-time system one by one: timers, clocks,\n"
	"semaphores, queues, signals and switches. Values are in ns; US: microseconds.\n";
const char tw_program_member[] = "primitives";
const char tw_program_words[] = "";
const struct tw_program_group tw_program_groups[] = {
	{ TW_MEASURED, "What is run" },
	{ TW_LOADS, "Load" },
	{ TW_SINGLE, "Single tests" },
	{ TW_PLACES, "Priority, CPU and memory" },
	{ TW_OUTPUT, "What is printed" },
	{ TW_TOO_LONG, "Verdicts" },
	{ .heading = NULL }
};

const struct tw_part *const tw_parts[] = {
	&tw_part_others,	/* first: ours begins after it, ends before */
	&tw_part_quota,
	&tw_part_help,
	&tw_part_json,	/* written last: it has the exit status */
	&pt_part_json,	/* first of those that print times */
	&pt_part_select,
	&tw_part_histogram,
	&pt_part_dump,
	&pt_part_config,
	&tw_part_idle,
	&tw_part_runtime,	/* before what its guard need not have open */
	&pt_part_trace,
	&tw_part_load,
	&tw_part_throttle,
	&tw_part_suspend,
	&pt_part_text,	/* checked after that which finds the rows */
	&pt_part_report,
	&pt_part_amiss,
	&tw_part_percentiles,
	&pt_part_maxima,
	&pt_part_worst,
	&tw_part_limit,
	&pt_part_check,
	NULL
};
