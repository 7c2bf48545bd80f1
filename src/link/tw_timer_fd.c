// SPDX-License-Identifier: GPL-2.0-or-later
/* timerfd: the client reads from it how many expiries there were. */
#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "tw_time.h"
#include "tw_timer.h"

static int fd;		/* of this process, which has one timer */

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

const struct tw_timer_ops tw_timer_timerfd = {
	"timerfd", timerfd_start, timerfd_wait, tw_timer_settle_overrun
};
