// SPDX-License-Identifier: GPL-2.0-or-later
/* The grid of expiries: arithmetic, and each kind of timer for real. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "base/tw_timer.h"
#include "unit.h"

#define KINDS	3
#define START	INT64_C(1000000007)
#define PERIOD	INT64_C(1000)

static void test_kinds(void **state)
{
	/* Only a sleep is ended by the interrupt itself, on PREEMPT_RT. */
	static const struct { const char *name; bool softirq; } rows[KINDS] = {
		{ "nanosleep", false }, { "posix", true }, { "timerfd", true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < KINDS; i++) {
		assert_string_equal(tw_timer_kinds[i]->name, rows[i].name);
		assert_int_equal(tw_timer_kinds[i]->softirq, rows[i].softirq);
	}
	assert_false(tw_timer_none.softirq);
	assert_null(tw_timer_kinds[KINDS]);
	assert_string_equal(tw_timer_none.name, "none");
	assert_string_equal(tw_timer_posix.name, "posix");
}

static void test_passed(void **state)
{
	static const struct { int64_t awake_ns; uint64_t want; } rows[] = {
		{ START - 1, 0 }, { START, 0 }, { START + 1, 0 },
		{ START + PERIOD - 1, 0 }, { START + PERIOD, 1 },
		{ START + 2 * PERIOD - 1, 1 }, { START + 2 * PERIOD, 2 },
		{ START + 5000000 * PERIOD + 3, 5000000 },
		{ START - 100 * PERIOD, 0 }, { 0, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(tw_timer_passed(START, rows[i].awake_ns,
						 PERIOD), rows[i].want);
	assert_int_equal(tw_timer_passed(0, INT64_MAX, 1), INT64_MAX);
}

/* A timer that nobody armed, about to expire at START. */
static struct tw_timer new_timer(const struct tw_timer_ops *ops)
{
	return (struct tw_timer) {
		.ops = ops, .period_ns = PERIOD, .next_ns = START,
	};
}

/* The kernel counts for these kinds: t0 does not come into it. */
static void check_overrun(const struct tw_timer_ops *ops)
{
	static const uint64_t overruns[] = { 0, 0, 1, 0, 7, 1000000, 0 };
	struct tw_timer timer = new_timer(ops);
	int64_t next_ns = START;
	uint64_t seed = 7;
	size_t i;

	for (i = 0; i < sizeof(overruns) / sizeof(overruns[0]); i++) {
		timer.overrun = overruns[i];
		ops->settle(&timer, unit_between(&seed, 0, 2 * START));
		assert_int_equal(timer.planned_ns, next_ns);
		assert_int_equal(timer.missed, overruns[i]);
		next_ns += (int64_t)(overruns[i] + 1) * PERIOD;
		assert_int_equal(timer.next_ns, next_ns);
	}
}

static void test_settle_by_overrun(void **state)
{
	(void)state;
	check_overrun(&tw_timer_posix);
	check_overrun(tw_timer_kinds[2]);
}

/*
 * Here t0 decides. The plain reference walks the grid point by point. A
 * cycle may also begin before its expiry, by a clock that was set back.
 */
static void test_settle_by_time(void **state)
{
	struct tw_timer timer = new_timer(tw_timer_kinds[0]);
	int64_t next_ns = START, awake_ns, planned_ns;
	uint64_t seed = 11, missed;
	int i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		awake_ns = next_ns + (i % 10 ?
			   unit_between(&seed, -PERIOD / 2, PERIOD - 1) :
			   unit_between(&seed, -PERIOD, 20 * PERIOD));
		planned_ns = next_ns;
		missed = 0;
		for (next_ns += PERIOD; next_ns <= awake_ns; missed++)
			next_ns += PERIOD;

		timer.ops->settle(&timer, awake_ns);
		assert_int_equal(timer.planned_ns, planned_ns);
		assert_int_equal(timer.missed, missed);
		assert_int_equal(timer.next_ns, next_ns);
	}
	assert_int_equal((timer.next_ns - START) % PERIOD, 0);
}

static void test_none(void **state)
{
	struct tw_timer timer;

	(void)state;
	assert_int_equal(tw_timer_start(&timer, &tw_timer_none,
					CLOCK_MONOTONIC, 0, 0), 0);
	assert_int_equal(timer.ops->wait(&timer), 0);
	timer.ops->settle(&timer, 12345);
	assert_int_equal(timer.planned_ns, 12345);
	assert_int_equal(timer.missed, 0);
	timer.ops->settle(&timer, 99999);
	assert_int_equal(timer.planned_ns, 99999);
	assert_int_equal(timer.missed, 0);
	timer.ops->stop(&timer);
}

#define REAL_PERIOD	(500 * TW_NS_PER_US)
#define REAL_CYCLES	200

static void wait_for_expiry(struct tw_timer *timer)
{
	int err;

	do
		err = timer->ops->wait(timer);
	while (err == -EINTR);
	assert_int_equal(err, 0);
}

/* Takes longer than a few periods every now and then. */
static void dawdle(int cycle)
{
	struct timespec pause = tw_ns_to_ts(cycle % 50 == 49 ?
					    7 * REAL_PERIOD / 2 : 0);

	if (pause.tv_nsec)
		nanosleep(&pause, NULL);
}

/* No expiry comes early, none is lost, and all lie on one grid. */
static void check_real(const struct tw_timer_ops *ops, clockid_t clockid)
{
	int64_t before_ns = tw_now_ns(clockid), first_ns, next_ns, now_ns;
	struct tw_timer timer;
	uint64_t missed = 0;
	int i;

	assert_int_equal(tw_timer_start(&timer, ops, clockid, REAL_PERIOD, 0),
			 0);
	first_ns = timer.next_ns;
	assert_true(first_ns >= before_ns + REAL_PERIOD);
	assert_true(first_ns <= tw_now_ns(clockid) + REAL_PERIOD);
	for (i = 0; i < REAL_CYCLES; i++) {
		next_ns = timer.next_ns;
		wait_for_expiry(&timer);
		now_ns = tw_now_ns(clockid);
		assert_true(now_ns >= next_ns);
		timer.ops->settle(&timer, now_ns);
		assert_int_equal(timer.planned_ns, next_ns);
		missed += timer.missed;
		assert_int_equal(timer.next_ns, first_ns +
				 (int64_t)(i + 1 + missed) * REAL_PERIOD);
		/* What was counted as missed had passed. */
		assert_true(timer.next_ns - REAL_PERIOD <= now_ns);
		dawdle(i);
	}
	/* Each pause of 3.5 periods has cost 2 or 3 expiries at least. */
	assert_true(missed >= 2 * (REAL_CYCLES / 50 - 1));
	timer.ops->stop(&timer);
}

static void test_real_timers(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < KINDS; i++)
		check_real(tw_timer_kinds[i], CLOCK_MONOTONIC);
}

/* A boottime timer keeps the boottime grid, whatever clock it is. */
static void test_other_clock(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < KINDS; i++)
		check_real(tw_timer_kinds[i], CLOCK_BOOTTIME);
}

/* The first expiry of many timers, on the clock of each: a time to come. */
static void test_first_given(void **state)
{
	struct tw_timer timer;
	int64_t first_ns;
	size_t i;

	(void)state;
	for (i = 0; i < KINDS; i++) {
		first_ns = tw_now_ns(CLOCK_MONOTONIC) + 5 * TW_NS_PER_MS;
		assert_int_equal(tw_timer_start(&timer, tw_timer_kinds[i],
						CLOCK_MONOTONIC, REAL_PERIOD,
						first_ns), 0);
		assert_int_equal(timer.next_ns, first_ns);
		wait_for_expiry(&timer);
		assert_true(tw_now_ns(CLOCK_MONOTONIC) >= first_ns);
		timer.ops->settle(&timer, tw_now_ns(CLOCK_MONOTONIC));
		assert_int_equal(timer.planned_ns, first_ns);
		assert_int_equal((timer.next_ns - first_ns) % REAL_PERIOD, 0);
		timer.ops->stop(&timer);
	}
}

static void test_no_such_clock(void **state)
{
	struct tw_timer timer;

	(void)state;
	assert_int_equal(tw_timer_start(&timer, &tw_timer_posix, 99,
					REAL_PERIOD, 0), -EINVAL);
	assert_int_equal(tw_timer_start(&timer, tw_timer_kinds[2], 99,
					REAL_PERIOD, 0), -EINVAL);
}

static void on_signal(int signal)
{
	(void)signal;
}

/* Main wakes the client by a signal to look at the stop flag. */
static void test_interrupted(void **state)
{
	const struct sigaction action = { .sa_handler = on_signal };
	const struct itimerval soon = {
		.it_value = { .tv_usec = 1000 },
		.it_interval = { .tv_usec = 1000 },
	};
	const struct itimerval never = { .it_value = { .tv_usec = 0 } };
	struct tw_timer timer;
	size_t i;

	(void)state;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	for (i = 0; i < KINDS; i++) {
		assert_int_equal(tw_timer_start(&timer, tw_timer_kinds[i],
						CLOCK_MONOTONIC,
						3600 * TW_NS_PER_S, 0), 0);
		assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
		assert_int_equal(timer.ops->wait(&timer), -EINTR);
		assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
		timer.ops->stop(&timer);
	}
}

/* Sent by anybody else, the timer's signal is no expiry. */
static void test_stray_signal(void **state)
{
	struct tw_timer timer;
	int i;

	(void)state;
	assert_int_equal(tw_timer_start(&timer, &tw_timer_posix,
					CLOCK_MONOTONIC,
					20 * TW_NS_PER_MS, 0), 0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(kill(getpid(), TW_TIMER_SIGNAL), 0);
		wait_for_expiry(&timer);
		assert_true(tw_now_ns(CLOCK_MONOTONIC) >= timer.next_ns);
		timer.ops->settle(&timer, 0);
	}
	timer.ops->stop(&timer);
}

/*
 * Where the clock is set back between an expiry and the call that tells of
 * it, a timerfd has nothing to read and a POSIX timer counts -1 overruns:
 * the same expiry is yet to come.
 */
static void test_set_back_timerfd(void **state)
{
	struct tw_timer timer = new_timer(tw_timer_kinds[2]);

	(void)state;
	timer.overrun = 7;
	timer.fd = open("/dev/null", O_RDONLY);
	assert_true(timer.fd >= 0);
	assert_int_equal(timer.ops->wait(&timer), -EINTR);
	assert_int_equal(timer.overrun, 7);
	timer.ops->stop(&timer);
}

static void test_set_back_posix(void **state)
{
	struct tw_timer timer = new_timer(&tw_timer_posix);
	siginfo_t info = { .si_signo = TW_TIMER_SIGNAL };

	(void)state;
	sigemptyset(&timer.signals);
	sigaddset(&timer.signals, TW_TIMER_SIGNAL);
	assert_int_equal(sigprocmask(SIG_BLOCK, &timer.signals, NULL), 0);
	timer.overrun = 7;
	info.si_code = SI_TIMER;
	info.si_overrun = -1;
	assert_int_equal(syscall(SYS_rt_sigqueueinfo, getpid(),
				 TW_TIMER_SIGNAL, &info), 0);
	assert_int_equal(timer.ops->wait(&timer), -EINTR);
	assert_int_equal(timer.overrun, 7);
	info.si_overrun = 3;
	assert_int_equal(syscall(SYS_rt_sigqueueinfo, getpid(),
				 TW_TIMER_SIGNAL, &info), 0);
	assert_int_equal(timer.ops->wait(&timer), 0);
	assert_int_equal(timer.overrun, 3);
}

/* A stopped timer sends nothing any more, and leaves no descriptor. */
static void test_stop(void **state)
{
	struct timespec pause = tw_ns_to_ts(5 * REAL_PERIOD);
	struct tw_timer timer;
	int lowest = dup(0), after;

	(void)state;
	close(lowest);
	assert_int_equal(tw_timer_start(&timer, &tw_timer_posix,
					CLOCK_MONOTONIC, REAL_PERIOD, 0), 0);
	wait_for_expiry(&timer);
	timer.ops->stop(&timer);
	/* An expiry may have come between the two calls. */
	sigtimedwait(&timer.signals, NULL, &(struct timespec) { 0 });
	assert_int_equal(sigtimedwait(&timer.signals, NULL, &pause), -1);
	assert_int_equal(errno, EAGAIN);

	assert_int_equal(tw_timer_start(&timer, tw_timer_kinds[2],
					CLOCK_MONOTONIC, REAL_PERIOD, 0), 0);
	timer.ops->stop(&timer);
	after = dup(0);
	assert_int_equal(after, lowest);
	close(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_passed),
		cmocka_unit_test(test_settle_by_overrun),
		cmocka_unit_test(test_settle_by_time),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_real_timers),
		cmocka_unit_test(test_other_clock),
		cmocka_unit_test(test_first_given),
		cmocka_unit_test(test_no_such_clock),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_stray_signal),
		cmocka_unit_test(test_set_back_timerfd),
		cmocka_unit_test(test_set_back_posix),
		cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
