// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdlib.h>

#include "tw_cut.h"
#include "tw_part.h"
#include "tw_text.h"
#include "tw_time.h"

static struct cut {
	int pair, step;
	struct tw_cycle cycle;
	int64_t values_ns[TW_SPANS];	/* TW_NO_VALUE: does not count */
	/* The interval that its t0 begins, until then, if longer than any; or 0 */
	int64_t begun_ns;
} *cuts;
static int count;

/* When the client woke up, what ended then was known... */
static bool is_exact(const struct tw_cycle *cycle, enum tw_metric_id id)
{
	return cycle->t0_ns && tw_metrics[id].span[1] == TW_T0;
}

/* ...and if it has asked just then, of the others as much as at any end. */
static bool is_usual(const struct cut *cut, enum tw_metric_id id)
{
	return cut->cycle.t0_ns && !cut->cycle.t3_ns &&
	       cut->values_ns[id] == TW_NO_VALUE;
}

/* Without a cycle before it: longer than usual. */
static int64_t longest_ns(const struct tw_pair *pair, enum tw_metric_id id)
{
	const struct tw_stats *stats = &pair->tally.results.stats[id];
	const struct tw_metric_params *params = &pair->tally.params;

	return stats->count ? stats->max :
	       params->period_ns > params->sleep_ns ? params->period_ns :
	       params->sleep_ns;
}

static bool is_longest(const struct tw_pair *pair, const struct tw_cycle *cycle,
		       enum tw_metric_id id)
{
	return tw_metric_ns(id, cycle, &pair->tally.params) >
	       longest_ns(pair, id);
}

/*
 * Of the expiries that have passed, the next cycle would have been for the
 * oldest; the others were missed. @timer: the client's, at its last wake-up.
 * Returns whether the clock was set meanwhile.
 */
static bool plan(struct tw_cycle *cycle, struct tw_timer timer)
{
	int64_t due = 0;

	timer.ops->settle(&timer, cycle->t0_ns ? cycle->t0_ns : cycle->cut_ns);
	tw_cycle_plan(cycle, timer.planned_ns);
	if (timer.period_ns && cycle->cut_ns > timer.planned_ns)
		due = (cycle->cut_ns - timer.planned_ns) / timer.period_ns;
	if (!cycle->t0_ns)
		cycle->missed = (uint64_t)due;
	else if (due > (int64_t)timer.missed)
		cycle->missed = (uint64_t)due - 1;
	else
		cycle->missed = timer.missed;
	return timer.watch.doubts;
}

/*
 * What the client was at in its measured cycles; false: it had none to be
 * completed. One that was killed has left the cycle as it was, and lived until main
 * has seen it, or until the last time that it has taken, if that was later. If the
 * clock was set meanwhile, nothing else is known of the cycle.
 */
static bool find(const struct tw_pair *pair, struct tw_cycle *cycle,
		 bool *was_set)
{
	*cycle = pair->progress.cycle;
	if (cycle->seq <= (uint64_t)tw_config.warmup)
		return false;
	if (!cycle->cut_ns) {
		cycle->cut_ns = pair->alive_ns;
		if (cycle->t0_ns == cycle->prev_t0_ns)
			cycle->t0_ns = 0;
		else if (cycle->t3_ns >= cycle->t0_ns)
			return false;
		else if (cycle->cut_ns < cycle->t0_ns)
			cycle->cut_ns = cycle->t0_ns;
	}
	tw_cycle_forget(cycle);
	*was_set = plan(cycle, pair->progress.timer);
	if (!cycle->t0_ns)
		return true;
	cycle->t3_ns = cycle->cut_ns;
	if (!is_longest(pair, cycle, TW_RESPONSE))
		cycle->t3_ns = 0;
	return true;
}

/* As the client does with a cycle in which the clock was set. */
static void leave_out(struct tw_run *run, int number,
		      const struct tw_cycle *cycle)
{
	const struct tw_cycle left = {
		.seq = cycle->seq, .missed = cycle->missed
	};
	int i;

	tw_tally_add(&run->pairs[number]->tally, NULL, left.missed);
	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->lose && tw_pair_room(run, number, tw_parts[i]))
			tw_parts[i]->lose(tw_pair_room(run, number,
						       tw_parts[i]), &left);
}

static void append(const struct cut *cut)
{
	cuts = realloc(cuts, (count + 1) * sizeof(*cuts));
	if (!cuts)
		tw_say_fatal("no memory for the end of the run\n");
	cuts[count++] = *cut;
}

static void record(struct tw_run *run, const struct cut *cut)
{
	void *room;
	int i;

	for (i = 0; tw_parts[i]; i++) {
		room = tw_pair_room(run, cut->pair, tw_parts[i]);
		if (tw_parts[i]->record && !tw_parts[i]->whole && room)
			tw_parts[i]->record(room, &cut->cycle, cut->values_ns);
	}
}

static void take(struct tw_run *run, int number)
{
	struct tw_pair *pair = run->pairs[number];
	struct cut cut = { .pair = number, .step = run->step };
	struct tw_cycle *cycle = &cut.cycle;
	bool was_set;
	int i;

	if (!find(pair, cycle, &was_set))
		return;
	if (was_set) {
		leave_out(run, number, cycle);
		return;
	}
	if (!cycle->t3_ns && !is_longest(pair, cycle, TW_WAKEUP) &&
	    !is_longest(pair, cycle, TW_PLANNED)) {
		tw_tally_add(&pair->tally, NULL, cycle->missed);
		return;
	}
	for (i = 0; i < TW_SPANS; i++)
		cut.values_ns[i] = is_exact(cycle, i) ||
				   tw_metrics[i].span[0] >= TW_T0 ||
				   is_longest(pair, cycle, i) ?
				   tw_metric_ns(i, cycle, &pair->tally.params) :
				   TW_NO_VALUE;
	tw_tally_add_known(&pair->tally, cut.values_ns, cycle->missed);
	record(run, &cut);
	if (cycle->t3_ns && cycle->cut_ns - cycle->t0_ns >
			    longest_ns(pair, TW_INTERVAL))
		cut.begun_ns = cycle->cut_ns - cycle->t0_ns;
	append(&cut);
}

void tw_cut_take(struct tw_run *run)
{
	int i;

	for (i = 0; i < tw_config.pairs; i++) {
		tw_pair_release(run, i);
		take(run, i);
	}
}

uint64_t tw_cut_open(int pair, enum tw_metric_id id)
{
	uint64_t open = 0;
	int i;

	for (i = 0; i < count; i++)
		open += cuts[i].pair == pair &&
			(id == TW_INTERVAL && cuts[i].cycle.t0_ns ?
			 cuts[i].begun_ns > 0 :
			 !is_exact(&cuts[i].cycle, id) &&
			 !is_usual(&cuts[i], id));
	return open;
}

int64_t tw_cut_begun_ns(int pair)
{
	int64_t most_ns = 0;
	int i;

	for (i = 0; i < count; i++)
		if (cuts[i].pair == pair && cuts[i].begun_ns > most_ns)
			most_ns = cuts[i].begun_ns;
	return most_ns;
}

uint64_t tw_cut_unanswered(int pair, int step)
{
	uint64_t unanswered = 0;
	int i;

	for (i = 0; i < count; i++)
		unanswered += cuts[i].pair == pair && cuts[i].cycle.t3_ns &&
			      (step < 0 || cuts[i].step == step);
	return unanswered;
}

/* What the client waited for, and since when. */
static int64_t age_ns(const struct cut *cut)
{
	const struct tw_cycle *cycle = &cut->cycle;

	return cycle->cut_ns - (cycle->t0_ns ? cycle->t0_ns : cycle->ready_ns);
}

static uint64_t number_of(const struct cut *cut)
{
	return cut->cycle.seq - tw_config.warmup - 1;
}

static bool counts(const struct cut *cut, enum tw_metric_id id)
{
	const struct tw_metric_params params = tw_config_params(cut->pair);

	return tw_metric_valid(id, &params) &&
	       cut->values_ns[id] != TW_NO_VALUE;
}

static void print(FILE *file, const struct tw_run *run, const struct cut *cut)
{
	int id;

	fprintf(file, "# %s: ", cut->cycle.t0_ns ? "Unanswered" : "Not woken");
	if (run->steps > 1)
		fprintf(file, "step %d, ", cut->step + 1);
	fprintf(file, "pair %d, cycle %" PRIu64 ": when the run ended, the client had waited %" PRId64
		" us for %s; it counts with", cut->pair, number_of(cut),
		tw_ns_to_us(age_ns(cut)), cut->cycle.t0_ns ? "the reply" :
		"its timer");
	for (id = 0; id < TW_METRICS; id++)
		if (counts(cut, id))
			fprintf(file, " %s %" PRId64, tw_metrics[id].name,
				tw_text_whole(cut->values_ns[id]));
	fputc('\n', file);
}

static void text(FILE *file, const struct tw_run *run)
{
	int i;

	for (i = 0; i < count; i++)
		print(file, run, &cuts[i]);
}

/* For the JSON. */
static const void *next_cut(const void *of, int *i, const char **key)
{
	return *i < count ? &cuts[*i] : NULL;
}

static int64_t cycle_of(const void *of)
{
	return (int64_t)number_of(of);
}

static int64_t age_us(const void *of)
{
	return tw_ns_to_us(age_ns(of));
}

static const char *const awaited[] = { "reply", "timer", NULL };

static const char *awaited_of(const void *of)
{
	return awaited[!((const struct cut *)of)->cycle.t0_ns];
}

static const void *next_metric(const void *of, int *i, const char **key)
{
	while (*i < TW_METRICS && !counts(of, *i))
		++*i;
	return *i < TW_METRICS ? &tw_metrics[*i] : NULL;
}

static const struct tw_member of_cut[] = {
	{ TW_NAMED(struct cut, pair), TW_COUNT, "Number of the pair." },
	{ TW_NAMED(struct cut, step), TW_COUNT, "Of a ramp, from 0." },
	{ "cycle", TW_NUMBER_OF(cycle_of), TW_COUNT, "From 0, without the warm-up; of the step." },
	{ "awaited", TW_TEXT_OF(awaited_of), TW_STRING, "What the client waited for: the reply, or its timer, so that no request was sent.",
	  .words = awaited },
	{ "age_us", TW_NUMBER_OF(age_us), TW_COUNT, "For how long." },
	{ "counts", TW_NOWHERE, TW_ARRAY, "The metrics that have a value of this cycle.",
	  "'minItems': 1, 'uniqueItems': true", .next = next_metric,
	  .of = TW_EACH(TW_IN(struct tw_metric, name), TW_STRING, "A metric.",
			.word = tw_metric_word) },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "unanswered", TW_NOWHERE, TW_ARRAY, "Cycles that the end of the run has cut short after a longer time than all before. That is how long they took at least, and counts.",
	  .next = next_cut, .of = of_cut },
	{ .name = NULL }
};

const struct tw_part tw_part_cut = {
	.text = text, .tells_end = true, .members[TW_OF_RUN] = members,
};
