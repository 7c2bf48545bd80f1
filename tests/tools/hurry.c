// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library to preload: where the process that it is loaded into, and none of
 * its children, waits in poll() for LONG_MS or more, and nothing comes, this
 * takes but a part of that, and CLOCK_MONOTONIC is then ahead by the rest.
 */
#include <poll.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LONG_MS		10000
#define FACTOR		200
#define NS_PER_MS	INT64_C(1000000)
#define NS_PER_S	INT64_C(1000000000)

static pid_t hurried;
static int64_t ahead_ns;

__attribute__((constructor)) static void begin(void)
{
	hurried = getpid();
}

static struct timespec to_timespec(int64_t ns)
{
	return (struct timespec) { ns / NS_PER_S, ns % NS_PER_S };
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int err = (int)syscall(SYS_clock_gettime, clock, now);

	if (!err && clock == CLOCK_MONOTONIC && getpid() == hurried)
		*now = to_timespec(now->tv_sec * NS_PER_S + now->tv_nsec +
				   ahead_ns);
	return err;
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	int64_t ns = timeout * NS_PER_MS, skipped_ns = 0;
	struct timespec limit;
	int found;

	if (timeout >= LONG_MS && getpid() == hurried)
		skipped_ns = ns - ns / FACTOR;
	limit = to_timespec(ns - skipped_ns);
	found = (int)syscall(SYS_ppoll, fds, count, timeout < 0 ? NULL : &limit,
			     NULL, 0);
	if (!found)
		ahead_ns += skipped_ns;
	return found;
}
