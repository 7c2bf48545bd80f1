// SPDX-License-Identifier: GPL-2.0-or-later
/* sleep: how much longer than asked a task sleeps. */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "pt_rows.h"

struct way {
	int (*sleep)(int64_t ns);
};

static int by_usleep(int64_t ns)
{
	return usleep((useconds_t)(ns / TW_NS_PER_US)) ? -errno : 0;
}

static int by_nanosleep(int64_t ns)
{
	struct timespec time = tw_ns_to_ts(ns);

	return nanosleep(&time, NULL) ? -errno : 0;
}

static int until(int64_t ns)
{
	struct timespec then = tw_ns_to_ts(tw_now_ns(CLOCK_MONOTONIC) + ns);

	return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
}

static const struct way with_usleep = { by_usleep };
static const struct way with_nanosleep = { by_nanosleep };
static const struct way with_absolute = { until };

static int sleep_once(struct pt_task *task, struct pt_trial *trial)
{
	const struct way *way = pt_kind_ops(task->in);
	int64_t asked_ns = pt_kind_value(task->in) * TW_NS_PER_US;
	int err;

	trial->t_ns[0] = pt_now(task);
	err = way->sleep(asked_ns);
	trial->t_ns[2] = pt_now(task);
	trial->t_ns[1] = trial->t_ns[0] + asked_ns;
	return err;
}

static int run(struct pt_task *task)
{
	/* The starter cannot ask for it: each task has its own. */
	task->in->number = prctl(PR_GET_TIMERSLACK);
	return pt_lead(task, sleep_once);
}

/* Each sleep is one of CLOCK_MONOTONIC; other clocks run at another rate. */
static void verify(struct pt_case *c)
{
	struct pt_sum excess;

	if (pt_sum_in(c, "excess", &excess) && excess.min_ns < 0)
		pt_verdict(c, tw_config.clock == &tw_clock_monotonic,
			   "a sleep ended %.0f ns early", -excess.min_ns);
	if (!tw_config.priority)
		pt_verdict(c, false, "timer slack: up to %lld ns of the excess",
			   (long long)c->number);
}

static const struct pt_metric metrics[] = {
	PT_METRIC("excess", "Slept longer than asked", 1, 2,
		  PT_SPAN(PT_TO_SLEEP, 0, 0)),
	{ .token = NULL }
};

/* A sleep of 1 us may be over before the task has given up the CPU. */
#define KINDS(name) \
	{ #name ".1", 1, &with_##name, .switches = 0 }, \
	{ #name ".100", 100, &with_##name, .switches = 1 }, \
	{ #name ".1000", 1000, &with_##name, .switches = 1 }, \
	{ #name ".10000", 10000, &with_##name, .switches = 1 }, \
	{ #name ".100000", 100000, &with_##name, .switches = 1, .trials = 50 }

static const struct pt_kind kinds[] = {
	KINDS(usleep), KINDS(nanosleep), KINDS(absolute), { .name = NULL }
};

const struct pt_test pt_sleep = {
	.name = "sleep",
	.about = "sleeps; the kind is the call and the time in us",
	.groups = PT_NOTES | PT_OVERHEADS | PT_SAMPLES,
	.flags = PT_ALONE,
	.kinds = kinds, .metrics = metrics, .run = run,
	.trials = 100, .verify = verify,
};
