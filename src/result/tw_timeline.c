// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --timeline: a row of statistics each second. Main computes them from cycles
 * that the client has put into a ring.
 */
#include <inttypes.h>
#include <string.h>

#include "tw_array.h"
#include "tw_buckets.h"
#include "tw_clocks.h"
#include "tw_memory.h"
#include "tw_part.h"
#include "tw_ring.h"
#include "tw_stream.h"
#include "tw_throttle.h"
#include "tw_time.h"
#include "tw_transport.h"

#define EVERY_MOST	86400
#define PERCENT		99
#define LEAST		100	/* values for the percentile */

/* What a pair has in the row that is being made. Memory of main alone. */
struct row {
	struct tw_tally tally;
	uint64_t buckets[TW_SPANS][TW_BUCKETS];	/* by column */
};

static struct tw_stream stream;
static int64_t every_s = 1;
static struct row *rows;	/* of each pair */
/* On CLOCK_MONOTONIC. */
static int64_t begin_ns;	/* of the step */
static int64_t start_ns;	/* its first t0; 0: not known */
static int64_t next_ns;		/* when the row ends */
static bool any;		/* the row has a cycle */
static uint64_t lost;		/* cycles that the rings could not take */

/* Besides missed, which is known of each cycle. */
static struct {
	const char *name;
	uint64_t (*count)(const struct tw_run *run, int pair);
	uint64_t before[TW_PAIRS_MAX];
} counts[] = {
	{ .name = "throttled", .count = tw_throttled },
	{ .name = "lost", .count = tw_transport_lost },
};

static void parse(const struct tw_option *option, char *value)
{
	char *colon = strrchr(value, ':');
	size_t length = colon ? strspn(colon + 1, ".0123456789") : 0;

	every_s = 1;
	if (length)
		length += strspn(colon + 1 + length, "smhdSMHD");
	/* Else it is a part of the name. */
	if (length && !colon[1 + length]) {
		every_s = tw_option_seconds(colon + 1, EVERY_MOST);
		if (every_s < 1)
			tw_option_refuse(option, value, "allowed are 1 to 86400 whole seconds, also as 5m, 24h or 1d");
		*colon = '\0';
	}
	tw_option_path(option, value);
}

static const struct tw_option options[] = {
	{ 0, "timeline", TW_FILE, &stream.file.path, "FILE[:SECONDS]",
	  .parse = parse, .group = TW_OUTPUT,
	  .help = "statistics each second, or SECONDS, as CSV" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	tw_file_add(&stream.file);
	if (stream.file.path)
		run->tick_ms = TW_TICK_MS;
}

static size_t room(const struct tw_run *run)
{
	return stream.file.path ? sizeof(struct tw_ring) : 0;
}

static void map_rows(const struct tw_run *run)
{
	int pair;

	rows = tw_memory_own(tw_config.pairs * sizeof(*rows));
	for (pair = 0; pair < tw_config.pairs; pair++)
		rows[pair].tally.params = run->pairs[pair]->tally.params;
}

static void print_names(int pair)
{
	static const char *const values[] = {
		"count", "min_ns", "avg_ns", "max_ns", "p99_ns",
	};
	char of[16] = "";
	size_t k;
	int i;

	if (tw_config.pairs > 1)
		snprintf(of, sizeof(of), ".%d", pair);
	fprintf(stream.text, ",missed%s", of);
	for (k = 0; k < ARRAY_SIZE(counts); k++)
		fprintf(stream.text, ",%s%s", counts[k].name, of);
	for (i = 0; i < tw_config.columns; i++)
		for (k = 0; k < ARRAY_SIZE(values); k++)
			fprintf(stream.text, ",%s_%s%s",
				tw_metrics[tw_config.metrics[i]].name,
				values[k], of);
}

static void begin(struct tw_run *run)
{
	int pair;

	start_ns = 0;
	begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	if (!stream.file.path || run->step)
		return;
	map_rows(run);
	tw_stream_open(&stream);
	fprintf(stream.text, "# twowaytest --timeline: a row every %" PRId64 " s, of the cycles since the row before\n"
		"# p99: %d %% of the row's values are not above it, within 1/1024; empty if there are fewer than %d\n"
		"step,seconds,unix_s", every_s, PERCENT, LEAST);
	for (pair = 0; pair < tw_config.pairs; pair++)
		print_names(pair);
	fprintf(stream.text, "\n");
}

/* The clock may have been set since then. */
static void start_at(int64_t t0_ns)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);

	start_ns = tw_clocks_monotonic_ns(t0_ns);
	if (start_ns < begin_ns || start_ns > now_ns)
		start_ns = now_ns;
	next_ns = start_ns + every_s * TW_NS_PER_S;
}

static void add(int pair, const struct tw_cycle *cycle)
{
	struct row *row = &rows[pair];
	int64_t values_ns[TW_SPANS];
	int i;

	if (!tw_cycle_end_ns(cycle)) {	/* its reply was lost, or it is left out */
		tw_tally_add(&row->tally, NULL, cycle->missed);
		return;
	}
	tw_metric_known(values_ns, cycle, &row->tally.params);
	tw_tally_add_known(&row->tally, values_ns, cycle->missed);
	for (i = 0; i < tw_config.columns; i++)
		if (values_ns[tw_config.metrics[i]] != TW_NO_VALUE)
			row->buckets[i][tw_buckets_of(
				values_ns[tw_config.metrics[i]])]++;
	any = true;
	if (!start_ns)
		start_at(tw_cycle_begin_ns(cycle));
}

static void print_metric(const struct tw_stats *of, const uint64_t *buckets)
{
	int64_t ns;

	if (!of->count) {
		fprintf(stream.text, ",0,,,,");
		return;
	}
	fprintf(stream.text, ",%" PRIu64 ",%" PRId64 ",%.1f,%" PRId64 ",",
		of->count, of->min, tw_stats_mean(of), of->max);
	if (of->count < LEAST)
		return;
	ns = tw_buckets_value(buckets, tw_buckets_rank(of->count, PERCENT));
	fprintf(stream.text, "%" PRId64, ns > of->max ? of->max :
		ns < of->min ? of->min : ns);
}

static void print_pair(const struct tw_run *run, int pair)
{
	struct row *row = &rows[pair];
	uint64_t count;
	size_t k;
	int i;

	fprintf(stream.text, ",%" PRIu64, row->tally.results.missed);
	for (k = 0; k < ARRAY_SIZE(counts); k++) {
		count = counts[k].count(run, pair);
		fprintf(stream.text, ",%" PRIu64,
			count - counts[k].before[pair]);
		counts[k].before[pair] = count;
	}
	for (i = 0; i < tw_config.columns; i++)
		print_metric(&row->tally.results.stats[tw_config.metrics[i]],
			     row->buckets[i]);
	memset(&row->tally.results, 0, sizeof(row->tally.results));
	memset(row->buckets, 0, tw_config.columns * sizeof(*row->buckets));
}

static void print_row(const struct tw_run *run, int64_t now_ns)
{
	int pair;

	fprintf(stream.text, "%d,%.3f,%.3f", run->step,
		(double)(now_ns - start_ns) / (double)TW_NS_PER_S,
		(double)tw_now_ns(CLOCK_REALTIME) / (double)TW_NS_PER_S);
	for (pair = 0; pair < tw_config.pairs; pair++)
		print_pair(run, pair);
	tw_stream_row(&stream);
	any = false;
}

/* If main or the reader is late, there are fewer rows, of a longer time. */
static void woken(struct tw_run *run)
{
	int64_t now_ns;

	if (!stream.file.path)
		return;
	tw_ring_take(run, &tw_part_timeline, add);
	now_ns = tw_now_ns(CLOCK_MONOTONIC);
	if (tw_stream_push(&stream, run) && start_ns && now_ns >= next_ns) {
		print_row(run, now_ns);
		next_ns = now_ns - (now_ns - start_ns) %
			  (every_s * TW_NS_PER_S) + every_s * TW_NS_PER_S;
		tw_stream_push(&stream, run);
	}
}

/* What is left of the step. */
static void end(struct tw_run *run)
{
	if (!stream.file.path)
		return;
	tw_ring_take(run, &tw_part_timeline, add);
	if (any)
		print_row(run, tw_now_ns(CLOCK_MONOTONIC));
	lost += tw_ring_lost(run, &tw_part_timeline);
	tw_stream_drain(&stream, run);
}

static void text(FILE *file, const struct tw_run *run)
{
	if (lost)
		fprintf(file, "# Not in the timeline: %" PRIu64 " cycles\n",
			lost);
}

static int write_timeline(const struct tw_run *run, int status)
{
	if (!stream.file.path)
		return 0;
	text(stream.text, run);
	return tw_stream_finish(&stream, run);
}

const struct tw_part tw_part_timeline = {
	.options = options, .check = check, .begin = begin, .woken = woken,
	.end = end, .room = room, .record = tw_ring_record, .lose = tw_ring_lose,
	.text = text, .write = write_timeline,
};
