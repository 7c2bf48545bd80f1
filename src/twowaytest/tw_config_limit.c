// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks the options -b, --trace, --spike and --limit. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "rt-utils.h"
#include "tw_config.h"
#include "tw_time.h"

#define TRACE_FILE	"twowaytest-trace.txt"
#define SPIKE_NODES	1024

/*
 * How many cycles there will be in all; UINT64_MAX: nobody knows. In a given
 * time some expiries may be missed: a twentieth of them is not counted on.
 */
static uint64_t expected_cycles(const struct tw_config *config)
{
	uint64_t loops = config->loops ? (uint64_t)config->loops : UINT64_MAX;
	uint64_t in_time = UINT64_MAX;

	if (config->duration_s && config->interval_us)
		in_time = (uint64_t)config->duration_s * 950000 /
			  config->interval_us;
	if (in_time < loops)
		loops = in_time;
	return loops == UINT64_MAX ? loops : loops * config->steps;
}

static int check_percentiles(const struct tw_config *config, char *error)
{
	uint64_t expected = expected_cycles(config);
	int i;

	for (i = 0; i < config->limit_count; i++) {
		const struct tw_limit *limit = &config->limits[i];
		unsigned long long needs = tw_limit_needs(limit);

		if (limit->percent > 0 && expected < needs)
			return tw_refuse(error, "--limit=%s: this percentile needs at least %llu cycles, and no more than %llu are sure to come; give more loops, a longer duration, or a lower percentile",
					 limit->text, needs,
					 (unsigned long long)expected);
	}
	return 0;
}

static bool lacks_timer(const struct tw_config *config, int metric)
{
	return !config->interval_us && metric < TW_METRICS &&
	       tw_metrics[metric].needs_timer;
}

static int check_metrics(const struct tw_config *config, char *error)
{
	int i;

	for (i = 0; i < config->limit_count; i++)
		if (lacks_timer(config, config->limits[i].about))
			return tw_refuse(error, "--limit=%s: with --interval=0 there is no timer, so there is no such metric",
					 config->limits[i].text);
	if (lacks_timer(config, config->spike_on))
		return tw_refuse(error, "--spike=%s:%lld: with --interval=0 there is no timer, so there is no such metric",
				 tw_metrics[config->spike_on].token,
				 (long long)config->spike_us);
	if (lacks_timer(config, config->break_on))
		return tw_refuse(error, "--break-on=%s: with --interval=0 there is no timer, so there is no such metric",
				 tw_metrics[config->break_on].token);
	return 0;
}

/* What means nothing by itself. */
static int check_companions(const struct tw_config *config, char *error)
{
	const struct {
		bool given;
		const char *option;
		bool has;
		const char *needs;
	} rules[] = {
		{ config->break_on_given, "break-on", config->break_us,
		  "there is no value to break at; give -b too" },
		{ config->tracemark, "tracemark", config->break_us,
		  "there is no value to break at; give -b too" },
		{ config->trace, "trace", config->break_us,
		  "there is no value to break at; give -b too" },
		{ config->trace_file, "trace-file", config->trace,
		  "there is no trace; give --trace too" },
		{ config->spike_nodes, "spike-nodes", config->spike_us,
		  "no spikes are kept; give --spike too" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].given && !rules[i].has)
			return tw_refuse(error, "--%s: %s", rules[i].option,
					 rules[i].needs);
	return 0;
}

int tw_config_check_limits(struct tw_config *config, char error[TW_ERROR_MAX])
{
	int err = check_companions(config, error);

	if (!err)
		err = check_metrics(config, error);
	if (!err)
		err = check_percentiles(config, error);
	if (config->trace && !config->trace_file)
		config->trace_file = TRACE_FILE;
	if (config->spike_us && !config->spike_nodes)
		config->spike_nodes = SPIKE_NODES;
	return err;
}
