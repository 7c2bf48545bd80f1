// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "tw_time.h"
#include "tw_timer.h"

#define TIMER_SIGNAL	SIGRTMIN

static void advance(struct tw_timer *timer, uint64_t missed)
{
	timer->planned_ns = timer->next_ns;
	timer->missed = missed;
	timer->next_ns += (int64_t)(missed + 1) * timer->period_ns;
}

static int posix_start(struct tw_timer *timer)
{
	struct itimerspec spec = {
		.it_value = tw_ns_to_ts(timer->next_ns),
		.it_interval = tw_ns_to_ts(timer->period_ns),
	};
	struct sigevent event;

	sigemptyset(&timer->signals);
	sigaddset(&timer->signals, TIMER_SIGNAL);
	if (sigprocmask(SIG_BLOCK, &timer->signals, NULL))
		return -errno;
	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = TIMER_SIGNAL;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer->id))
		return -errno;
	return timer_settime(timer->id, TIMER_ABSTIME, &spec, NULL) ?
	       -errno : 0;
}

static int posix_wait(struct tw_timer *timer)
{
	siginfo_t info;

	if (sigwaitinfo(&timer->signals, &info) < 0)
		return -errno;
	/* Sent by somebody else. */
	if (info.si_code != SI_TIMER)
		return -EINTR;
	timer->overrun = info.si_overrun;
	return 0;
}

static void settle_overrun(struct tw_timer *timer, int64_t awake_ns)
{
	advance(timer, timer->overrun);
}

static int nanosleep_wait(struct tw_timer *timer)
{
	struct timespec next = tw_ns_to_ts(timer->next_ns);

	return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
}

/*
 * The kernel counts no overruns here: the later expiries that have passed by t0
 * were missed.
 */
static void nanosleep_settle(struct tw_timer *timer, int64_t awake_ns)
{
	int64_t late_ns = awake_ns - timer->next_ns;

	advance(timer, late_ns < 0 ? 0 : late_ns / timer->period_ns);
}

static int nothing_to_wait_for(struct tw_timer *timer)
{
	return 0;
}

/* The next request is due at once. */
static void none_settle(struct tw_timer *timer, int64_t awake_ns)
{
	timer->planned_ns = awake_ns;
}

const struct tw_timer_ops tw_timer_nanosleep = {
	"nanosleep", NULL, nanosleep_wait, nanosleep_settle
};

const struct tw_timer_ops tw_timer_posix = {
	"posix", posix_start, posix_wait, settle_overrun
};

static int fd;		/* of timerfd, of this process, which has one timer */

static int timerfd_start(struct tw_timer *timer)
{
	struct itimerspec spec = {
		.it_value = tw_ns_to_ts(timer->next_ns),
		.it_interval = tw_ns_to_ts(timer->period_ns),
	};

	fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	return timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL) ?
	       -errno : 0;
}

static int timerfd_wait(struct tw_timer *timer)
{
	uint64_t expiries;
	ssize_t len = read(fd, &expiries, sizeof(expiries));

	if (len < 0)
		return -errno;
	timer->overrun = expiries - 1;
	return 0;
}

static const struct tw_timer_ops timer_timerfd = {
	"timerfd", timerfd_start, timerfd_wait, settle_overrun
};

static const struct tw_timer_ops none = {
	"none", NULL, nothing_to_wait_for, none_settle
};

static const struct tw_timer_ops *const kinds[] = {
	&tw_timer_nanosleep,
	&tw_timer_posix,
	&timer_timerfd,
	NULL
};

const char *tw_timer_name(int number)
{
	return kinds[number] ? kinds[number]->name : NULL;
}

const struct tw_timer_ops *tw_timer_find(const char *name)
{
	int i = 0;

	while (kinds[i] && strcmp(kinds[i]->name, name))
		i++;
	return kinds[i] ? kinds[i] : &none;
}

int tw_timer_start(struct tw_timer *timer, const struct tw_timer_ops *ops,
		   int64_t period_ns, int64_t first_ns)
{
	memset(timer, 0, sizeof(*timer));
	timer->ops = ops;
	timer->period_ns = period_ns;
	timer->next_ns = first_ns ? first_ns : tw_now_ns(CLOCK_MONOTONIC) +
					 period_ns;
	return ops->start ? ops->start(timer) : 0;
}
