// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --timeline: a row of statistics every second. main computes it from the
 * statistics that there are in any case: the client does nothing for it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "rt-utils.h"
#include "base/tw_lapse.h"
#include "base/tw_system.h"
#include "base/tw_time.h"
#include "result/tw_part_result.h"
#include "run/tw_columns.h"
#include "run/tw_session.h"

#define EVERY_MOST	86400
#define PERCENT		99
#define COPIES		10	/* more than a closed loop lets be whole */
#define LOOKS		10000	/* at least 10 us: a write takes less */

static struct {
	const char *path;
	int64_t every_s;
	struct tw_file file;
} set;
static const __typeof__(set) initial = { .every_s = 1 };

static const char *const count_names[] = { "missed", "throttled", "lost" };
static const char *const value_names[] = {
	"count", "min_ns", "avg_ns", "max_ns", "p99_ns",
};

struct counts {
	uint64_t missed, throttled, lost;
};

/* Of the current step. */
static struct {
	/* Of each metric of each pair; then of the pair that is looked at. */
	struct tw_past *past;
	size_t size;
	struct counts counts[TW_PAIRS_MAX];
	int64_t start_ns;	/* CLOCK_MONOTONIC; 0: nothing is measured */
	int64_t next_ns;	/* when the next row is due, since then */
} line;

static const struct tw_option options[] = {
	{ 0, "timeline", TW_ARGUMENT, "FILE", tw_option_file, &set.path,
	  .help = "write statistics of each second to FILE, as CSV" },
	{ 0, "timeline-every", TW_ARGUMENT, "TIME", tw_option_duration,
	  &set.every_s, 1, EVERY_MOST,
	  .help = "with --timeline: a row every TIME, in seconds (1) or\n"
		  "with m or h appended" },
	{ .name = NULL }
};

static int check(struct tw_run *run)
{
	if (!set.path && tw_option_given(run, "timeline-every"))
		return tw_fail(run, -EINVAL, "--timeline-every=%d: no timeline is written; give --timeline=FILE too",
			       (int)set.every_s);
	return 0;
}

static void print_names(FILE *file, const struct tw_config *config,
			unsigned int pair)
{
	char of[TW_SUFFIX];
	size_t k;
	int i;

	tw_config_suffix(config, pair, of);
	for (k = 0; k < ARRAY_SIZE(count_names); k++)
		fprintf(file, ",%s%s", count_names[k], of);
	for (i = 0; i < config->metric_count; i++)
		for (k = 0; k < ARRAY_SIZE(value_names); k++)
			fprintf(file, ",%s_%s%s",
				tw_metrics[config->metrics[i]].token,
				value_names[k], of);
}

static void print_head(FILE *file)
{
	unsigned int pair;

	fprintf(file, "# twowaytest --timeline: a row every %d s, of the cycles since the row before\n",
		(int)set.every_s);
	fprintf(file, "# min, max and p99: middles of buckets, within 1/1024 of the value; a min or max that is the first of its size in the step is exact, and so is avg\n");
	fprintf(file, "# p99: %d %% of the row's values are not above it; empty if there are fewer than %d\n",
		PERCENT, TW_LAPSE_LEAST);
	fprintf(file, "step,seconds,unix_s");
	for (pair = 0; pair < tw_config->pairs.count; pair++)
		print_names(file, tw_config, pair);
	fprintf(file, "\n");
}

static int open_timeline(struct tw_run *run)
{
	int err;

	if (!set.path)
		return 0;
	line.size = (tw_config->pairs.count + 1) *
		    (size_t)tw_config->metric_count * sizeof(*line.past);
	line.past = tw_system_map_own(line.size);
	if (!line.past) {
		err = -errno;
		return tw_fail(run, err, "--timeline: no memory for %zu KiB of earlier results: %s; give fewer --threads or --metrics",
			       line.size / 1024, strerror(-err));
	}
	tw_run_tick_at(run, (int)set.every_s * 1000);
	print_head(set.file.flow.stream);
	return tw_output_push(run, &set.file, 0);
}

static int begin(struct tw_run *run)
{
	const unsigned int count = tw_config->pairs.count *
				   (unsigned int)tw_config->metric_count;
	unsigned int i;

	(void)run;
	for (i = 0; line.past && i < count; i++)
		tw_past_start(&line.past[i]);
	memset(line.counts, 0, sizeof(line.counts));
	line.start_ns = 0;
	line.next_ns = set.every_s * TW_NS_PER_S;
	return 0;
}

/* When the first pair's first measured cycle began; false: not yet. */
static bool find_start(const struct tw_session *session)
{
	const struct tw_pair *first = tw_session_pair(session, 0);
	const struct tw_clock *clock = &session->clock;
	const struct tw_tally *tally;
	uint32_t version;
	int64_t t0_ns;

	if (line.start_ns || !first)
		return line.start_ns;
	tally = first->tally;
	version = tw_series_version(&tally->series);
	t0_ns = tally->first_seq ? tally->start_ns : 0;
	if (tw_series_is_still(&tally->series, version) && t0_ns)
		line.start_ns = t0_ns - tw_clock_about_ahead_ns(clock,
							CLOCK_MONOTONIC);
	return line.start_ns;
}

/* Amid a write, touching the data would only take them from the writer. */
static uint32_t await_still(const struct tw_series *series)
{
	int left = LOOKS;
	uint32_t version;

	do
		version = tw_series_version(series);
	while (version & 1 && --left);
	return version;
}

/* As it is now. If there is no time between two cycles, some are in parts. */
static struct counts copy_pair(const struct tw_tally *tally,
			       struct tw_past *now)
{
	int i, left = COPIES;
	struct counts counts;
	uint32_t version;

	do {
		version = await_still(&tally->series);
		counts = (struct counts) {
			.missed = tally->missed, .lost = tally->lost,
			.throttled = tally->throttled,
		};
		for (i = 0; i < tw_config->metric_count; i++)
			tw_past_copy(&now[i], &tally->series.row[
				     tw_config->metrics[i]].stats);
	} while (!tw_series_is_still(&tally->series, version) && --left);
	return counts;
}

static void print_metric(FILE *file, const struct tw_lapse *lapse,
			 bool is_void)
{
	fprintf(file, ",%" PRIu64, lapse->count);
	if (is_void || !lapse->count)
		fprintf(file, ",,,,");
	else if (!lapse->has_values)
		fprintf(file, ",,%.1f,,", lapse->mean_ns);
	else
		fprintf(file, ",%" PRId64 ",%.1f,%" PRId64 ",", lapse->min_ns,
			lapse->mean_ns, lapse->max_ns);
	if (!is_void && lapse->has_percentile)
		fprintf(file, "%" PRId64, lapse->percentile_ns);
}

static void print_pair(FILE *file, const struct tw_pair *pair)
{
	const int count = tw_config->metric_count;
	struct tw_past *now = &line.past[tw_config->pairs.count * count];
	struct tw_past *before = &line.past[pair->number * count];
	const struct counts last = line.counts[pair->number];
	struct counts counts = copy_pair(pair->tally, now);
	struct tw_lapse lapse;
	int i;

	line.counts[pair->number] = counts;
	fprintf(file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
		counts.missed - last.missed, counts.throttled - last.throttled,
		counts.lost - last.lost);
	for (i = 0; i < count; i++) {
		tw_lapse_take(&lapse, &before[i], &now[i], PERCENT);
		print_metric(file, &lapse, tw_pair_column(
			pair, tw_config->metrics[i]).is_void);
	}
}

/* A ramp of pairs has none in the columns of those that are still to come. */
static void print_row(const struct tw_run *run, int64_t since_ns)
{
	const double unix_s = (double)tw_now_ns(CLOCK_REALTIME) / 1e9;
	const size_t columns = ARRAY_SIZE(count_names) +
			       ARRAY_SIZE(value_names) *
			       (size_t)tw_config->metric_count;
	FILE *file = set.file.flow.stream;
	const struct tw_pair *pair;
	unsigned int k;
	size_t i;

	fprintf(file, "%d,%.3f,%.3f", run->step,
		(double)since_ns / (double)TW_NS_PER_S, unix_s);
	for (k = 0; k < tw_config->pairs.count; k++) {
		pair = tw_session_pair(tw_session(run), k);
		if (pair)
			print_pair(file, pair);
		for (i = 0; !pair && i < columns; i++)
			fputc(',', file);
	}
	fprintf(file, "\n");
}

/*
 * Ticks come at intervals of their own: the one that is nearest is taken. If
 * a reader is slow, there are fewer rows, of a longer time.
 */
static int tick(struct tw_run *run)
{
	const int64_t every_ns = set.every_s * TW_NS_PER_S;
	const int64_t half_ns = run->tick_ms * TW_NS_PER_MS / 2;
	int64_t since_ns;

	if (!line.past)
		return 0;
	if (find_start(tw_session(run)) &&
	    tw_flow_behind(&set.file.flow) < TW_OUTPUT_KEPT) {
		since_ns = tw_now_ns(CLOCK_MONOTONIC) - line.start_ns;
		if (since_ns + half_ns >= line.next_ns) {
			print_row(run, since_ns);
			line.next_ns = ((since_ns + half_ns) / every_ns + 1) *
				       every_ns;
		}
	}
	return tw_output_push(run, &set.file, 0);
}

/* What is left of the step. */
static void end(struct tw_run *run)
{
	if (!line.past || run->unwritten || !find_start(tw_session(run)))
		return;
	print_row(run, tw_now_ns(CLOCK_MONOTONIC) - line.start_ns);
	tw_output_push(run, &set.file, 0);
}

static void close_timeline(struct tw_run *run)
{
	(void)run;
	if (line.past)
		munmap(line.past, line.size);
	line.past = NULL;
}

static const struct tw_result result = {
	.option = "timeline", .path = &set.path, .file = &set.file,
};

const struct tw_part tw_part_timeline = {
	.name = "timeline", .options = options, TW_SETTINGS(set, initial),
	.check = check, .open = open_timeline, .begin = begin, .tick = tick,
	.end = end, .close = close_timeline, .result = &result,
};
