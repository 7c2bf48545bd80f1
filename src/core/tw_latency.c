// SPDX-License-Identifier: GPL-2.0-or-later
/* /dev/cpu_dma_latency: no deep idle states during the run, as cyclictest. */
#include <stdio.h>
#include <time.h>

#include "rt-error.h"
#include "rt-utils.h"
#include "tw_part.h"

static bool untouched;
static int64_t latency_us = -1;	/* -1: not given */

static const struct tw_option options[] = {
	{ 0, "default-system", no_argument, NULL, tw_option_flag, &untouched,
	  .help = "do not touch power management" },
	{ 0, "latency", required_argument, "US", tw_option_number, &latency_us,
	  0, 2000000000,
	  .help = "allow idle states that take up to US microseconds to\n"
		  "leave, default 0" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	if (untouched && latency_us >= 0)
		fatal("--latency=%d: not allowed with --default-system\n",
		      (int)latency_us);
	if (untouched)
		return;
	if (latency_us < 0)
		latency_us = 0;
	/* The request ends with the program. */
	set_latency_target((int)latency_us);
}

const struct tw_part tw_part_latency = {
	.options = options, .check = check,
};
