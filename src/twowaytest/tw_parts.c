// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of parts. A feature is its files and its row here. */
#include <stddef.h>

#include "cause/tw_part_cause.h"
#include "check/tw_others.h"
#include "check/tw_part_check.h"
#include "host/tw_part_host.h"
#include "load/tw_load_report.h"
#include "load/tw_part_load.h"
#include "result/tw_part_oneway.h"
#include "result/tw_part_result.h"
#include "run/tw_columns.h"
#include "run/tw_config.h"
#include "run/tw_part_stamps.h"
#include "run/tw_part_transport.h"
#include "run/tw_session.h"
#include "tw_check_params.h"
#include "tw_parts.h"

static const struct tw_part *const parts[] = {
	&tw_part_help,
	&tw_part_signals,
	&tw_part_output,
	&tw_part_display,
	&tw_part_histogram,
	&tw_part_percentiles,
	&tw_part_trltp,
	&tw_part_ramp,
	&tw_part_pairs,
	&tw_part_servers,
	&tw_part_oneway,
	&tw_part_config,
	&tw_part_throttle,
	&tw_part_transport,
	&tw_part_stamps,
	&tw_part_connect,
	&tw_part_server,
	&tw_part_session,
	&tw_part_session_json,
	&tw_part_latency,
	&tw_part_load,
	&tw_part_all,
	&tw_part_cost,
	&tw_part_smi,
	&tw_part_dump,
	&tw_part_kept,
	&tw_part_break,
	&tw_part_trace,
	&tw_part_limit,
	&tw_part_memory,
	&tw_part_others,
	&tw_part_timeline,
	&tw_part_check,
	&tw_part_json,
	NULL
};

const struct tw_program tw_program = {
	.name = "twowaytest",
	.object = "twoway",
	.about = "usage: twowaytest [options]\n"
		 "Measures the latency of a request and its answer on "
		 "this host:\na timer wakes a client, which wakes a server, "
		 "which sleeps and replies.\n",
	.hint_first = "# Ctrl-C ends the test; --check tells what disturbs it "
		      "here; man 8 twowaytest",
	.parts = parts,
	.hint = tw_option_hint,
	.run = tw_session_run,
	.columns = tw_session_columns,
	.policy = tw_config_policy,
	.progress = tw_load_progress_text,
	.so_far = tw_session_so_far,
	.forget = tw_session_forget,
	.environ_params = tw_check_params,
};
