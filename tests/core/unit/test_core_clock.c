// SPDX-License-Identifier: GPL-2.0-or-later
/* Which clock is read, and planned times that are converted to it. */
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "tw_config.h"
#include "tw_part.h"
#include "tw_time.h"

#define AHEAD_NS	INT64_C(1000000000)	/* times the number of the clock */
#define STEP_NS		10	/* from one reading to the next */

static bool own;		/* the time is that of the test */
static int64_t time_ns;
static int reading, slow[4];	/* numbers of readings that come late */

int __real_clock_gettime(clockid_t clockid, struct timespec *now);
int __wrap_clock_gettime(clockid_t clockid, struct timespec *now);
int __wrap_clock_gettime(clockid_t clockid, struct timespec *now)
{
	size_t i;

	if (!own)
		return __real_clock_gettime(clockid, now);
	reading++;
	time_ns += STEP_NS;
	for (i = 0; i < 4; i++)
		time_ns += reading == slow[i] ? 70000 : 0;
	*now = tw_ns_to_ts(time_ns + clockid * AHEAD_NS);
	return 0;
}

static struct word {
	const char *word, *name;
	clockid_t clockid, timer;
} words[] = {
	{ "monotonic", "monotonic", CLOCK_MONOTONIC, CLOCK_MONOTONIC },
	{ "0", "monotonic", CLOCK_MONOTONIC, CLOCK_MONOTONIC },
	{ "realtime", "realtime", CLOCK_REALTIME, CLOCK_REALTIME },
	{ "1", "realtime", CLOCK_REALTIME, CLOCK_REALTIME },
	{ "monotonic_raw", "monotonic_raw", CLOCK_MONOTONIC_RAW,
	  CLOCK_MONOTONIC },
	{ "tai", "tai", CLOCK_TAI, CLOCK_MONOTONIC },
	{ "boottime", "boottime", CLOCK_BOOTTIME, CLOCK_MONOTONIC },
};

TEST_EACH(found, words)
{
	const struct tw_clock *clock = tw_clock_find(of->word);

	assert_string_equal(clock->name, of->name);
	assert_int_equal(clock->timer_clockid, of->timer);
	own = true;
	time_ns = 5000;
	assert_int_equal(clock->now_ns(),
			 5000 + STEP_NS + of->clockid * AHEAD_NS);
	own = false;
}

/* Three tries of three readings; one that is not disturbed is enough. */
static struct conversion {
	const char *name;
	const char *clock;
	int slow[4];
	int64_t ahead_ns;	/* -1: the timer is not replaced */
	int64_t interval_us;
} conversions[] = {
	{ "own", "monotonic", { 0 }, -1, 1000 },
	{ "realtime", "realtime", { 0 }, -1, 1000 },
	{ "closed", "tai", { 0 }, -1, 0 },
	{ "tai", "tai", { 0 }, (CLOCK_TAI - 1) * AHEAD_NS, 1000 },
	{ "raw", "monotonic_raw", { 2, 6 }, 3 * AHEAD_NS, 1000 },
	{ "boottime", "boottime", { 5, 8, 9 },
	  (CLOCK_BOOTTIME - 1) * AHEAD_NS, 1000 },
	{ "first", "tai", { 5, 8, 11, 14 }, (CLOCK_TAI - 1) * AHEAD_NS,
	  1000 },
	{ "last", "boottime", { 2, 3, 5, 6 },
	  (CLOCK_BOOTTIME - 1) * AHEAD_NS, 1000 },
};

TEST_EACH(converted, conversions)
{
	const struct tw_timer_ops *inner = tw_timer_find("nanosleep");
	struct tw_timer timer;
	size_t i;

	tw_config.intervals_us[0] = of->interval_us;
	tw_config.clock = tw_clock_find(of->clock);
	tw_config.timer = inner;
	tw_part_clock.check(NULL);
	assert_int_equal(tw_config.timer == inner, of->ahead_ns < 0);
	if (of->ahead_ns < 0)
		return;
	assert_ptr_equal(tw_config.timer->wait, inner->wait);
	assert_int_equal(tw_timer_start(&timer, tw_config.timer,
					CLOCK_MONOTONIC, 1000, 80000), 0);
	own = true;
	reading = 0;
	for (i = 0; i < 4; i++)
		slow[i] = of->slow[i];
	/* Two expiries were missed. */
	timer.ops->settle(&timer, 80000 + 2500 + of->ahead_ns);
	own = false;
	assert_int_equal(timer.planned_ns, 80000 + of->ahead_ns);
	assert_int_equal(timer.missed, 2);
	assert_int_equal(timer.next_ns, 83000);
}

/* It ends the program if there is none, which a child tries. */
TEST(is_monotonic)
{
	int64_t before_ns, here_ns, after_ns;
	int status;

	if (!fork()) {
		tw_config.clock = tw_clock_find("tsc");
		tw_part_clock.check(NULL);
		before_ns = tw_now_ns(CLOCK_MONOTONIC);
		here_ns = tw_config.clock->now_ns();
		after_ns = tw_now_ns(CLOCK_MONOTONIC);
		_exit(here_ns < before_ns - 100000 ||
		      here_ns > after_ns + 100000 ? 99 : 0);
	}
	wait(&status);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 99);
}
