// SPDX-License-Identifier: GPL-2.0-or-later
/* --total: the metric total as version 3.0 of the reference program has it. */
#include <stdlib.h>
#include <string.h>

#include "tw_config.h"
#include "tw_part.h"
#include "tw_say.h"
#include "tw_time.h"

static const char *const formulas[] = { "documented", "trltp3", NULL };
static const char *formula = "documented";

static const struct tw_option options[] = {
	{ 0, "total", TW_WORD, &formula, .choices = formulas,
	  .without = "--connect: it needs the times of one clock",
	  .help = "formula of the metric total; trltp3 is only to compare\n"
		  "with published tables" },
	{ .name = NULL }
};

/*
 * It differs from the documented formula in two ways: the interval ends at t1,
 * so it contains the send phase; and the period in us is taken to be the rate
 * in Hz, which is the same number only at 1000 Hz.
 */
static int64_t trltp3_ns(const int64_t values_ns[],
			 const struct tw_metric_params *params)
{
	int64_t rate_ns = TW_NS_PER_S * TW_NS_PER_US / params->period_ns;

	return llabs(values_ns[TW_SLEEP] - params->sleep_ns) +
	       llabs(values_ns[TW_INTERVAL] + values_ns[TW_SEND] - rate_ns);
}

static void check(struct tw_run *run)
{
	if (strcmp(formula, "trltp3"))
		return;
	if (!tw_config_interval_us(0))
		tw_say_fatal("--total=trltp3: needs a timer, so an --interval above 0\n");
	tw_metric_deviations_ns = trltp3_ns;
	tw_metric_deviations = "|sleep - target| + |interval + send - 10^12 / target|";
}

const struct tw_part tw_part_total = {
	.options = options, .group = TW_OUTPUT, .check = check,
};
