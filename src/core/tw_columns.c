// SPDX-License-Identifier: GPL-2.0-or-later
/* --metrics: columns of these metrics of each pair, instead of the latency. */
#include <string.h>

#include "tw_config.h"
#include "tw_part.h"
#include "tw_say.h"

static bool all;

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
	{ .name = NULL }
};

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
}

const struct tw_part tw_part_columns = {
	.options = options, .group = TW_OUTPUT, .check = check,
};
