// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * alarm: setitimer() sends SIGALRM each millisecond; its handler only takes a
 * timestamp. Standard signals do not queue: a late one swallows the next.
 */
#include <signal.h>
#include <sys/time.h>

#include "pt_rows.h"

#define PERIOD_US	1000
#define PERIOD_NS	(PERIOD_US * TW_NS_PER_US)

/* The handler's. The task is a process: nobody else has it. */
static struct pt_task *alarmed;
static volatile int64_t stamp_ns;
static sigset_t awaits;

static void take_stamp(int signal)
{
	stamp_ns = pt_now(alarmed);
}

/* Outside of awaits, the signal is blocked. */
static int catch(void)
{
	struct sigaction action = { .sa_handler = take_stamp };
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	if (sigprocmask(SIG_BLOCK, &alarm, &awaits))
		return -errno;
	sigdelset(&awaits, SIGALRM);
	return sigaction(SIGALRM, &action, NULL) ? -errno : 0;
}

static int set_timer(int64_t period_us)
{
	const struct timeval period = { .tv_usec = period_us };
	const struct itimerval timer = { period, period };

	return setitimer(ITIMER_REAL, &timer, NULL) ? -errno : 0;
}

static void count_doubled(struct pt_task *task, const struct pt_trial *trial)
{
	struct pt_case *c = task->in;

	if (c->has_before && !pt_warms_up(task) &&
	    trial->t_ns[0] - c->before.t_ns[0] >= PERIOD_NS * 3 / 2)
		c->number++;
}

static int expire_once(struct pt_task *task, struct pt_trial *trial)
{
	stamp_ns = 0;
	while (!stamp_ns)
		sigsuspend(&awaits);
	trial->t_ns[0] = stamp_ns;
	count_doubled(task, trial);
	return 0;
}

static int run(struct pt_task *task)
{
	int err;

	alarmed = task;
	err = catch();
	if (!err)
		err = set_timer(PERIOD_US);
	if (err)
		return pt_failed(task, "setitimer", err);
	err = pt_lead(task, expire_once);
	return err ? err : set_timer(0);
}

static int64_t interval_ps(const struct pt_trial *now,
			   const struct pt_trial *before)
{
	return before ? (now->t_ns[0] - before->t_ns[0]) * PT_PS_PER_NS :
			PT_NO_VALUE;
}

static int64_t period_ps(const struct pt_case *c)
{
	return PERIOD_NS * PT_PS_PER_NS;
}

static void verify(struct pt_case *c)
{
	pt_verdict(c, false, "doubled: %lld intervals of at least 1.5 periods",
		   (long long)c->number);
}

static const struct pt_metric metrics[] = {
	PT_METRIC("interval", "Interval", 0, 0, .value_ps = interval_ps,
		  .target_ps = period_ps, PT_SPAN(PT_TO_REPEAT, 0, 0)),
	{ .token = NULL }
};

const struct pt_test pt_alarm = {
	.name = "alarm",
	.about = "SIGALRM of setitimer() each millisecond",
	.groups = PT_PCSERVER,
	.flags = PT_ALONE,
	.metrics = metrics, .run = run,
	/* A trial needs no switch: a late task finds the next signal sent. */
	.trials = 10000, .verify = verify,
};
