// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/tw_time.h"
#include "base/tw_timer.h"

uint64_t tw_timer_passed(int64_t planned_ns, int64_t awake_ns,
			 int64_t period_ns)
{
	/* Before: the clock was set back, or its reads differ by a tick. */
	if (awake_ns < planned_ns)
		return 0;
	return (awake_ns - planned_ns) / period_ns;
}

static void advance(struct tw_timer *timer, uint64_t missed)
{
	timer->planned_ns = timer->next_ns;
	timer->missed = missed;
	timer->next_ns += (int64_t)(missed + 1) * timer->period_ns;
}

void tw_timer_settle_overrun(struct tw_timer *timer, int64_t awake_ns)
{
	(void)awake_ns;
	advance(timer, timer->overrun);
}

struct itimerspec tw_timer_first_and_period(const struct tw_timer *timer)
{
	struct itimerspec spec = {
		.it_value = tw_ns_to_ts(timer->next_ns),
		.it_interval = tw_ns_to_ts(timer->period_ns),
	};

	return spec;
}

static int posix_start(struct tw_timer *timer)
{
	struct itimerspec spec = tw_timer_first_and_period(timer);
	struct sigevent event;
	int err;

	sigemptyset(&timer->signals);
	sigaddset(&timer->signals, TW_TIMER_SIGNAL);
	if (sigprocmask(SIG_BLOCK, &timer->signals, NULL))
		return -errno;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = TW_TIMER_SIGNAL;
	if (timer_create(timer->clockid, &event, &timer->id))
		return -errno;
	if (timer_settime(timer->id, TIMER_ABSTIME, &spec, NULL)) {
		err = -errno;
		timer_delete(timer->id);
		return err;
	}
	return 0;
}

static int posix_wait(struct tw_timer *timer)
{
	siginfo_t info;

	if (sigwaitinfo(&timer->signals, &info) < 0)
		return -errno;
	/* Sent by somebody else: no expiry, and no count in it. */
	if (info.si_code != SI_TIMER)
		return -EINTR;
	/* The clock was set back: this expiry is yet to come. */
	if (info.si_overrun < 0)
		return -EINTR;
	timer->overrun = info.si_overrun;
	return 0;
}

static void posix_stop(struct tw_timer *timer)
{
	timer_delete(timer->id);
}

static int nanosleep_wait(struct tw_timer *timer)
{
	struct timespec next = tw_ns_to_ts(timer->next_ns);

	return -clock_nanosleep(timer->clockid, TIMER_ABSTIME, &next, NULL);
}

/* No kernel counts here: what has passed by t0 is what was missed. */
static void nanosleep_settle(struct tw_timer *timer, int64_t awake_ns)
{
	advance(timer, tw_timer_passed(timer->next_ns, awake_ns,
				       timer->period_ns));
}

static int none_wait(struct tw_timer *timer)
{
	(void)timer;
	return 0;
}

static void none_settle(struct tw_timer *timer, int64_t awake_ns)
{
	timer->planned_ns = awake_ns;
}

static int nothing_to_start(struct tw_timer *timer)
{
	(void)timer;
	return 0;
}

static void nothing_to_stop(struct tw_timer *timer)
{
	(void)timer;
}

const struct tw_timer_ops tw_timer_nanosleep = {
	"nanosleep", nothing_to_start, nanosleep_wait, nanosleep_settle,
	nothing_to_stop, false
};

const struct tw_timer_ops tw_timer_posix = {
	"posix", posix_start, posix_wait, tw_timer_settle_overrun,
	posix_stop, true
};

const struct tw_timer_ops tw_timer_none = {
	"none", nothing_to_start, none_wait, none_settle, nothing_to_stop,
	false
};

const struct tw_timer_ops *const tw_timer_kinds[] = {
	&tw_timer_nanosleep,
	&tw_timer_posix,
	&tw_timer_timerfd,
	NULL
};

int tw_timer_start(struct tw_timer *timer, const struct tw_timer_ops *ops,
		   clockid_t clockid, int64_t period_ns, int64_t first_ns)
{
	memset(timer, 0, sizeof(*timer));
	timer->ops = ops;
	timer->clockid = clockid;
	timer->period_ns = period_ns;
	timer->next_ns = first_ns ? first_ns :
				    tw_now_ns(clockid) + period_ns;
	return ops->start(timer);
}
