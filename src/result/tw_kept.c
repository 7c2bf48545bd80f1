// SPDX-License-Identifier: GPL-2.0-or-later
/* Cycles that are kept whole, with all their phases; --spike. */
#include <inttypes.h>

#include "tw_clocks.h"
#include "tw_kept.h"
#include "tw_members.h"
#include "tw_part.h"
#include "tw_text.h"
#include "tw_time.h"

/* Memory of a pair. */
struct room {
	int step;		/* written by main before the step */
	bool started;
	int64_t start_ns;	/* t0 of the first measured cycle: monotonic */
	int64_t worst_ns[TW_SPANS];
	struct tw_kept worst[TW_SPANS];
	uint64_t seen;		/* spikes, kept or not */
	struct tw_kept spikes[];
};

static enum tw_metric_id spike_on = TW_LATENCY;
static int64_t spike_us;	/* 0: none are kept */
static int64_t spike_nodes = 1024;
static int64_t behind_ns;	/* of the measuring clock: to the time of day */

static const struct tw_option options[] = {
	{ 0, "spike", TW_LIMIT, &spike_us, NULL, 1, 1000000000,
	  .metric = &spike_on,
	  .help = "keep and print every cycle above US" },
	{ 0, "spike-nodes", TW_NUMBER, &spike_nodes, NULL, 1, 10000000,
	  .help = "how many of them are kept of each pair, default 1024" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	const struct tw_metric_params params = tw_config_params(0);

	if (!tw_metric_valid(spike_on, &params))
		tw_say_fatal("--spike=%s: %s\n", tw_metrics[spike_on].name,
			     tw_metric_lacks(spike_on, &params));
}

static size_t room(const struct tw_run *run)
{
	return sizeof(struct room) +
	       (spike_us ? spike_nodes * sizeof(struct tw_kept) : 0);
}

static void attach(void *memory, int pair)
{
	struct room *to = memory;
	int id;

	for (id = 0; id < TW_SPANS; id++)
		to->worst_ns[id] = TW_NO_VALUE;
}

static struct room *room_of(const struct tw_run *run, int pair)
{
	return tw_pair_room(run, pair, &tw_part_kept);
}

static void begin(struct tw_run *run)
{
	int pair;

	for (pair = 0; pair < tw_config.pairs; pair++)
		room_of(run, pair)->step = run->step;
}

static void keep(struct tw_kept *kept, const struct tw_cycle *cycle,
		 const struct room *of)
{
	int64_t since_ns = tw_clocks_monotonic_ns(tw_cycle_begin_ns(cycle)) -
			   of->start_ns;

	kept->cycle = *cycle;
	kept->step = of->step;
	/* Two readings of the same distance may differ by some nanoseconds. */
	kept->since_ns = since_ns < 0 ? 0 : since_ns;
}

static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct room *to = memory;
	int id;

	if (!to->started) {
		to->started = true;
		to->start_ns = tw_clocks_monotonic_ns(tw_cycle_begin_ns(cycle));
	}
	for (id = 0; id < tw_metric_count; id++) {
		if (values_ns[id] <= to->worst_ns[id])
			continue;
		to->worst_ns[id] = values_ns[id];
		keep(&to->worst[id], cycle, to);
	}
	if (spike_us && values_ns[spike_on] > spike_us * TW_NS_PER_US &&
	    to->seen++ < (uint64_t)spike_nodes)
		keep(&to->spikes[to->seen - 1], cycle, to);
	return false;
}

static void end(struct tw_run *run)
{
	behind_ns = tw_now_ns(CLOCK_REALTIME) - tw_config.clock->now_ns();
}

const struct tw_kept *tw_kept_worst(const struct tw_run *run, int pair,
				    enum tw_metric_id id)
{
	const struct tw_kept *kept = &room_of(run, pair)->worst[id];

	return kept->cycle.seq ? kept : NULL;
}

static uint64_t number_of(const struct tw_kept *kept)
{
	return kept->cycle.seq - tw_config.warmup - 1;
}

void tw_kept_print_number(FILE *file, const struct tw_run *run,
			  const struct tw_kept *kept)
{
	if (run->steps > 1)
		fprintf(file, "step %d, ", kept->step + 1);
	fprintf(file, "cycle %" PRIu64, number_of(kept));
}

int tw_kept_time(char *text, size_t size, const char *format,
		 const struct tw_kept *kept)
{
	int64_t wall_ns = tw_cycle_begin_ns(&kept->cycle) + behind_ns;
	time_t seconds = (time_t)(wall_ns / TW_NS_PER_S);
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(text, size, format, &tm);
	return (int)(wall_ns % TW_NS_PER_S / TW_NS_PER_US);
}

int tw_kept_worst_pair(const struct tw_run *run, enum tw_metric_id id)
{
	int pair, worst = 0;

	for (pair = 1; pair < tw_config.pairs; pair++)
		if (tw_kept_worst(run, pair, id) &&
		    (!tw_kept_worst(run, worst, id) ||
		     room_of(run, pair)->worst_ns[id] >
		     room_of(run, worst)->worst_ns[id]))
			worst = pair;
	return worst;
}

/* The first column that spikes are about, else the pair's first. */
static int spike_column(int pair)
{
	int i = 0;

	while (i < tw_config.columns && tw_config.metrics[i] != spike_on)
		i++;
	return pair * tw_config.columns + i % tw_config.columns;
}

static uint64_t kept_spikes(const struct room *of)
{
	return of->seen < (uint64_t)spike_nodes ? of->seen : spike_nodes;
}

/* As cyclictest prints it; then what it has not. */
static void print_spike(FILE *file, const struct tw_run *run, int pair,
			const struct tw_kept *kept)
{
	const struct tw_metric_params params = tw_config_params(pair);
	int64_t ns;
	int id;

	fprintf(file, "T:%2d Spike:%8" PRId64 ": TS: %12" PRId64 " C: %7"
		PRIu64, spike_column(pair),
		tw_text_whole(tw_metric_ns(spike_on, &kept->cycle, &params)),
		tw_ns_to_us(tw_cycle_begin_ns(&kept->cycle)), number_of(kept));
	if (run->steps > 1)
		fprintf(file, " step %d", kept->step + 1);
	for (id = 0; id < TW_METRICS; id++) {
		ns = tw_metric_ns(id, &kept->cycle, &params);
		if (tw_metric_is_phase(id, &params) && ns != TW_NO_VALUE)
			fprintf(file, " %s %" PRId64, tw_metrics[id].name,
				tw_text_whole(ns));
	}
	fputc('\n', file);
}

static void print_spikes(FILE *file, const struct tw_run *run)
{
	uint64_t seen = 0, kept = 0, i;
	int pair;

	fprintf(file, "# Spikes: cycles whose %s is above %" PRId64 "\n",
		tw_metrics[spike_on].name,
		tw_text_whole(spike_us * TW_NS_PER_US));
	for (pair = 0; pair < tw_config.pairs; pair++) {
		const struct room *of = room_of(run, pair);

		for (i = 0; i < kept_spikes(of); i++)
			print_spike(file, run, pair, &of->spikes[i]);
		seen += of->seen;
		kept += kept_spikes(of);
	}
	fprintf(file, "spikes = %" PRIu64 "\n", seen);
	if (seen > kept)
		fprintf(file, "# Spikes not kept: %" PRIu64 "\n", seen - kept);
}

static void text(FILE *file, const struct tw_run *run)
{
	if (spike_us)
		print_spikes(file, run);
}

/* What the JSON says of one. */
struct told {
	const struct tw_kept *kept;
	int pair;
	uint64_t number;
	char time[48];
};

static const void *told_of(int pair, const struct tw_kept *kept)
{
	static struct told told;
	char date[32], zone[8];
	int us = tw_kept_time(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", kept);

	tw_kept_time(zone, sizeof(zone), "%z", kept);
	told.kept = kept;
	told.pair = pair;
	told.number = number_of(kept);
	snprintf(told.time, sizeof(told.time), "%s.%06d%s", date, us, zone);
	return &told;
}

static const void *next_value(const void *of, int *i, const char **key)
{
	static int64_t ns;
	const struct told *told = of;
	const struct tw_metric_params params = tw_config_params(told->pair);

	for (; *i < TW_SPANS; ++*i) {
		ns = tw_metric_ns(*i, &told->kept->cycle, &params);
		if ((*i < TW_METRICS || *i == (int)spike_on) &&
		    tw_metric_valid(*i, &params) && ns != TW_NO_VALUE)
			break;
	}
	*key = *i < TW_SPANS ? tw_metrics[*i].name : NULL;
	return *key ? &ns : NULL;
}

static const void *next_worst(const void *of, int *i, const char **key)
{
	const struct tw_metric_params params = tw_config_params(0);

	for (; *i < TW_METRICS; ++*i) {
		int pair = tw_kept_worst_pair(of, *i);
		const struct tw_kept *kept = tw_kept_worst(of, pair, *i);

		*key = tw_metrics[*i].name;
		if (tw_metric_valid(*i, &params) && kept)
			return told_of(pair, kept);
	}
	return NULL;
}

/* Of all pairs, one after another. */
static const void *next_spike(const void *of, int *i, const char **key)
{
	int pair, at = *i;

	for (pair = 0; pair < tw_config.pairs; pair++) {
		const struct room *room = room_of(of, pair);

		if (at < (int)kept_spikes(room))
			return told_of(pair, &room->spikes[at]);
		at -= (int)kept_spikes(room);
	}
	return NULL;
}

#define KEPT	TW_VIA(struct told, kept)

static const struct tw_member cycle[] = {
	{ TW_NAMED(struct told, pair), TW_COUNT, "Number of the pair." },
	{ "cycle", TW_IN(struct told, number), TW_COUNT, "From 0, without the warm-up; of the step." },
	{ TW_NAMED(struct tw_kept, step), TW_COUNT, "Of a ramp, from 0.",
	  KEPT },
	{ "since_start_ns", TW_IN(struct tw_kept, since_ns), TW_INTEGER,
	  "Its t0 - t0 of the pair's first measured cycle.", KEPT },
	{ TW_NAMED(struct told, time), TW_STRING, "Its t0 in local time, with the offset from UTC.",
	  "'pattern': '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\\\.[0-9]{6}[+-][0-9]{4}$'" },
	{ "missed", TW_IN(struct tw_kept, cycle.missed), TW_COUNT,
	  "Expiries after its own that got no cycle.", KEPT },
	{ "values", TW_NOWHERE, TW_MAP, "Those of the cycle in ns, by span; a part of network or response only if --spike is about that.",
	  "'required': [ 'interval' ], 'dependentRequired': { 'latency': [ 'response' ], 'response': [ 'latency' ], " TW_TOGETHER " }",
	  .word = tw_metric_any_word, .next = next_value,
	  .of = TW_EACH(TW_SELF(int64_t), TW_INTEGER, "A value.") },
	{ .name = NULL }
};

static const char *metric_of(const void *of)
{
	return tw_metrics[spike_on].name;
}

static int64_t seen_of(const void *of)
{
	int64_t seen = 0;
	int pair;

	for (pair = 0; pair < tw_config.pairs; pair++)
		seen += (int64_t)room_of(of, pair)->seen;
	return seen;
}

static const struct tw_member spikes[] = {
	{ "metric", TW_TEXT_OF(metric_of), TW_STRING, "A metric, or what stamps divide one into.",
	  .word = tw_metric_any_word },
	{ "limit_us", TW_AT(spike_us), TW_INTEGER, "They are above this.",
	  "'minimum': 1" },
	{ "seen", TW_NUMBER_OF(seen_of), TW_COUNT, "How many there were." },
	{ "kept", TW_NOWHERE, TW_ARRAY, "The first of each pair, as many as --spike-nodes says.",
	  .next = next_spike, .of = cycle },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "worst", TW_NOWHERE, TW_MAP, "By metric, the first cycle of any pair that reached its maximum.",
	  "'dependentRequired': { " TW_TOGETHER " }, 'anyOf': [ { 'maxProperties': 0 }, { 'required': [ 'latency', 'response', 'interval' ] } ]",
	  .word = tw_metric_word, .next = next_worst, .of = cycle },
	{ "spikes", TW_NOWHERE, TW_OBJECT,
	  "The cycles that --spike is about.", TW_IF(spike_us),
	  .of = spikes },
	{ .name = NULL }
};

const struct tw_part tw_part_kept = {
	.options = options, .group = TW_TOO_LONG, .check = check,
	.begin = begin, .room = room, .attach = attach, .record = record,
	.end = end, .text = text,
	.members[TW_OF_RUN] = members,
};
