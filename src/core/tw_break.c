// SPDX-License-Identifier: GPL-2.0-or-later
/* -b: ends the run at the first cycle that takes too long; --tracemark. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tw_break.h"
#include "tw_mark.h"
#include "tw_part.h"
#include "tw_say.h"
#include "tw_text.h"
#include "tw_time.h"

void (*tw_break_more)(FILE *file);
bool tw_break_ends = true;

static enum tw_metric_id metric = TW_LATENCY;
int64_t tw_break_limit_us;
static bool tracing;
static int broken_step;		/* the one that it ended */

static const struct tw_option options[] = {
	{ 'b', "breaktrace", TW_LIMIT, &tw_break_limit_us, NULL, 1, 1000000000,
	  .metric = &metric, .far = TW_ASKED,
	  .help = "end the run at the first cycle whose latency, or\n"
		  "METRIC, is above US; the exit status is then 2" },
	{ 0, "tracemark", TW_FLAG, &tracing, .with = "--breaktrace",
	  .help = "with -b: at that cycle, write a mark into the kernel's\n"
		  "trace and stop tracing, which you must have started" },
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

/* The known values of the long cycle, each with its name. */
static void print_values(FILE *file, const struct tw_break *of,
			 const char *format)
{
	const struct tw_metric_params params = tw_config_params(0);
	int id;

	for (id = 0; id < TW_SPANS; id++)
		if ((id < TW_METRICS || id == (int)metric) &&
		    tw_metric_valid(id, &params) &&
		    of->values_ns[id] != TW_NO_VALUE)
			fprintf(file, format, tw_metrics[id].name,
				(long long)tw_text_whole(of->values_ns[id]));
}

static void text(FILE *file, const struct tw_run *run)
{
	int pair = tw_break_pair(run);
	const struct tw_break *of;

	if (pair < 0)
		return;
	of = tw_pair_room(run, pair, &tw_part_break);
	fprintf(file, "# Break thread: %d\n# Break value: %" PRId64
		"\n# Break: ", run->pairs[pair]->process[TW_CLIENT].pid,
		tw_text_whole(of->values_ns[metric]));
	if (run->steps > 1)
		fprintf(file, "step %d, ", broken_step + 1);
	fprintf(file, "pair %d, cycle %" PRIu64 ":", pair, tw_break_number(of));
	print_values(file, of, " %s %lld");
	fprintf(file, "\n");
}

static void json(FILE *file, const struct tw_run *run)
{
	int pair = tw_break_pair(run);
	const struct tw_break *of;

	fprintf(file, "    \"breaks\": [");
	if (pair >= 0) {
		of = tw_pair_room(run, pair, &tw_part_break);
		fprintf(file, "{ \"metric\": \"%s\", \"pair\": %d, \"cycle\": %"
			PRIu64, tw_metrics[metric].name, pair,
			tw_break_number(of));
		print_values(file, of, ", \"%s\": %lld");
		if (tw_break_more)
			tw_break_more(file);
		fprintf(file, " }");
	}
	fprintf(file, "],\n");
}

const struct tw_part tw_part_break = {
	.options = options, .group = TW_TOO_LONG, .check = check, .room = room,
	.record = record, .end = end, .exceeded = exceeded, .text = text,
	.tells_end = true, .json = json,
};
