// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "tw_await.h"
#include "tw_time.h"

#define WAIT_MS	1000000000	/* at most, at once */

int64_t tw_await_in_ms(int64_t ms)
{
	return tw_now_ns(CLOCK_MONOTONIC) + ms * TW_NS_PER_MS;
}

int tw_await(int fd, short events, int other_fd, int64_t end_ns)
{
	struct pollfd ready[] = {
		{ .fd = fd, .events = events },
		{ .fd = other_fd, .events = POLLIN },
	};
	int count;

	do {
		int64_t ms = (end_ns - tw_await_in_ms(0)) / TW_NS_PER_MS + 1;

		count = poll(ready, 2, ms < 0 ? 0 : ms > WAIT_MS ? WAIT_MS :
			     (int)ms);
	} while (count < 0 && errno == EINTR);
	if (count < 0)
		return -errno;
	return ready[1].revents ? -EINTR : count ? 0 : -ETIMEDOUT;
}

int tw_await_stop_fd(void)
{
	static int fd = -1;
	sigset_t signals;

	if (fd >= 0)
		return fd;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	fd = signalfd(-1, &signals, SFD_CLOEXEC);
	return fd;
}

bool tw_await_stopped(void)
{
	return !tw_await(tw_await_stop_fd(), POLLIN, -1, 0);
}
