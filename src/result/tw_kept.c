// SPDX-License-Identifier: GPL-2.0-or-later
/* Cycles that are kept whole, with all their phases; --spike. */
#include <inttypes.h>
#include <time.h>

#include "tw_clocks.h"
#include "tw_kept.h"
#include "tw_part.h"
#include "tw_say.h"
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
	  .help = "keep and print every cycle whose latency, or METRIC,\n"
		  "is above US" },
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

static void json_cycle(FILE *file, const struct tw_run *run, int pair,
		       const struct tw_kept *kept)
{
	const struct tw_metric_params params = tw_config_params(pair);
	char date[32], zone[8];
	int us = tw_kept_time(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", kept);
	int64_t ns;
	int id;

	tw_kept_time(zone, sizeof(zone), "%z", kept);
	fprintf(file, "{ \"pair\": %d, \"cycle\": %" PRIu64
		", \"step\": %d, \"since_start_ns\": %" PRId64
		", \"time\": \"%s.%06d%s\", \"missed\": %" PRIu64, pair,
		number_of(kept), kept->step,
		kept->since_ns, date, us, zone, kept->cycle.missed);
	for (id = 0; id < TW_SPANS; id++) {
		ns = tw_metric_ns(id, &kept->cycle, &params);
		if ((id < TW_METRICS || id == (int)spike_on) &&
		    tw_metric_valid(id, &params) && ns != TW_NO_VALUE)
			fprintf(file, ", \"%s_ns\": %" PRId64,
				tw_metrics[id].name, ns);
	}
	fprintf(file, " }");
}

static void json_spikes(FILE *file, const struct tw_run *run)
{
	uint64_t seen = 0, i;
	const char *comma = "";
	int pair;

	for (pair = 0; pair < tw_config.pairs; pair++)
		seen += room_of(run, pair)->seen;
	fprintf(file, "    \"spikes\": { \"metric\": \"%s\", \"limit_us\": %"
		PRId64 ", \"seen\": %" PRIu64 ", \"kept\": [",
		tw_metrics[spike_on].name, spike_us, seen);
	for (pair = 0; pair < tw_config.pairs; pair++)
		for (i = 0; i < kept_spikes(room_of(run, pair)); i++) {
			fprintf(file, "%s\n      ", comma);
			json_cycle(file, run, pair,
				   &room_of(run, pair)->spikes[i]);
			comma = ",";
		}
	fprintf(file, "] },\n");
}

static void json(FILE *file, const struct tw_run *run)
{
	const struct tw_metric_params params = tw_config_params(0);
	const struct tw_kept *kept;
	const char *comma = "";
	int id, pair;

	fprintf(file, "    \"worst\": {");
	for (id = 0; id < TW_METRICS; id++) {
		pair = tw_kept_worst_pair(run, id);
		kept = tw_kept_worst(run, pair, id);
		if (!tw_metric_valid(id, &params) || !kept)
			continue;
		fprintf(file, "%s\n      \"%s\": ", comma,
			tw_metrics[id].name);
		json_cycle(file, run, pair, kept);
		comma = ",";
	}
	fprintf(file, "\n    },\n");
	if (spike_us)
		json_spikes(file, run);
}

const struct tw_part tw_part_kept = {
	.options = options, .group = TW_TOO_LONG, .check = check,
	.begin = begin, .room = room, .attach = attach, .record = record,
	.end = end, .text = text, .json = json,
};
