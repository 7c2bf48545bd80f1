// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <time.h>

#include "core/pt_break.h"
#include "core/pt_record.h"

#define SPIN_NS		(500 * TW_NS_PER_MS)
#define PERIOD_NS	TW_NS_PER_S

bool pt_more(struct pt_task *task)
{
	struct pt_case *c = task->in;
	uint64_t done = pt_done(task);

	if (!done && !c->begin_ns)
		c->begin_ns = pt_now(task);
	if (!atomic_load(&c->stop) &&
	    (!c->trials || done < c->config->warmup + c->trials))
		return true;
	if (!c->end_ns)
		c->end_ns = pt_now(task);
	atomic_store_explicit(&c->over, 1, memory_order_release);
	return false;
}

int64_t pt_value_ps(const struct pt_case *c, const struct pt_metric *metric,
		    const struct pt_trial *now, const struct pt_trial *before)
{
	int64_t ps;

	if (metric->value_ps)
		return metric->value_ps(c, now, before);
	ps = (now->t_ns[metric->to] - now->t_ns[metric->from]) * PT_PS_PER_NS;
	return metric->per > 1 ? (ps - c->clock_ps) / metric->per : ps;
}

static void keep_worst(struct pt_case *c, const struct pt_kept *kept)
{
	struct pt_kept *worst = c->worst;
	int i;

	for (i = 0; i < c->metric_count; i++, worst++)
		if (kept->value_ps[i] != PT_NO_VALUE &&
		    (!worst->number ||
		     kept->value_ps[i] > worst->value_ps[i]))
			*worst = *kept;
}

static void add_value(struct pt_case *c, int metric, int64_t value_ps,
		      uint64_t number)
{
	struct tw_series_row *row = &c->series->row[metric];

	if (value_ps == PT_NO_VALUE)
		return;
	tw_stats_add(&row->stats, value_ps,
		     1.0 / (double)(row->stats.count + 1));
	/* A bin is @bin_ns wide: the window takes it for a microsecond. */
	if (row->window.width_us)
		tw_window_add(&row->window, value_ps / c->config->bin_ns,
			      number);
}

static void add(struct pt_case *c, const struct pt_kept *kept)
{
	uint32_t version = tw_series_begin(c->series);
	int i;

	for (i = 0; i < c->metric_count; i++)
		add_value(c, i, kept->value_ps[i], kept->number);
	tw_series_count_marks(c->series, kept->value_ps);
	tw_series_end(c->series, version);
	if (c->worst)
		keep_worst(c, kept);
	if (kept->number <= c->kept_max)
		c->kept[kept->number - 1] = *kept;
}

/* As long as real-time tasks may be held up by throttling. */
static bool is_stall(const struct pt_case *c, const struct pt_kept *kept)
{
	int64_t stall_ps = c->config->stall_ns * PT_PS_PER_NS;
	int i;

	for (i = 0; stall_ps && i < c->metric_count; i++)
		if (kept->value_ps[i] != PT_NO_VALUE &&
		    pt_break_excess_ps(c, i, kept->value_ps[i]) >=
		    stall_ps - stall_ps / 10)
			return true;
	return false;
}

void pt_record(struct pt_task *task, const struct pt_trial *trial)
{
	struct pt_case *c = task->in;
	uint64_t done = pt_done(task), warmup = c->config->warmup;
	struct pt_kept kept = { .trial = *trial };
	bool stall;
	int i;

	for (i = 0; i < c->metric_count; i++)
		kept.value_ps[i] = pt_value_ps(c, c->metric[i], trial,
					       c->has_before ? &c->before :
							       NULL);
	if (done >= warmup) {
		kept.number = done - warmup + 1;
		stall = is_stall(c, &kept);
		pt_break_check(c, &kept, stall);
		add(c, &kept);
		c->throttled += stall;
	} else if (done < PT_FIRST) {
		memcpy(c->first_ps[done], kept.value_ps,
		       sizeof(kept.value_ps));
		c->first_count = done + 1;
	}
	c->before = *trial;
	c->has_before = true;
	atomic_store_explicit(&c->done, done + 1, memory_order_release);
}

static void sleep_until(int64_t then_ns)
{
	struct timespec then = tw_ns_to_ts(then_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) ==
	       EINTR)
		;
}

void pt_rest(struct pt_task *task)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);

	if (!task->priority)
		return;
	if (!task->spin_begin_ns)
		task->spin_begin_ns = now_ns;
	if (now_ns - task->spin_begin_ns < SPIN_NS)
		return;
	sleep_until(task->spin_begin_ns + PERIOD_NS);
	task->spin_begin_ns = 0;
	/* What the sleep did is in no trial, nor between two. */
	task->in->has_before = false;
}

void pt_rest_after(struct pt_task *task)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);

	if (task->spin_begin_ns)
		sleep_until(2 * now_ns - task->spin_begin_ns);
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
