// SPDX-License-Identifier: GPL-2.0-or-later
/* -b: ends the run at the first cycle that takes too long; --tracemark. */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "rt-error.h"
#include "rt-utils.h"
#include "tw_part.h"
#include "tw_text.h"
#include "tw_time.h"

/* Memory of a pair. */
struct room {
	struct tw_metric_params params;
	struct tw_cycle cycle;	/* the long one; seq 0: none */
};

static enum tw_metric_id metric = TW_LATENCY;
static int64_t limit_us;	/* 0: none */
static bool tracing;

static void parse(const struct tw_option *option, char *value)
{
	char *number = strchr(value, ':');
	int id = TW_LATENCY;

	if (number) {
		*number++ = '\0';
		for (id = 0; id < TW_METRICS; id++)
			if (!strcmp(value, tw_metrics[id].name))
				break;
		if (id == TW_METRICS)
			tw_option_refuse(option, value, "there is no such metric; see --metrics in twowaytest --help");
	}
	metric = id;
	tw_option_number(option, number ? number : value);
}

static const struct tw_option options[] = {
	{ 'b', "breaktrace", required_argument, "[METRIC:]US", parse,
	  &limit_us, 1, 1000000000,
	  "end the run at the first cycle whose latency, or\n"
	  "METRIC, is above US; the exit status is then 2" },
	{ 0, "tracemark", no_argument, NULL, tw_option_flag, &tracing,
	  .help = "with -b: then also write a mark to the kernel's trace\n"
		  "and stop the tracing that you have started" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	const struct tw_metric_params params = tw_config_params(0);

	if (tracing && !limit_us)
		fatal("--tracemark: allowed only with --breaktrace\n");
	if (!tw_metric_valid(metric, &params))
		fatal("--breaktrace=%s: needs a timer, so an --interval above 0\n",
		      tw_metrics[metric].name);
	if (tracing)
		enable_trace_mark();
}

static size_t room(const struct tw_run *run)
{
	return limit_us ? sizeof(struct room) : 0;
}

static void attach(struct tw_pair *pair, void *memory)
{
	struct room *to = memory;

	to->params = pair->tally.params;
}

static bool record(void *memory, const struct tw_cycle *cycle)
{
	struct room *to = memory;
	int64_t ns = tw_metrics[metric].value_ns(cycle, &to->params);

	if (ns <= limit_us * TW_NS_PER_US)
		return false;
	if (tracing) {
		tracemark("twowaytest: %s of %lld us exceeds %lld us",
			  tw_metrics[metric].name, (long long)tw_ns_to_us(ns),
			  (long long)limit_us);
		tracing_stop();
	}
	if (!to->cycle.seq)
		to->cycle = *cycle;
	return true;
}

/* The pair whose long cycle was the first; -1: none. */
static int broken_pair(const struct tw_run *run)
{
	int64_t first_ns = INT64_MAX;
	int pair, found = -1;

	for (pair = 0; limit_us && pair < tw_config.pairs; pair++) {
		struct room *of = tw_pair_room(run, pair, &tw_part_break);

		if (of->cycle.seq && of->cycle.t3_ns < first_ns) {
			first_ns = of->cycle.t3_ns;
			found = pair;
		}
	}
	return found;
}

static void end(struct tw_run *run)
{
	run->broken = broken_pair(run) >= 0;
}

static bool exceeded(const struct tw_run *run)
{
	return run->broken;
}

static int64_t value(const struct room *of, int id)
{
	return tw_text_whole(tw_metrics[id].value_ns(&of->cycle, &of->params));
}

static uint64_t number(const struct room *of)
{
	return of->cycle.seq - tw_config.warmup - 1;
}

static void text(FILE *file, const struct tw_run *run)
{
	int id, pair = broken_pair(run);
	const struct room *of;

	if (pair < 0)
		return;
	of = tw_pair_room(run, pair, &tw_part_break);
	fprintf(file, "# Break thread: %d\n# Break value: %" PRId64
		"\n# Break: pair %d, cycle %" PRIu64 ":",
		run->pairs[pair]->process[TW_CLIENT].pid, value(of, metric),
		pair, number(of));
	for (id = TW_LATENCY; id <= TW_TOTAL; id++)
		if (tw_metric_valid(id, &of->params))
			fprintf(file, "%s %s %" PRId64, id ? "," : "",
				tw_metrics[id].name, value(of, id));
	fprintf(file, "\n");
}

static void json(FILE *file, const struct tw_run *run)
{
	int id, pair = broken_pair(run);
	const struct room *of;

	if (!limit_us)
		return;
	fprintf(file, "    \"breaktrace\": { \"metric\": \"%s\", \"limit_us\": %"
		PRId64 " },\n    \"breaks\": [",
		tw_metrics[metric].name, limit_us);
	if (pair >= 0) {
		of = tw_pair_room(run, pair, &tw_part_break);
		fprintf(file, "{ \"pair\": %d, \"cycle\": %" PRIu64, pair,
			number(of));
		for (id = 0; id < TW_METRICS; id++)
			if (tw_metric_valid(id, &of->params))
				fprintf(file, ", \"%s\": %" PRId64,
					tw_metrics[id].name, value(of, id));
		fprintf(file, " }");
	}
	fprintf(file, "],\n");
}

const struct tw_part tw_part_break = {
	.options = options, .check = check, .room = room, .attach = attach,
	.record = record, .end = end, .exceeded = exceeded, .text = text,
	.json = json,
};
