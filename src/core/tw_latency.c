// SPDX-License-Identifier: GPL-2.0-or-later
/* /dev/cpu_dma_latency: no deep idle states during the run, as cyclictest. */
#include <getopt.h>
#include <time.h>
#include <unistd.h>

#include "rt-error.h"
#include "rt-utils.h"
#include "tw_part.h"

static bool untouched;
static int64_t latency_us = -1;	/* -1: not given */
static int fd = -1;		/* closing it ends the request */

static const struct tw_option options[] = {
	{ 0, "default-system", no_argument, NULL, tw_option_flag, &untouched,
	  .help = "do not touch power management" },
	{ 0, "latency", required_argument, "US", tw_option_number, &latency_us,
	  0, 2000000000,
	  "allow idle states that take up to US microseconds to\n"
	  "leave, default 0" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	if (untouched && latency_us >= 0)
		fatal("--latency=%d: not allowed with --default-system\n",
		      (int)latency_us);
	if (!untouched)
		fd = set_latency_target(latency_us < 0 ? 0 : (int)latency_us);
}

static void json(FILE *file, const struct tw_run *run)
{
	if (fd < 0)
		fprintf(file, "    \"cpu_dma_latency_us\": null,\n");
	else
		fprintf(file, "    \"cpu_dma_latency_us\": %d,\n",
			latency_us < 0 ? 0 : (int)latency_us);
}

const struct tw_part tw_part_latency = {
	.options = options, .check = check, .json = json,
};
