// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --breaks, --on-break: the run goes on after a long cycle. The client counts
 * each, and keeps one whole until main has looked into it; those that come
 * meanwhile are counted by their phase alone.
 */
#include <inttypes.h>
#include <stdatomic.h>

#include "tw_break.h"
#include "tw_cause.h"
#include "tw_causes.h"
#include "tw_clocks.h"
#include "tw_memory.h"
#include "tw_on_break.h"
#include "tw_part.h"
#include "tw_text.h"
#include "tw_time.h"
#include "tw_trace.h"

#define ROWS	(TW_CAUSES + 2 * TW_METRICS + 1)	/* one is not used */

/* Memory of a pair; the client writes it, but for what is said. */
struct room {
	/* Main has to look into the cycle in struct tw_break; it clears this. */
	_Atomic bool kept;
	enum tw_metric_id phase;	/* of this cycle */
	int64_t at_ns;	/* likewise, its end: known before a clock is set */
	struct tw_causes_row rows[TW_METRICS];	/* by phase: the other ones */
	struct tw_break *of;		/* these two by main */
	const struct tw_pair *pair;
};

static int64_t most;		/* --breaks; 0: not given */
static atomic_long *total;	/* of all pairs, which share it */
static int64_t begin_ns;	/* CLOCK_MONOTONIC, as those of the rows */
/* Of what kind is the phase; cause "": not known without --trace. */
static struct tw_causes_row rows[ROWS];
static struct tw_break longest;
static int longest_pair;
static bool traced;		/* causes were looked for */

static const struct tw_option options[] = {
	{ 0, "breaks", TW_NUMBER, &most, NULL, 1, 1000000000,
	  .with = "--breaktrace",
	  .help = "with -b: end at the Nth one; print a table of causes" },
	{ 0, "on-break", TW_TEXT, &tw_on_break.command, "COMMAND",
	  .parse = tw_on_break_parse, .with = "--breaktrace",
	  .help = "with -b: run it, at most 10 s; its input has the cause" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	const char *option = most ? "breaks" : "on-break";

	if (!most && !tw_on_break.command)
		return;
	if (tw_config.absent[TW_SERVER])
		tw_say_fatal("--%s: not allowed with --connect without --reflect\n",
			     option);
	if (run->steps > 1)
		tw_say_fatal("--%s: not allowed with --steps\n", option);
	if (!most)
		most = 1;
	tw_break_ends = false;
	run->tick_ms = TW_TICK_MS;
}

static size_t room(const struct tw_run *run)
{
	return most ? sizeof(struct room) : 0;
}

static struct room *room_of(const struct tw_run *run, int pair)
{
	return tw_pair_room(run, pair, &tw_part_breaks);
}

static void begin(struct tw_run *run)
{
	int pair;

	if (!most)
		return;
	for (pair = 0; pair < tw_config.pairs; pair++) {
		room_of(run, pair)->of = tw_pair_room(run, pair,
						      &tw_part_break);
		room_of(run, pair)->pair = run->pairs[pair];
	}
	total = tw_memory_shared(sizeof(*total));
	begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	tw_on_break_begin();
}

/* The part of the metric that exceeds what is usual by most. */
static enum tw_metric_id worst_phase(const struct room *of,
				     const int64_t values_ns[])
{
	const struct tw_pair *pair = of->pair;
	enum tw_metric_id id, worst = tw_trace_whole(of->of->metric);
	double excess_ns, most_ns = 0;

	for (id = 0; id < TW_METRICS; id++) {
		if (!tw_trace_has(of->of, id) || values_ns[id] == TW_NO_VALUE ||
		    !tw_metric_valid(id, &pair->tally.params))
			continue;
		excess_ns = (double)values_ns[id] -
			    tw_tally_usual_ns(&pair->tally,
					      &pair->tally.results, id,
					      values_ns[id]);
		if (excess_ns > most_ns) {
			most_ns = excess_ns;
			worst = id;
		}
	}
	return worst;
}

/* After those of -b and --trace. */
static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct room *to = memory;
	bool exceeds = tw_break_exceeds(values_ns);
	enum tw_metric_id phase;
	int64_t at_ns;

	if (exceeds) {
		phase = worst_phase(to, values_ns);
		at_ns = tw_clocks_monotonic_ns(tw_cycle_end_ns(cycle));
		if (to->of->cycle.seq != cycle->seq) {
			tw_causes_add_one(&to->rows[phase],
					  values_ns[to->of->metric], at_ns);
		} else {
			to->phase = phase;
			to->at_ns = at_ns;
			atomic_store_explicit(&to->kept, true,
					      memory_order_release);
		}
	}
	/* Main has looked into the one that was kept: for another. */
	if (!atomic_load_explicit(&to->kept, memory_order_acquire))
		to->of->cycle.seq = 0;
	return exceeds && atomic_fetch_add(total, 1) + 1 >= most;
}

/* Without --trace, there is nothing to be looked into. */
static const char *not_looked(void)
{
	return traced ? TW_CAUSES_NOT_LOOKED : "";
}

static void look(const struct tw_run *run, int pair, enum tw_metric_id phase)
{
	const struct tw_break *of = room_of(run, pair)->of;
	const struct tw_cause *cause = tw_trace_look(run, pair);
	struct tw_causes_row *row = tw_causes_row(rows,
		cause && !cause->lacks ? tw_metric_find(cause->span.name) :
		phase, cause ? cause->brief : "");

	tw_causes_add_one(row, of->values_ns[of->metric],
			  room_of(run, pair)->at_ns);
	traced = cause;
	tw_on_break_start((struct tw_on_break_about[]) {
		{ "US", NULL, tw_ns_to_us(of->values_ns[of->metric]) },
		{ "METRIC", tw_metrics[of->metric].name, 0 }, { "PAIR", NULL, pair },
		{ "CYCLE", NULL, (int64_t)tw_break_number(of) },
		{ "PHASE", tw_metrics[row->kind].name, 0 },
		{ "CAUSE", cause ? cause->sentence : "", 0 }, { .name = NULL }
	}, tw_trace_print);
	if (!longest.cycle.seq || of->values_ns[of->metric] >
				  longest.values_ns[longest.metric]) {
		longest = *of;
		longest_pair = pair;
	}
}

/* Of several pairs, the first one is looked into. */
static void take(const struct tw_run *run)
{
	bool taken[TW_PAIRS_MAX];
	int pair, first = -1;

	for (pair = 0; pair < tw_config.pairs; pair++) {
		struct room *of = room_of(run, pair);

		taken[pair] = atomic_load_explicit(&of->kept,
						   memory_order_acquire);
		if (taken[pair] &&
		    (first < 0 || of->at_ns < room_of(run, first)->at_ns))
			first = pair;
	}
	if (first < 0)
		return;
	look(run, first, room_of(run, first)->phase);
	tw_trace_resume();
	for (pair = 0; pair < tw_config.pairs; pair++) {
		struct room *of = room_of(run, pair);

		if (taken[pair] && pair != first)
			tw_causes_add_one(tw_causes_find(rows, of->phase,
							 not_looked()),
					  of->of->values_ns[of->of->metric],
					  of->at_ns);
		if (taken[pair])
			atomic_store_explicit(&of->kept, false,
					      memory_order_release);
	}
}

static void woken(struct tw_run *run)
{
	if (!most)
		return;
	tw_on_break_watch();
	take(run);
}

/* What the clients have counted. */
static void add_others(const struct tw_run *run)
{
	int pair, id;

	for (pair = 0; pair < tw_config.pairs; pair++)
		for (id = 0; id < TW_METRICS; id++) {
			const struct tw_causes_row *from =
				&room_of(run, pair)->rows[id];

			if (from->count)
				tw_causes_add(tw_causes_find(rows, id,
							     not_looked()),
					      from);
		}
}

/* The others print the longest cycle, as if it had ended the run. */
static void end(struct tw_run *run)
{
	int pair;

	if (!most)
		return;
	take(run);
	add_others(run);
	tw_causes_sort(rows, ROWS);
	for (pair = 0; pair < tw_config.pairs; pair++)
		room_of(run, pair)->of->cycle.seq = 0;
	if (longest.cycle.seq)
		*room_of(run, longest_pair)->of = longest;
	run->broken |= *total >= most;
	tw_on_break_end();
}

static double seconds(int64_t at_ns)
{
	return (double)(at_ns - begin_ns) / (double)TW_NS_PER_S;
}

static void text(FILE *file, const struct tw_run *run)
{
	const struct tw_causes_row *row;

	if (!most)
		return;
	fprintf(file, "# Breaks: %ld\n", *total);
	if (*total)
		tw_causes_print_head(file);
	for (row = rows; row->count; row++)
		fprintf(file, "# %8" PRIu64 " %10" PRId64 " %10.3f %10.3f  %s%s%s\n",
			row->count, tw_text_whole(row->longest_ns),
			seconds(row->first_ns), seconds(row->last_ns),
			tw_metrics[row->kind].name, *row->cause ? ": " : "",
			row->cause);
	tw_on_break_text(file);
}

/* What the JSON says of a row. */
struct told {
	const char *phase, *cause;
	uint64_t count;
	int64_t longest;
	double first_s, last_s;
};

static const void *next_cause(const void *of, int *i, const char **key)
{
	static struct told told;
	const struct tw_causes_row *row = &rows[*i];

	told = (struct told) {
		tw_metrics[row->kind].name, *row->cause ? row->cause : NULL,
		row->count, tw_text_whole(row->longest_ns),
		seconds(row->first_ns), seconds(row->last_ns)
	};
	return row->count ? &told : NULL;
}

static const struct tw_member of_cause[] = {
	{ TW_NAMED(struct told, phase), TW_STRING, "The phase.",
	  .word = tw_metric_word },
	{ TW_NAMED(struct told, cause), TW_STRING,
	  "For people; null: without --trace.", "'minLength': 1",
	  .nullable = true },
	{ TW_NAMED(struct told, count), TW_INTEGER, "How many cycles.",
	  "'minimum': 1" },
	{ TW_NAMED(struct told, longest), TW_INTEGER, "The largest value." },
	{ TW_NAMED(struct told, first_s), TW_REAL, "When the first one ended, in s from the start.",
	  .format = "%.6f" },
	{ TW_NAMED(struct told, last_s), TW_REAL, "When the last one ended.",
	  .format = "%.6f" },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "causes", TW_NOWHERE, TW_ARRAY, "--breaks: the long cycles by phase and cause, the most frequent first.",
	  "'maxItems': 84", TW_IF(most),
	  .next = next_cause, .of = of_cause },
	{ .name = NULL }
};

const struct tw_part tw_part_breaks = {
	.options = options, .group = TW_TOO_LONG, .check = check, .room = room,
	.begin = begin, .woken = woken, .end = end, .record = record,
	.text = text, .tells_end = true, .members[TW_OF_RUN] = members,
};
