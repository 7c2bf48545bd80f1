// SPDX-License-Identifier: GPL-2.0-or-later
/* The grid of expiries, with a clock of the test's own. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "unit.h"
#include "tw_time.h"
#include "tw_timer.h"

#define WAITS	5

static int64_t asked_ns;	/* of the last clock_nanosleep() */
static int answer, overrun, code;

int __wrap_clock_nanosleep(clockid_t clockid, int flags,
			   const struct timespec *request,
			   struct timespec *remain);
int __wrap_clock_nanosleep(clockid_t clockid, int flags,
			   const struct timespec *request,
			   struct timespec *remain)
{
	assert_int_equal(clockid, CLOCK_MONOTONIC);
	assert_int_equal(flags, TIMER_ABSTIME);
	(void)remain;
	asked_ns = request->tv_sec * TW_NS_PER_S + request->tv_nsec;
	return answer;
}

int __wrap_sigwaitinfo(const sigset_t *set, siginfo_t *info);
int __wrap_sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	assert_true(sigismember(set, SIGRTMIN));
	memset(info, 0, sizeof(*info));
	info->si_code = code;
	info->si_overrun = overrun;
	errno = answer;
	return answer ? -1 : SIGRTMIN;
}

static struct grid {
	const char *name;
	const char *timer;
	int64_t late_ns[WAITS];		/* t0 less the expiry waited for */
	int overrun[WAITS];		/* as the kernel tells */
	uint64_t missed[WAITS];
} grids[] = {
	{ "nanosleep in time", "nanosleep", { 5, 0, 9, 999, 1 }, { 0 }, { 0 } },
	{ "nanosleep late", "nanosleep", { 5, 3500, 1000, 19999, 0 }, { 0 },
	  { 0, 3, 1, 19, 0 } },
	{ "nanosleep early", "nanosleep", { -1, -900, 7, -3000, 0 }, { 0 },
	  { 0 } },
	{ "posix in time", "posix", { 5, 0, 9, 5, 1 }, { 0 }, { 0 } },
	{ "posix, as the kernel counts", "posix",
	  { 5, 3500, 1000, 0, 0 }, { 0, 3, 0, 19, 2 }, { 0, 3, 0, 19, 2 } },
};

TEST_EACH(expiries, grids)
{
	const int64_t first_ns = INT64_C(4000000000000) * TW_NS_PER_MS / 1000;
	bool posix = !strcmp(of->timer, "posix");
	int64_t planned_ns = first_ns;
	struct tw_timer timer;
	int i;

	assert_int_equal(tw_timer_start(&timer, tw_timer_find(of->timer),
					1000, first_ns), 0);
	for (i = 0; i < WAITS; i++) {
		/* What is no expiry: call it again. */
		answer = EINTR;
		assert_int_equal(timer.ops->wait(&timer), -EINTR);
		answer = 0;
		code = SI_USER;
		if (posix)
			assert_int_equal(timer.ops->wait(&timer), -EINTR);
		code = SI_TIMER;
		overrun = of->overrun[i];
		assert_int_equal(timer.ops->wait(&timer), 0);
		if (!posix)
			assert_int_equal(asked_ns, planned_ns);
		timer.ops->settle(&timer, planned_ns + of->late_ns[i]);
		assert_int_equal(timer.planned_ns, planned_ns);
		assert_int_equal(timer.missed, of->missed[i]);
		planned_ns += 1000 * (1 + (int64_t)of->missed[i]);
		assert_int_equal(timer.next_ns, planned_ns);
	}
}
