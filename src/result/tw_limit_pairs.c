// SPDX-License-Identifier: GPL-2.0-or-later
/* What the limits of twowaytest are for: metrics and counters of each pair. */
#include <inttypes.h>
#include <string.h>

#include "tw_array.h"
#include "tw_cut.h"
#include "tw_hosts.h"
#include "tw_kept.h"
#include "tw_limit.h"
#include "tw_percentile.h"
#include "tw_say.h"
#include "tw_text.h"
#include "tw_throttle.h"
#include "tw_transport.h"

static uint64_t missed(const struct tw_run *run, int pair)
{
	return run->pairs[pair]->total.missed;
}

/* Until the timeout, nobody knows of a reply whether it would have come. */
static uint64_t lost_unknown(const struct tw_run *run, int pair)
{
	return tw_transport_timeout_ns() > 0 ? tw_cut_unanswered(pair, -1) : 0;
}

static const struct {
	const char *name;
	uint64_t (*count)(const struct tw_run *run, int pair);
	/* How many more there may be; NULL: none. */
	uint64_t (*unknown)(const struct tw_run *run, int pair);
} counters[] = {
	{ "missed", missed, NULL },
	{ "throttled", tw_throttled, tw_throttle_unknown },
	{ "lost", tw_transport_lost, lost_unknown },
	{ "rate", NULL, NULL },		/* see tw_limit_rate.c */
};

static bool is(const char *known, const char *name, size_t length)
{
	return strlen(known) == length && !memcmp(known, name, length);
}

static int find(const char *name, size_t length)
{
	int i;

	for (i = 0; i < TW_SPANS; i++)
		if (is(tw_metrics[i].name, name, length))
			return i;
	for (i = 0; i < (int)ARRAY_SIZE(counters); i++)
		if (is(counters[i].name, name, length))
			return TW_SPANS + i;
	return -1;
}

static const char *word(int i)
{
	if (i < TW_METRICS)
		return tw_metric_word(i);
	i -= TW_METRICS;
	return i < (int)ARRAY_SIZE(counters) ? counters[i].name :
	       i == (int)ARRAY_SIZE(counters) ? "avg" : NULL;
}

static const char *name_of(const struct tw_limit *limit, int pair)
{
	return limit->counts ? counters[limit->about - TW_SPANS].name :
			       tw_metrics[limit->about].name;
}

static int pairs(const struct tw_run *run)
{
	return tw_run_pairs;
}

/* Without a reply within the timeout, these took at least as long. */
static struct tw_limit_open open_of(const struct tw_run *run, int pair,
				    enum tw_metric_id id)
{
	bool timed = tw_metrics[id].span[0] <= TW_T0 &&
		     tw_metrics[id].span[1] == TW_T3 &&
		     !tw_metric_needs_server(id);
	int64_t least_ns = tw_transport_timeout_ns() - (id == TW_LATENCY) *
			   tw_config_params(pair).sleep_ns;

	return (struct tw_limit_open) {
		.lost = tw_transport_lost(run, pair),
		.cut = tw_cut_open(pair, id),
		.least_ns = timed ? (double)least_ns : 0,
		.begun_ns = id == TW_INTERVAL ?
			    (double)tw_cut_begun_ns(pair) : 0,
	};
}

static struct tw_limit_value value_of(const struct tw_run *run, int pair,
				      const struct tw_limit *limit)
{
	struct tw_limit_open open;
	struct tw_series series;
	struct tw_limit_value of = { .cycles = 0 };

	if (limit->unit) {
		of = tw_limit_rate_value(run, pair, limit);
		of.open = tw_transport_lost(run, pair) +
			  tw_cut_open(pair, TW_PLANNED);
		return of;
	}
	if (limit->counts) {
		int i = limit->about - TW_SPANS;

		of.value = (double)counters[i].count(run, pair);
		if (counters[i].unknown)
			of.unknown = (double)counters[i].unknown(run, pair);
		return of;
	}
	if (tw_oneway_doubts(run, pair, limit->about))
		return of;
	open = open_of(run, pair, limit->about);
	series = tw_text_series(run, pair, limit->about);
	return tw_limit_value(run, &series, &open, limit);
}

static void where(FILE *file, const struct tw_run *run, int pair,
		  const struct tw_limit *limit)
{
	const struct tw_kept *kept = tw_kept_worst(run, pair, limit->about);
	const struct tw_limit_open open = open_of(run, pair, limit->about);

	double most_ns = (double)run->pairs[pair]->
			 total.stats[limit->about].max;

	/* What is known of such cycles is not kept. */
	if (!kept || (open.lost && open.least_ns > most_ns) ||
	    open.begun_ns > most_ns)
		return;
	fprintf(file, " in ");
	tw_kept_print_number(file, run, kept);
}

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
			tw_say_fatal("--limit=%s: needs %" PRIu64 " cycles; with --loops and --duration, pair %d has at most %" PRIu64 "\n",
				     limit->text, tw_limit_needed(limit), pair,
				     most);
	}
}

static void check(const struct tw_run *run, const struct tw_limit *limit)
{
	const struct tw_metric_params params = tw_config_params(0);
	enum tw_metric_id of = limit->unit ? TW_PLANNED : limit->about;

	if ((!limit->counts || limit->unit) && !tw_metric_valid(of, &params))
		tw_say_fatal("--limit=%s: %s\n", limit->text,
			     tw_metric_lacks(of, &params));
	if (!limit->percent)
		return;
	check_percentile(run, limit);
	tw_percentile_bound(limit->about, (int64_t)limit->most);
}

const char tw_limit_help[] =
	"status 2 above [METRIC:]US, avg:US, pPERCENT:US, missed:N, throttled:N, lost:N, rate:N/h:US (several)";

const struct tw_limited tw_limited = {
	.allowed = "allowed are US, avg:US and pPERCENT:US, also with METRIC: before it, as in 500 or p99.9:800; and missed:N; and throttled:N; and lost:N; and rate:N/h:US, also /min and /d",
	.find = find, .metrics = TW_SPANS, .word = word, .usual = TW_LATENCY,
	.check = check, .noun = "pair", .results = pairs, .name = name_of,
	.value = value_of, .open = "no reply in", .opened = "cycle",
	.where = where, .rate = &tw_limit_rate,
};
