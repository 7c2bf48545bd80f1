// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --metrics: columns of these metrics of each pair, instead of the latency;
 * --total: the metric total as version 3.0 of the reference program has it.
 */
#include <stdlib.h>
#include <string.h>

#include "tw_part.h"
#include "tw_time.h"

static bool all;
static const char *const formulas[] = { "documented", "trltp3", NULL };
static const char *formula = "documented";

static void parse_name(const struct tw_option *option, const char *name)
{
	enum tw_metric_id id = tw_metric_find(name);
	int i;

	if (id == TW_SPANS)
		tw_option_refuse(option, name, TW_METRIC_NAMES);
	for (i = 0; i < tw_config.columns; i++)
		if (tw_config.metrics[i] == id)
			tw_option_refuse(option, name, "allowed is each metric once");
	tw_settings.metrics[tw_settings.columns++] = id;
}

static void parse(const struct tw_option *option, char *value)
{
	char *name;
	int id;

	tw_settings.columns = 0;
	tw_settings.latency_only = false;
	all = !strcmp(value, "all");
	for (id = 0; id < TW_METRICS && all; id++)
		parse_name(option, tw_metrics[id].name);
	while (!all && (name = strsep(&value, ",")))
		parse_name(option, name);
}

static const char *word(int i)
{
	return i == TW_METRICS ? "all" : tw_metric_word(i);
}

static const struct tw_option options[] = {
	{ 0, "metrics", TW_LIST, .choice = word, .parse = parse,
	  .help = "columns:" },
	{ 0, "total", TW_WORD, &formula, .choices = formulas,
	  .without = "--connect: it needs the times of one clock",
	  .help = "its formula:" },
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

static void check_total(void)
{
	if (strcmp(formula, "trltp3"))
		return;
	if (!tw_config_interval_us(0))
		tw_say_fatal("--total=trltp3: needs a timer, so an --interval above 0\n");
	tw_metric_deviations_ns = trltp3_ns;
	tw_metric_deviations = "|sleep - target| + |interval + send - 10^12 / target|";
}

/* Of all, a closed loop has those that need no timer. */
static void check(struct tw_run *run)
{
	const struct tw_metric_params params = tw_config_params(0);
	int i, kept = 0;

	for (i = 0; i < tw_config.columns; i++) {
		enum tw_metric_id id = tw_config.metrics[i];

		if (tw_metric_valid(id, &params))
			tw_settings.metrics[kept++] = id;
		else if (!all)
			tw_say_fatal("--metrics=%s: %s\n", tw_metrics[id].name,
				     tw_metric_lacks(id, &params));
	}
	tw_settings.columns = kept;
	check_total();
}

const struct tw_part tw_part_columns = {
	.options = options, .group = TW_OUTPUT, .check = check,
};
