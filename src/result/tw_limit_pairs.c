// SPDX-License-Identifier: GPL-2.0-or-later
/* --limit: a verdict for each limit, and from them the exit status. */
#include <inttypes.h>
#include <time.h>

#include "rt-error.h"
#include "rt-utils.h"
#include "tw_datagram.h"
#include "tw_kept.h"
#include "tw_limit.h"
#include "tw_oneway.h"
#include "tw_part.h"
#include "tw_percentile.h"
#include "tw_throttle.h"

static uint64_t missed(const struct tw_run *run, int pair)
{
	return run->pairs[pair]->total.missed;
}

static const struct {
	const char *name;
	uint64_t (*count)(const struct tw_run *run, int pair);
} counters[] = {
	{ "missed", missed },
	{ "throttled", tw_throttled },
	{ "lost", tw_datagrams_lost },
};

static struct tw_limit limits[TW_LIMITS_MAX];
static int count;

static const char *name_of(int about)
{
	if (about < TW_METRICS)
		return tw_metrics[about].name;
	about -= TW_METRICS;
	return about < (int)ARRAY_SIZE(counters) ? counters[about].name : NULL;
}

static int pairs(const struct tw_run *run)
{
	return (int)tw_config.pairs;
}

static struct tw_limit_value value_of(const struct tw_run *run, int pair,
				      const struct tw_limit *limit)
{
	const struct tw_stats *stats;
	struct tw_limit_value of = { .cycles = 0 };
	int64_t ns;

	if (limit->counts) {
		of.value = (double)counters[limit->about - TW_METRICS].count(
			run, pair);
		return of;
	}
	stats = &run->pairs[pair]->total.stats[limit->about];
	if (tw_oneway_doubts(run, pair, limit->about))
		return of;
	of.cycles = stats->count;
	if (limit->average)
		of.value = tw_stats_mean(stats);
	else if (!limit->percent)
		of.value = (double)stats->max_ns;
	else if (tw_percentile_ns(run, pair, limit->about, limit->percent,
				  &ns))
		of.value = (double)ns;
	return of;
}

static void where(FILE *file, const struct tw_run *run, int pair,
		  const struct tw_limit *limit)
{
	const struct tw_kept *kept = tw_kept_worst(run, pair, limit->about);

	if (!kept)
		return;
	fprintf(file, " in ");
	tw_kept_print_number(file, run, kept);
}

static const struct tw_limited limited = {
	.name = name_of, .metrics = TW_METRICS, .usual = TW_LATENCY,
	.noun = "pair", .results = pairs, .value = value_of, .where = where,
};

static void parse(const struct tw_option *option, char *value)
{
	if (count == TW_LIMITS_MAX)
		tw_option_refuse(option, value, "allowed are at most 64 limits");
	tw_limit_parse(option, value, &limited, &limits[count++]);
}

static const struct tw_option options[] = {
	{ 0, "limit", required_argument, "LIMIT", parse,
	  .help = "exit status 2 if the latency of any pair is above US,\n"
		  "its average above avg:US, or its percentile above\n"
		  "pPERCENT:US; METRIC: before it: of this metric; or if\n"
		  "there are more than missed:N, throttled:N or lost:N;\n"
		  "may be repeated" },
	{ .name = NULL }
};

/* The most cycles that a pair can have; UINT64_MAX: nobody knows. */
static uint64_t possible_cycles(const struct tw_run *run, int pair)
{
	int64_t us = tw_config_interval_us(pair);
	uint64_t most = UINT64_MAX, in_time;

	if (tw_config.loops)
		most = tw_config.loops * run->steps;
	if (tw_config.duration_s && us) {
		in_time = (tw_config.duration_s * 1000000 / us + 1) *
			  run->steps;
		most = in_time < most ? in_time : most;
	}
	return most;
}

static void check_percentile(const struct tw_run *run,
			     const struct tw_limit *limit)
{
	uint64_t most;
	int pair;

	for (pair = 0; pair < tw_config.pairs; pair++) {
		most = possible_cycles(run, pair);
		if (most < tw_limit_needed(limit))
			fatal("--limit=%s: needs %" PRIu64 " cycles; with --loops and --duration, pair %d has at most %" PRIu64 "\n",
			      limit->text, tw_limit_needed(limit), pair, most);
	}
}

static void check(struct tw_run *run)
{
	const struct tw_metric_params params = tw_config_params(0);
	int i;

	for (i = 0; i < count; i++) {
		const struct tw_limit *limit = &limits[i];

		if (!limit->counts && !tw_metric_valid(limit->about, &params))
			fatal("--limit=%s: %s\n", limit->text,
			      tw_metric_lacks(limit->about, &params));
		if (!limit->percent)
			continue;
		check_percentile(run, limit);
		tw_percentile_bound(limit->about, (int64_t)limit->most);
	}
}

/* A signal is the usual end of a run without -l and -D. */
static struct tw_judgment judge(const struct tw_run *run, int i)
{
	bool cut = run->failed || run->broken ||
		   (run->interrupted &&
		    (tw_config.loops || tw_config.duration_s));

	return tw_limit_judge(&limits[i], &limited, run, cut);
}

static bool exceeded(const struct tw_run *run)
{
	int i;

	for (i = 0; i < count; i++)
		if (judge(run, i).verdict != TW_MET)
			return true;
	return false;
}

static void text(FILE *file, const struct tw_run *run)
{
	int i;

	for (i = 0; i < count; i++) {
		const struct tw_judgment judgment = judge(run, i);

		tw_limit_print(file, &limits[i], &limited, run, &judgment);
	}
}

static void json(FILE *file, const struct tw_run *run)
{
	int i;

	fprintf(file, "    \"limits\": [");
	for (i = 0; i < count; i++) {
		const struct tw_judgment judgment = judge(run, i);

		fprintf(file, "%s\n      ", i ? "," : "");
		tw_limit_json(file, &limits[i], &limited, &judgment);
	}
	fprintf(file, "],\n");
}

const struct tw_part tw_part_limit = {
	.options = options, .check = check, .exceeded = exceeded,
	.text = text, .json = json,
};
