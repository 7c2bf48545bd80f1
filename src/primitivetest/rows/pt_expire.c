// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timer, alarm, sleep: a task waits for a time. timer: a POSIX timer; AEGIS's
 * jitter is wakeup, while interval shows a late expiry twice. alarm:
 * setitimer() sends SIGALRM each millisecond; standard signals do not queue: a
 * late one swallows the next. sleep: how much longer than asked.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <unistd.h>

#include "pt_rows.h"
#include "tw_jumps.h"
#include "tw_timer.h"

#define ALARM_US	1000

static int64_t period_ps(const struct pt_case *c)
{
	int64_t us = c->choice.kind ? pt_kind_value(c) : ALARM_US;

	return us * TW_NS_PER_US * PT_PS_PER_NS;
}

static int await_timer(struct pt_task *task)
{
	struct tw_timer *timer = pt_room(task);
	int err;

	do {
		err = timer->ops->wait(timer);
		pt_stamp(task, 1);
	} while (err == -EINTR);
	if (err)
		return pt_failed(task, "sigwaitinfo", err);
	timer->ops->settle(timer, tw_now_ns(CLOCK_MONOTONIC));
	if (tw_config.clock != &tw_clock_monotonic)
		tw_jumps_look(&timer->watch, tw_config.clock);
	task->in->stamp[0].ns = timer->planned_ns + timer->watch.ahead_ns;
	if (!pt_warms_up(task))
		task->in->missed += timer->missed;
	return 0;
}

static int run_timer(struct pt_task *task)
{
	int err = tw_timer_start(pt_room(task), &tw_timer_posix,
				 pt_kind_value(task->in) * TW_NS_PER_US, 0);

	return err ? pt_failed(task, "timer_create (see ulimit -i)", err) :
	       pt_lead(task, await_timer);
}

/* AEGIS's jitter of an interval: its largest less its smallest. */
static void verify_timer(struct pt_case *c)
{
	struct pt_sum interval;

	if (pt_sum_in(c, "interval", &interval))
		pt_verdict(c, false, "jitter %.0f ns, the largest interval less the smallest",
			   interval.max_ns - interval.min_ns);
}

/* As those of the table: 10 s, whatever the period. */
static void own_timer(struct pt_kind *kind)
{
	kind->trials = 10 * TW_NS_PER_S / (kind->value * TW_NS_PER_US);
}

/* No switch is needed: of a task that is late, the next expiry has passed. */
PT_TEST(timer, "from a POSIX timer's expiry to its task; the kind is the period in us",
	.groups = PT_AEGIS | PT_SAMPLES | PT_RHEALSTONE,
	.flags = PT_ALONE,
	.own = PT_OWN_PERIOD, .own_kind = own_timer,
	.kinds = PT_TABLE(kind,
		{ "1000", .value = 1000, .trials = 10000 },
		{ "10000", .value = 10000, .trials = 1000 },
		{ "100000", .value = 100000, .trials = 100 }),
	.metrics = PT_TABLE(metric,
		PT_METRIC("wakeup", "Wake-up", 0, 1,
			  PT_WHO(PT_TO_EXPIRE, 0, 0)),
		PT_METRIC("interval", "Interval", PT_BEFORE + 1, 1,
			  .target_ps = period_ps, PT_WHO(PT_TO_ADD, 0, 0))),
	.run = run_timer,
	.trials = 1000, .room = sizeof(struct tw_timer),
	.verify = verify_timer);

/* The handler's. The task is a process: nobody else has it. */
static struct pt_task *alarmed;
static sigset_t awaits;		/* SIGALRM is blocked outside of it */

static void take_stamp(int signal)
{
	pt_stamp(alarmed, 0);
}

static int await_alarm(struct pt_task *task)
{
	struct pt_case *c = task->in;
	int64_t *t_ns = &c->stamp[0].ns;

	*t_ns = 0;
	while (!*t_ns)
		sigsuspend(&awaits);
	if (!pt_is_left_out(&c->before) && !pt_warms_up(task))
		c->number += *t_ns - c->before.t_ns[0] >=
			     ALARM_US * TW_NS_PER_US * 3 / 2;
	return 0;
}

static int run_alarm(struct pt_task *task)
{
	const struct timeval period = { .tv_usec = ALARM_US };
	const struct itimerval timer = { period, period };
	struct sigaction action = { .sa_handler = take_stamp };

	alarmed = task;
	sigprocmask(SIG_BLOCK, NULL, &awaits);
	sigdelset(&awaits, SIGALRM);
	if (sigaction(SIGALRM, &action, NULL) ||
	    setitimer(ITIMER_REAL, &timer, NULL))
		return pt_failed(task, "setitimer", -errno);
	return pt_lead(task, await_alarm);
}

static void verify_alarm(struct pt_case *c)
{
	pt_verdict(c, false, "doubled: %lld intervals of at least 1.5 periods",
		   (long long)c->number);
}

PT_TEST(alarm, "from a SIGALRM of setitimer() to the next, 1 ms later",
	.groups = PT_PCSERVER,
	.flags = PT_ALONE,
	.metrics = PT_TABLE(metric,
		PT_METRIC("interval", "Interval", PT_BEFORE, 0,
			  .target_ps = period_ps, PT_WHO(PT_TO_REPEAT, 0, 0))),
	.run = run_alarm,
	/* A trial needs no switch: a late task finds the next signal sent. */
	.trials = 10000, .verify = verify_alarm);

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

static int by_absolute(int64_t ns)
{
	struct timespec then = tw_ns_to_ts(tw_now_ns(CLOCK_MONOTONIC) + ns);

	return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
}

static int sleep_once(struct pt_task *task)
{
	const struct way *way = pt_kind_ops(task->in);
	int64_t asked_ns = pt_kind_value(task->in) * TW_NS_PER_US;
	int64_t at_ns = pt_stamp(task, 0);
	int err = way->sleep(asked_ns);

	pt_stamp(task, 2);
	task->in->stamp[1].ns = at_ns + asked_ns;
	return err;
}

/* The starter cannot ask for it: each task has its own. */
static int read_slack(struct pt_task *task)
{
	task->in->number = prctl(PR_GET_TIMERSLACK);
	return 0;
}

/* Each sleep is one of CLOCK_MONOTONIC; other clocks run at another rate. */
static void verify_sleep(struct pt_case *c)
{
	struct pt_sum excess;

	if (pt_sum_in(c, "excess", &excess) && excess.min_ns < 0)
		pt_verdict(c, tw_config.clock == &tw_clock_monotonic,
			   "a sleep ended %.0f ns early", -excess.min_ns);
	if (!tw_config.priority)
		pt_verdict(c, false, "timer slack: up to %lld ns of the excess",
			   (long long)c->number);
}

#define SLEEP(call, us, ...) \
	{ #call "." #us, us, &(const struct way) { by_##call }, __VA_ARGS__ }
/* A sleep of 1 us may be over before the task has given up the CPU. */
#define SLEEPS(call) \
	SLEEP(call, 1, .switches = 0), SLEEP(call, 100, .switches = 1), \
	SLEEP(call, 1000, .switches = 1), SLEEP(call, 10000, .switches = 1), \
	SLEEP(call, 100000, .switches = 1, .trials = 50)

PT_TEST(sleep, "how much longer than asked a sleep took; the kind is the call and the time in us",
	.groups = PT_NOTES | PT_OVERHEADS | PT_SAMPLES,
	.flags = PT_ALONE,
	.kinds = PT_TABLE(kind,
		SLEEPS(usleep), SLEEPS(nanosleep), SLEEPS(absolute)),
	.metrics = PT_TABLE(metric,
		PT_METRIC("excess", "Slept longer than asked", 1, 2,
			  PT_WHO(PT_TO_SLEEP, 0, 0))),
	.once = sleep_once,
	.trials = 100, .enter = read_slack, .verify = verify_sleep);
