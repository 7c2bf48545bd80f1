// SPDX-License-Identifier: GPL-2.0-or-later
/* -b: ends the run at the first cycle that takes too long; --tracemark. */
#include <inttypes.h>
#include <string.h>

#include "tw_break.h"
#include "tw_members.h"
#include "tw_mark.h"
#include "tw_part.h"
#include "tw_text.h"
#include "tw_time.h"

bool tw_break_ends = true;

static enum tw_metric_id metric = TW_LATENCY;
int64_t tw_break_limit_us;
static bool tracing;
static int broken_step;		/* the one that it ended */

static const struct tw_option options[] = {
	{ 'b', "breaktrace", TW_LIMIT, &tw_break_limit_us, NULL, 1, 1000000000,
	  .metric = &metric, .far = TW_ASKED,
	  .help = "end at the first cycle above US; exit status 2" },
	{ 0, "tracemark", TW_FLAG, &tracing, .with = "--breaktrace",
	  .help = "with -b: write a mark into your trace, and stop it" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	const struct tw_metric_params params = tw_config_params(0);

	if (!tw_metric_valid(metric, &params))
		tw_say_fatal("--breaktrace=%s: %s\n", tw_metrics[metric].name,
			     tw_metric_lacks(metric, &params));
	if (tracing)
		tw_mark_open();
}

static size_t room(const struct tw_run *run)
{
	return tw_break_limit_us ? sizeof(struct tw_break) : 0;
}

bool tw_break_exceeds(const int64_t values_ns[])
{
	return values_ns[metric] > tw_break_limit_us * TW_NS_PER_US;
}

static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct tw_break *to = memory;

	if (to->cycle.seq || !tw_break_exceeds(values_ns))
		return false;
	if (tracing) {
		tw_mark_write("twowaytest: %s of %lld us exceeds %lld us",
			      tw_metrics[metric].name,
			      (long long)tw_ns_to_us(values_ns[metric]),
			      (long long)tw_break_limit_us);
		tw_mark_stop();
	}
	to->metric = metric;
	to->cycle = *cycle;
	memcpy(to->values_ns, values_ns, sizeof(to->values_ns));
	return tw_break_ends;
}

int tw_break_pair(const struct tw_run *run)
{
	int64_t first_ns = INT64_MAX;
	int pair, found = -1;

	for (pair = 0; tw_break_limit_us && pair < tw_config.pairs; pair++) {
		struct tw_break *of = tw_pair_room(run, pair, &tw_part_break);

		if (of->cycle.seq &&
		    tw_cycle_end_ns(&of->cycle) < first_ns) {
			first_ns = tw_cycle_end_ns(&of->cycle);
			found = pair;
		}
	}
	return found;
}

uint64_t tw_break_number(const struct tw_break *of)
{
	return of->cycle.seq - tw_config.warmup - 1;
}

static void end(struct tw_run *run)
{
	if (!tw_break_ends || tw_break_pair(run) < 0)
		return;
	run->broken = true;
	broken_step = run->step;
}

static bool exceeded(const struct tw_run *run)
{
	return tw_break_pair(run) >= 0;
}

static bool has_value(const struct tw_break *of, int id)
{
	const struct tw_metric_params params = tw_config_params(0);

	return (id < TW_METRICS || id == (int)metric) &&
	       tw_metric_valid(id, &params) &&
	       of->values_ns[id] != TW_NO_VALUE;
}

static void text(FILE *file, const struct tw_run *run)
{
	int pair = tw_break_pair(run);
	const struct tw_break *of;
	int id;

	if (pair < 0)
		return;
	of = tw_pair_room(run, pair, &tw_part_break);
	fprintf(file, "# Break thread: %d\n# Break value: %" PRId64
		"\n# Break: ", run->pairs[pair]->process[TW_CLIENT].pid,
		tw_text_whole(of->values_ns[metric]));
	if (run->steps > 1)
		fprintf(file, "step %d, ", broken_step + 1);
	fprintf(file, "pair %d, cycle %" PRIu64 ":", pair, tw_break_number(of));
	for (id = 0; id < TW_SPANS; id++)
		if (has_value(of, id))
			fprintf(file, " %s %" PRId64, tw_metrics[id].name,
				tw_text_whole(of->values_ns[id]));
	fprintf(file, "\n");
}

/* What the JSON says of it. */
struct told {
	const char *metric;
	int pair;
	uint64_t cycle;
	const struct tw_break *of;
};

static const void *next_break(const void *of, int *i, const char **key)
{
	static struct told told;
	int pair = tw_break_pair(of);

	if (*i || pair < 0)
		return NULL;
	told.of = tw_pair_room(of, pair, &tw_part_break);
	told.metric = tw_metrics[metric].name;
	told.pair = pair;
	told.cycle = tw_break_number(told.of);
	return &told;
}

static const void *next_value(const void *of, int *i, const char **key)
{
	const struct tw_break *from = ((const struct told *)of)->of;

	while (*i < TW_SPANS && !has_value(from, *i))
		++*i;
	if (*i == TW_SPANS)
		return NULL;
	*key = tw_metrics[*i].name;
	return &from->values_ns[*i];
}

static const struct tw_member of_break[] = {
	{ TW_NAMED(struct told, metric), TW_STRING, "The one above its limit.",
	  .word = tw_metric_any_word },
	{ TW_NAMED(struct told, pair), TW_COUNT, "Number of the pair." },
	{ TW_NAMED(struct told, cycle), TW_COUNT, "From 0, without the warm-up." },
	{ "values", TW_NOWHERE, TW_MAP, "Those of the cycle in ns, by span; a part of network or response only if the metric is that.",
	  "'dependentRequired': { 'latency': [ 'response', 'interval' ], 'response': [ 'latency' ], " TW_TOGETHER " }",
	  .word = tw_metric_any_word, .next = next_value,
	  .of = TW_EACH(TW_SELF(int64_t), TW_INTEGER, "A value.") },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "breaks", TW_NOWHERE, TW_ARRAY, "The cycle that ended the run; with --breaks, the longest one that was looked into.",
	  "'maxItems': 1", .next = next_break, .of = of_break,
	  .parts = TW_OF_BREAK,
	  .each = "'dependentRequired': { 'trace_file': [ 'cause' ], 'cause': [ 'trace_file' ] }" },
	{ .name = NULL }
};

const struct tw_part tw_part_break = {
	.options = options, .group = TW_TOO_LONG, .check = check, .room = room,
	.record = record, .end = end, .exceeded = exceeded, .text = text,
	.tells_end = true, .members[TW_OF_RUN] = members,
};
