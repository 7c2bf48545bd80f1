// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pt_record.h"
#include "pt_report.h"
#include "tw_clocks.h"
#include "tw_jumps.h"
#include "tw_part.h"
#include "tw_stop.h"
#include "tw_throttle.h"
#include "tw_tracefs.h"

#define SPIN_NS		(500 * TW_NS_PER_MS)
#define PERIOD_NS	TW_NS_PER_S

const struct pt_trial pt_no_trial = {
	.t_ns = { PT_NO_VALUE, PT_NO_VALUE, PT_NO_VALUE, PT_NO_VALUE,
		  PT_NO_VALUE },
};

int64_t pt_value_ps(const struct pt_metric *metric, const struct pt_trial *now,
		    const struct pt_trial *before)
{
	int64_t at_ns[PT_TIMES], ps;
	int i;

	memcpy(at_ns, now->t_ns, sizeof(now->t_ns));
	memcpy(at_ns + PT_BEFORE, before->t_ns, sizeof(before->t_ns));
	for (i = 0; i < 4; i++)
		if (at_ns[metric->span[i]] == PT_NO_VALUE)
			return PT_NO_VALUE;
	ps = tw_metric_span(metric->span, at_ns) * PT_PS_PER_NS;
	if (metric->not_zero && !ps)
		return PT_NO_VALUE;
	return metric->per > 1 ? (ps - pt_clock_ps) / metric->per : ps;
}

const struct tw_part *const pt_recorders[PT_RECORDERS] = {
	&tw_part_throttle, &tw_part_histogram, &tw_part_percentiles,
	&pt_part_maxima,
};

/* How much longer a value is than expected. */
static int64_t excess_ps(const struct pt_case *c, const struct pt_kept *kept,
			 int i)
{
	return kept->values_ps[i] == PT_NO_VALUE ? 0 :
	       kept->values_ps[i] - c->column[i].target_ps;
}

/* -b: the first value above ends the run, before it is in the statistics. */
static void end_at(struct pt_case *c, const struct pt_kept *kept, int column)
{
	if (pt_config.trace)
		tw_tracefs_stop();
	c->broke = (struct pt_broke) {
		column, *kept, tw_clocks_ahead_ns(c->stamped)
	};
	atomic_store(&c->stop, 1);
}

static void add(struct pt_column *column, const struct pt_kept *kept,
		int64_t value_ps)
{
	struct tw_stats *stats = &column->stats;

	if (!stats->count || value_ps > stats->max)
		column->worst = *kept;
	tw_stats_add(stats, value_ps, 1.0 / (double)(stats->count + 1));
}

/* Of the operations of a value, all; and when they ended. */
static int64_t late_ns_of(const struct pt_case *c, const struct pt_kept *kept,
			  int64_t *end_ns)
{
	int64_t late_ns, most_ns = 0;
	int i;

	for (i = 0; i < c->columns; i++) {
		const struct pt_metric *metric = c->column[i].metric;

		late_ns = excess_ps(c, kept, i) / PT_PS_PER_NS *
			  (metric->per > 1 ? metric->per : 1);
		if (late_ns <= most_ns)
			continue;
		most_ns = late_ns;
		*end_ns = kept->trial.t_ns[metric->span[1]];
	}
	return most_ns;
}

static void record_late(struct pt_case *c, const struct pt_kept *kept)
{
	int64_t end_ns = 0, late_ns = late_ns_of(c, kept, &end_ns);

	if (tw_stop_fits_any(late_ns))
		tw_throttle_note(c->room_of[0], late_ns,
				 end_ns - tw_clocks_ahead_ns(c->stamped));
}

static void add_all(struct pt_case *c, const struct pt_kept *kept)
{
	int64_t limit_ps = pt_config.break_us * TW_NS_PER_US * PT_PS_PER_NS;
	int i;

	for (i = 0; i < c->columns; i++) {
		int64_t ps = excess_ps(c, kept, i);

		if (limit_ps && ps > limit_ps && !c->broke.kept.number)
			end_at(c, kept, i);
		if (kept->values_ps[i] != PT_NO_VALUE)
			add(&c->column[i], kept, kept->values_ps[i]);
	}
	if (c->room_of[0])
		record_late(c, kept);
	for (i = 1; i < PT_RECORDERS; i++)
		if (c->room_of[i])
			pt_recorders[i]->record(c->room_of[i], NULL,
						kept->values_ps);
	if (kept->number <= c->kept_max)
		c->kept[kept->number - 1] = *kept;
}

bool pt_clock_was_set(struct pt_case *c)
{
	if (c->stamped == &tw_clock_monotonic)
		return false;
	tw_jumps_look(&c->watch, c->stamped);
	tw_jumps_note(&c->jumps, &c->watch);
	return c->watch.set_ns;
}

/* @done: how many trials there were before it. */
static void record(struct pt_case *c, const struct pt_trial *trial,
		   uint64_t done)
{
	const struct pt_test *test = c->choice.test;
	uint64_t warmup = tw_config.warmup;
	struct pt_kept kept = { .trial = *trial };
	int i;

	for (i = 0; i < PT_METRICS; i++)
		kept.values_ps[i] = i < c->columns ?
			pt_value_ps(c->column[i].metric, trial, &c->before) :
			PT_NO_VALUE;
	if (done >= warmup) {
		kept.number = done - warmup + 1;
		add_all(c, &kept);
	} else if (done < PT_FIRST) {
		memcpy(c->first_ps[done], kept.values_ps,
		       sizeof(kept.values_ps));
		c->first_count = done + 1;
	}
	c->jumps.left_out += pt_is_left_out(trial) && done >= warmup;
	if (trial->t_ns[test->late] < trial->t_ns[test->early])
		c->wrong++;
	if (!c->broke.kept.number)	/* else that is before it */
		c->before = *trial;
}

static void record_waiting(struct pt_case *c)
{
	bool was_set = c->waiting && pt_clock_was_set(c);
	int i;

	for (i = 0; i < c->waiting; i++) {
		if (was_set)
			c->block[i] = pt_no_trial;
		record(c, &c->block[i], c->recorded + (uint64_t)i);
	}
	c->recorded += (uint64_t)c->waiting;
	c->waiting = 0;
}

void pt_record(struct pt_task *task, const struct pt_trial *trial)
{
	struct pt_case *c = task->in;

	c->block[c->waiting++] = *trial;
	atomic_store_explicit(&c->done, (unsigned long)pt_trials(c),
			      memory_order_release);
	if (c->waiting == c->block_size)
		record_waiting(c);
}

static void sleep_until(int64_t then_ns)
{
	struct timespec then = tw_ns_to_ts(then_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) ==
	       EINTR)
		;
}

/*
 * How many expiries of -i have passed since that of the last trial, if there is
 * one. Those of a measured trial are missed: no value has the time before it
 * began.
 */
static int64_t passed(struct pt_task *task, int64_t now_ns)
{
	int64_t late_ns = task->next_ns ? now_ns - task->next_ns : 0;
	int64_t passed = late_ns / (pt_config.interval_us * TW_NS_PER_US);
	struct pt_case *c = task->in;

	if (passed && pt_done(task) > (uint64_t)tw_config.warmup) {
		c->missed += (uint64_t)passed;
		if (late_ns > c->lost_ns)
			c->lost_ns = late_ns;
	}
	return passed;
}

static bool is_paced(const struct pt_case *c)
{
	return pt_config.interval_us && c->choice.test->flags & PT_PACED;
}

/* Until the next expiry of -i; if that has passed, the one after it. */
static void pace(struct pt_task *task)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	int64_t periods = passed(task, now_ns) + 1;

	if (!task->next_ns)
		task->next_ns = now_ns;
	task->next_ns += periods * pt_config.interval_us * TW_NS_PER_US;
	task->in->paced++;
	sleep_until(task->next_ns);
}

static bool is_done(struct pt_task *task)
{
	struct pt_case *c = task->in;
	uint64_t done = pt_done(task);

	if (!done && !c->begin_ns) {
		c->begin_ns = tw_now_ns(CLOCK_MONOTONIC);
		pt_clock_was_set(c);
	}
	if (done >= (uint64_t)tw_config.warmup && !c->measured_ns)
		c->measured_ns = tw_now_ns(CLOCK_MONOTONIC);
	return atomic_load(&c->stop) ||
	       (c->trials && done >= tw_config.warmup + c->trials) ||
	       (tw_config.duration_s && c->measured_ns &&
		tw_now_ns(CLOCK_MONOTONIC) - c->measured_ns >=
		tw_config.duration_s * TW_NS_PER_S);
}

bool pt_more(struct pt_task *task)
{
	struct pt_case *c = task->in;

	if (!is_done(task)) {
		if (is_paced(c))
			pace(task);
		return true;
	}
	if (!c->end_ns) {
		c->end_ns = tw_now_ns(CLOCK_MONOTONIC);
		if (is_paced(c))
			passed(task, c->end_ns);
	}
	record_waiting(c);
	atomic_store_explicit(&c->over, 1, memory_order_release);
	return false;
}

static void record_stamps(struct pt_task *task)
{
	struct pt_trial trial = { .pid = task->in->born };
	int i;

	for (i = 0; i < PT_STAMPS; i++)
		trial.t_ns[i] = task->in->stamp[i].ns;
	pt_record(task, &trial);
}

int pt_lead(struct pt_task *task, int (*once)(struct pt_task *task))
{
	bool spins = task->in->choice.test->flags & PT_SPINS;
	int i, err = 0;

	while (!err && pt_more(task)) {
		err = once(task);
		if (!err)
			record_stamps(task);
		if (spins)
			pt_rest(task);
	}
	record_waiting(task->in);	/* if it has failed */
	for (i = 0; i < task->in->task_count; i++)
		if (i != task->number)
			pt_wake(task, i);
	return err;
}

int pt_serve(struct pt_task *task, int (*serve)(struct pt_task *task))
{
	int err;

	for (;;) {
		pt_await(task);
		if (pt_over(task))
			return 0;
		err = serve(task);
		if (err)
			return err;
	}
}

void pt_rest(struct pt_task *task)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC), spun_ns;
	bool over = pt_over(task);

	if (!task->priority)
		return;
	if (!task->spin_begin_ns)
		task->spin_begin_ns = now_ns;
	spun_ns = now_ns - task->spin_begin_ns;
	if (spun_ns < SPIN_NS && !over)
		return;
	sleep_until(now_ns + (over ? spun_ns : PERIOD_NS - spun_ns));
	task->spin_begin_ns = 0;
	/* What the sleep did is in no trial, nor between two. */
	if (!over)
		task->in->before = pt_no_trial;
}

int pt_check_sum(struct pt_task *task, uint64_t sum)
{
	if (!task->summed) {
		task->checksum = sum;
		task->summed = true;
	}
	return task->checksum == sum ? 0 :
	       pt_failed(task, "the checksum of the results", -EBADMSG);
}
