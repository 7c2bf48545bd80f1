// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of parts. A feature is its files and its row here. The check of
 * histogram comes before that of config (the default of -d).
 */
#include "tw_part.h"

const char tw_program_name[] = "twowaytest";
const char tw_program_about[] =
	"Measures the latency of a request and its reply on this host: a timer wakes a\n"
	"client, which wakes a server, which sleeps and replies. US: microseconds.\n";
const char tw_program_member[] = "twoway";
const char tw_program_words[] = "";
const struct tw_program_group tw_program_groups[] = {
	{ TW_MEASURED, "What is measured" },
	{ TW_SOCKETS, "Options of the sockets" },
	{ TW_PLACES, "Priority, CPUs and memory" },
	{ TW_PAIRS, "Several pairs" },
	{ TW_HOSTS, "Two hosts" },
	{ TW_LOADS, "Load" },
	{ TW_OUTPUT, "Output" },
	{ TW_TOO_LONG, "When a cycle takes too long" },
	{ TW_REFERENCE, "The reference program" },
	{ .heading = NULL }
};

const struct tw_part *const tw_parts[] = {
	&tw_part_serve,		/* its child is the next */
	&tw_part_far,	/* first: it reads options, and has no results */
	&tw_part_others,	/* first: ours begins after it, ends before */
	&tw_part_quota,
	&tw_part_help,
	&tw_part_json,	/* written last: it has the exit status */
	&tw_part_ramp,		/* sets the number of pairs */
	&tw_part_histogram,
	&tw_part_config,
	&tw_part_connect,	/* what it asks of a server is not checked here */
	&tw_part_oneway,
	&tw_part_place,
	&tw_part_wait,
	&tw_part_deadline,
	&tw_part_reflect,	/* which metrics there are */
	&tw_part_columns,
	&tw_part_text,
	&tw_part_idle,
	&tw_part_runtime,	/* before what its guard need not have open */
	&tw_part_break,
	&tw_part_trace,
	&tw_part_breaks,	/* its end() comes before those of both */
	&tw_part_peer,
	&tw_part_load,
	&tw_part_throttle,
	&tw_part_suspend,
	&tw_part_trltp,
	&tw_part_verbose,
	&tw_part_blocks,
	&tw_part_percentiles,
	&tw_part_worst,
	&tw_part_kept,
	&tw_part_limit,
	&tw_part_dump,
	&tw_part_timeline,
	&tw_part_clock,
	&tw_part_transport,
	&tw_part_gone,
	&tw_part_servers,
	&tw_part_stamps,	/* behind these two: it changes the link */
	&tw_part_display,	/* ends first */
	&tw_part_cut,
	&tw_part_members,
	&tw_part_check,
	NULL
};
