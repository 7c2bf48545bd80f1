// SPDX-License-Identifier: GPL-2.0-or-later
/* The cost of measuring: in the JSON, and with -v in the text. */
#include <inttypes.h>
#include <stdio.h>

#include "base/tw_json.h"
#include "frame/tw_run.h"
#include "result/tw_part_result.h"
#include "run/tw_session.h"

static void measure(struct tw_pair *pair)
{
	tw_cost_measure(&pair->cost, &pair->task.clock, &pair->tally->params);
}

/* The same for all pairs: the first one has the time. */
static void attach(struct tw_run *run, struct tw_pair *pair, void *memory)
{
	(void)run;
	(void)memory;
	if (!pair->number)
		pair->prepare = measure;
}

/* That of the first step. */
static void merge(struct tw_pair *sum, const struct tw_pair *pair)
{
	if (!sum->cost.cycle.max_ns)
		sum->cost = pair->cost;
}

static void print_spread(FILE *file, const char *what,
			 const struct tw_spread *spread)
{
	fprintf(file, "# %s: min %" PRId64 " avg %.0f max %" PRId64 " ns",
		what, spread->min_ns, spread->avg_ns, spread->max_ns);
}

static void remarks(FILE *file, const struct tw_run *run)
{
	const struct tw_cost *cost = &tw_session_first(tw_session(run))->cost;
	char what[64];

	if (!tw_output_shows_cycles(run))
		return;
	snprintf(what, sizeof(what), "Clock %s, read",
		 tw_session(run)->config->clock);
	print_spread(file, what, &cost->clock);
	fprintf(file, ", resolution %" PRId64 " ns\n", cost->resolution_ns);
	print_spread(file, "Shortest sleep", &cost->sleep);
	fprintf(file, "\n");
	print_spread(file, "Cycle without its system calls", &cost->cycle);
	fprintf(file, "\n");
}

static void json_spread(struct tw_json *json, const char *key,
			const struct tw_spread *spread)
{
	tw_json_begin_line(json, key, '{');
	tw_json_int(json, "min", spread->min_ns);
	tw_json_real(json, "avg", spread->avg_ns, 1);
	tw_json_int(json, "max", spread->max_ns);
	tw_json_end(json);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_cost *cost = &tw_session_first(tw_session(run))->cost;

	tw_json_begin(json, "cost", '{');
	json_spread(json, "clock_read_ns", &cost->clock);
	json_spread(json, "shortest_sleep_ns", &cost->sleep);
	json_spread(json, "empty_cycle_ns", &cost->cycle);
	tw_json_int(json, "clock_resolution_ns", cost->resolution_ns);
	tw_json_end(json);
}

const struct tw_part tw_part_cost = {
	.name = "cost", .attach = attach, .merge = merge,
	.remarks = remarks, .json = json,
};
