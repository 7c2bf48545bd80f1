// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/tw_timer.h"

static int timerfd_start(struct tw_timer *timer)
{
	struct itimerspec spec = tw_timer_first_and_period(timer);
	int err;

	timer->fd = timerfd_create(timer->clockid, TFD_CLOEXEC);
	if (timer->fd < 0)
		return -errno;
	if (timerfd_settime(timer->fd, TFD_TIMER_ABSTIME, &spec, NULL)) {
		err = -errno;
		close(timer->fd);
		return err;
	}
	return 0;
}

static int timerfd_wait(struct tw_timer *timer)
{
	uint64_t expiries;
	ssize_t len = read(timer->fd, &expiries, sizeof(expiries));

	if (len < 0)
		return -errno;
	/* Nothing, if the clock was set back: as with the POSIX timer. */
	if (len != sizeof(expiries))
		return -EINTR;
	timer->overrun = expiries - 1;
	return 0;
}

static void timerfd_stop(struct tw_timer *timer)
{
	close(timer->fd);
}

const struct tw_timer_ops tw_timer_timerfd = {
	"timerfd", timerfd_start, timerfd_wait, tw_timer_settle_overrun,
	timerfd_stop, true
};
