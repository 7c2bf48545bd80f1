// SPDX-License-Identifier: GPL-2.0-or-later
/* Which clock is read, planned times that are converted to it, and that it is
 * set. */
#include <sys/wait.h>
#include <unistd.h>

#include "tw_config.h"
#include "tw_jumps.h"
#include "tw_part.h"
#include "tw_time.h"
#include "unit.h"

#define AHEAD_NS	INT64_C(1000000000)	/* times the number of the clock */
#define STEP_NS		10	/* from one reading to the next */

static bool own;		/* the time is that of the test */
static int64_t time_ns;
static int reading, slow[4];	/* numbers of readings that come late */
static int64_t gained_ns[CLOCK_TAI + 1];	/* by clock: as it was set */

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
	*now = tw_ns_to_ts(time_ns + clockid * AHEAD_NS + gained_ns[clockid]);
	return 0;
}

static struct word {
	const char *word, *name;
	clockid_t clockid;
} words[] = {
	{ "monotonic", "monotonic", CLOCK_MONOTONIC },
	{ "0", "monotonic", CLOCK_MONOTONIC },
	{ "realtime", "realtime", CLOCK_REALTIME },
	{ "1", "realtime", CLOCK_REALTIME },
	{ "monotonic_raw", "monotonic_raw", CLOCK_MONOTONIC_RAW },
	{ "tai", "tai", CLOCK_TAI },
	{ "boottime", "boottime", CLOCK_BOOTTIME },
};

TEST_EACH(found, words)
{
	const struct tw_clock *clock = tw_clock_find(of->word);

	assert_string_equal(clock->name, of->name);
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
	int64_t ahead_ns;	/* 0: the timer is not replaced */
} conversions[] = {
	{ "own", "monotonic", { 0 }, 0 },
	{ "realtime", "realtime", { 0 }, -AHEAD_NS },
	{ "tai", "tai", { 0 }, (CLOCK_TAI - 1) * AHEAD_NS },
	{ "raw", "monotonic_raw", { 2, 6 }, 3 * AHEAD_NS },
	{ "boottime", "boottime", { 5, 8, 9 },
	  (CLOCK_BOOTTIME - 1) * AHEAD_NS },
	{ "first", "tai", { 5, 8, 11, 14 }, (CLOCK_TAI - 1) * AHEAD_NS },
	{ "last", "boottime", { 2, 3, 5, 6 },
	  (CLOCK_BOOTTIME - 1) * AHEAD_NS },
};

/* The timer of the clock @word. */
static void start_timer(struct tw_timer *timer, const char *word,
			const struct tw_timer_ops *inner)
{
	tw_settings.clock = tw_clock_find(word);
	tw_settings.timer = inner;
	tw_part_clock.check(NULL);
	assert_int_equal(tw_timer_start(timer, tw_config.timer, 1000, 80000),
			 0);
}

TEST_EACH(converted, conversions)
{
	const struct tw_timer_ops *inner = tw_timer_find("nanosleep");
	struct tw_timer timer;
	size_t i;

	start_timer(&timer, of->clock, inner);
	assert_int_equal(timer.ops == inner, !of->ahead_ns);
	if (!of->ahead_ns)
		return;
	assert_ptr_equal(timer.ops->wait, inner->wait);
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
	for (i = 0; i < 4; i++)
		slow[i] = 0;
}

/* A closed loop plans nothing, but its clock is looked at, too. */
TEST(closed)
{
	struct tw_timer timer;

	start_timer(&timer, "tai", tw_timer_find("none"));
	own = true;
	timer.ops->settle(&timer, 7777);
	assert_int_equal(timer.planned_ns, 7777);
	assert_false(timer.watch.set_ns);
	gained_ns[CLOCK_TAI] -= 5000;
	timer.ops->settle(&timer, 7777);
	assert_int_equal(timer.watch.set_ns, -5000);
	own = false;
}

/*
 * The time of a cycle in which the clock was set lies between two looks: at the
 * expiry of 80000, it was set after the client woke up, or before.
 */
static struct setting {
	const char *name;
	int64_t set_ns, awake_ns;	/* CLOCK_MONOTONIC: as if not set */
	bool after;			/* was read before it was set */
	uint64_t missed;
} settings[] = {
	{ "forward", 5000000, 80500, false, 0 },
	{ "forward, late", 5000000, 82500, false, 2 },
	{ "forward, after", 5000000, 80500, true, 0 },
	{ "back", -5000000, 80500, false, 0 },
	{ "back, late", -5000000, 82500, false, 2 },
	/* Nobody knows: it may have been awake until now. */
	{ "back, after", -5000000, 80500, true, 3 },
};

TEST_EACH(set_in_a_cycle, settings)
{
	struct tw_timer timer;

	gained_ns[CLOCK_REALTIME] = 0;
	start_timer(&timer, "realtime", tw_timer_find("nanosleep"));
	own = true;
	time_ns = 79000 - AHEAD_NS;
	tw_jumps_look(&timer.watch, tw_config.clock);
	time_ns = 83000 - AHEAD_NS;
	gained_ns[CLOCK_REALTIME] = of->set_ns;
	timer.ops->settle(&timer, of->awake_ns - AHEAD_NS +
			  (of->after ? 0 : of->set_ns));
	own = false;
	assert_int_equal(timer.watch.set_ns, of->set_ns);
	assert_int_equal(timer.watch.doubts, 2);
	assert_int_equal(timer.missed, of->missed);
	assert_int_equal(timer.planned_ns, 80000 - AHEAD_NS + of->set_ns);
	assert_int_equal(timer.next_ns, 81000 + 1000 * of->missed);
}

/* Each reading takes 10 ns, so the distance is known within 11 ns. */
#define LOOKS	6

static struct seen {
	const char *name, *clock;
	int64_t gained_ns[LOOKS];	/* before each look, by this clock... */
	int64_t boot_ns[LOOKS];		/* ...and by CLOCK_BOOTTIME */
	int64_t set_ns[LOOKS];		/* as it is seen */
	uint64_t times;
	int64_t largest_ns;
} seen[] = {
	{ "the first time", "realtime", { 9000 }, { 0 }, { 0 }, 0, 0 },
	{ "as good as nothing", "realtime", { 0, 22, -22, 22 }, { 0 }, { 0 },
	  0, 0 },
	{ "something", "realtime", { 0, 23, 0, -23 }, { 0 }, { 0, 23, 0, -23 },
	  2, 23 },
	{ "little by little", "tai", { 0, 10, 10, 10, 0 }, { 0 },
	  { 0, 0, 0, 30, 0 }, 1, 30 },
	{ "twice", "tai", { 0, 5000, -9000, 0 }, { 0 }, { 0, 5000, -9000, 0 },
	  2, 9000 },
	{ "asleep", "boottime", { 0, 0, 7000, 0 }, { 0, 0, 7000, 0 },
	  { 0, 0, 7000, 0 }, 0, 0 },
	{ "asleep, and set", "realtime", { 0, 7000, 50, 0 }, { 0, 7000, 0 },
	  { 0, 7000, 50, 0 }, 1, 50 },
	/* In 1 ms. */
	{ "at its own rate", "monotonic_raw", { 0, 249000, -249000, 249000 },
	  { 0 }, { 0 }, 0, 0 },
	{ "at no rate", "monotonic_raw", { 0, 251000, -251000, 0 }, { 0 },
	  { 0, 251000, -251000, 0 }, 2, 251000 },
};

TEST_EACH(seen_to_be_set, seen)
{
	const struct tw_clock *clock = tw_clock_find(of->clock);
	struct tw_jumps jumps = { .times = 0 };
	struct tw_watch watch = { .ahead_ns = 0 };
	bool boottime = clock == tw_clock_find("boottime");
	clockid_t clockid = boottime ? CLOCK_BOOTTIME :
			    clock == tw_clock_find("tai") ? CLOCK_TAI :
			    clock == tw_clock_find("realtime") ?
			    CLOCK_REALTIME : CLOCK_MONOTONIC_RAW;
	int i;

	own = true;
	time_ns = 0;
	for (i = 0; i < LOOKS; i++) {
		time_ns = (i + 1) * TW_NS_PER_MS;
		gained_ns[clockid] += of->gained_ns[i];
		if (!boottime)
			gained_ns[CLOCK_BOOTTIME] += of->boot_ns[i];
		tw_jumps_look(&watch, clock);
		tw_jumps_note(&jumps, &watch);
		assert_int_equal(watch.set_ns, of->set_ns[i]);
		assert_true(watch.at_ns > AHEAD_NS + time_ns - 1000);
	}
	own = false;
	assert_int_equal(jumps.times, of->times);
	assert_int_equal(jumps.largest_ns, of->largest_ns);
}

/* It ends the program if there is none, which a child tries. */
TEST(is_monotonic)
{
	int64_t before_ns, here_ns, after_ns;
	int status;

	if (!fork()) {
		tw_settings.clock = tw_clock_find("tsc");
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
