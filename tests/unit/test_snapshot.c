// SPDX-License-Identifier: GPL-2.0-or-later
/* Snapshots of a tally: at rest, amid a fold, and while folds go on. */
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit_tally.h"

static double deviation_of(const struct tw_stats *stats)
{
	return tw_deviation(stats->count, stats->m2_ns2);
}

static void check_status(const struct tw_status *got,
			 const struct tw_stats *want)
{
	/* Stored: the i386's registers have more bits than a double. */
	const volatile double mean_ns = tw_stats_mean(want);
	const volatile double deviation_ns = deviation_of(want);

	assert_int_equal(got->count, want->count);
	assert_int_equal(got->last_ns, want->last_ns);
	assert_int_equal(got->min_ns, want->min_ns);
	assert_int_equal(got->max_ns, want->max_ns);
	assert_true(got->mean_ns == mean_ns);
	assert_true(got->deviation_ns == deviation_ns);
}

static void check_snapshot(const struct tw_tally *tally)
{
	struct tw_status status[TW_METRICS];
	int id;

	memset(status, 0xff, sizeof(status));
	tw_series_snapshot(&tally->series, status);
	assert_int_equal(status[0].count, tally->cycles);
	for (id = 0; id < TW_METRICS; id++)
		check_status(&status[id], &tally->series.row[id].stats);
}

static void test_at_rest(void **state)
{
	struct tw_tally *tally = new_tally(&usual, 0);
	struct tw_cycle cycle = { .seq = 0 };
	uint64_t seed = 6;
	int id;

	(void)state;
	while (tally->cycles < 100) {
		advance(&cycle, &seed);
		tw_tally_add(tally, &cycle);
		check_snapshot(tally);
	}
	for (id = 0; id < TW_METRICS; id++) {
		struct tw_status status = tw_series_status(&tally->series, id);

		check_status(&status, &tally->series.row[id].stats);
	}
	drop_tally(tally, 0);
}

/* A client stopped amid a fold never comes to its end. */
static void test_stopped_amid_fold(void **state)
{
	struct tw_tally *tally = new_tally(&usual, 0);
	struct tw_cycle cycle = { .seq = 0 };
	uint64_t seed = 7;
	int i;

	(void)state;
	for (i = 0; i < 20; i++) {
		advance(&cycle, &seed);
		tw_tally_add(tally, &cycle);
		tally->series.version++;
		check_snapshot(tally);
		tally->series.version++;
	}
	drop_tally(tally, 0);
}

/* Whether all of it is of one moment. */
static bool consistent(const struct tw_status status[TW_METRICS])
{
	int id;

	for (id = 0; id < TW_METRICS; id++) {
		const struct tw_status *s = &status[id];

		if (s->count != status[0].count || s->min_ns > s->mean_ns ||
		    s->mean_ns > s->max_ns || s->last_ns < s->min_ns ||
		    s->last_ns > s->max_ns)
			return false;
	}
	return status[TW_RESPONSE].last_ns == status[TW_SEND].last_ns +
	       status[TW_SLEEP].last_ns + status[TW_RECEIVE].last_ns &&
	       status[TW_PLANNED].last_ns == status[TW_WAKEUP].last_ns +
	       status[TW_RESPONSE].last_ns &&
	       fabs(status[TW_RESPONSE].mean_ns - status[TW_SEND].mean_ns -
		    status[TW_SLEEP].mean_ns - status[TW_RECEIVE].mean_ns) <
	       1e-6;
}

static struct {
	struct tw_tally *tally;
	struct tw_cycle cycle;
	uint64_t seed;
} on_alarm;

static void fold_on_alarm(int signal)
{
	(void)signal;
	advance(&on_alarm.cycle, &on_alarm.seed);
	tw_tally_add(on_alarm.tally, &on_alarm.cycle);
}

static void set_alarm(long period_us)
{
	const struct itimerval timer = {
		.it_interval.tv_usec = period_us,
		.it_value.tv_usec = period_us,
	};

	setitimer(ITIMER_REAL, &timer, NULL);
}

/*
 * Whole folds, thrown into the middle of snapshots: none of these has an
 * excuse for mixing two moments.
 */
static void test_interrupted_by_folds(void **state)
{
	const struct sigaction fold = { .sa_handler = fold_on_alarm };
	struct sigaction before;
	struct tw_status status[TW_METRICS];
	long interrupted = 0, torn = 0;

	(void)state;
	on_alarm.tally = new_tally(&usual, WIDTH);
	on_alarm.seed = 8;
	fold_on_alarm(SIGALRM);
	sigaction(SIGALRM, &fold, &before);
	set_alarm(100);
	while (interrupted < 1000) {
		uint32_t version = on_alarm.tally->series.version;

		tw_series_snapshot(&on_alarm.tally->series, status);
		interrupted += version != on_alarm.tally->series.version;
		torn += !consistent(status);
	}
	set_alarm(0);
	sigaction(SIGALRM, &before, NULL);
	assert_int_equal(torn, 0);
	check_snapshot(on_alarm.tally);
	drop_tally(on_alarm.tally, WIDTH);
}

#define WRITER_CYCLES	100000

/* Folds, with a pause that a snapshot fits into, as any client has. */
static void writer(struct tw_tally *tally)
{
	struct tw_cycle cycle = { .seq = 0 };
	uint64_t seed = 9;
	volatile int pause;
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < WRITER_CYCLES; i++) {
		advance(&cycle, &seed);
		tw_tally_add(tally, &cycle);
		for (pause = 0; pause < 1000; pause++)
			;
	}
	_exit(0);
}

struct seen {
	long snapshots;
	long torn;
	long backwards;
	int status;
};

/* Whether the writer stays amid a fold: preempted there, not just slow. */
static bool stopped(const struct tw_tally *tally, uint32_t version)
{
	int left = 100000;

	while (version & 1 && version == tally->series.version && left)
		left--;
	return !left;
}

/* Takes snapshots until the writer is gone; asserts nothing, so reaps it. */
static struct seen look_on(const struct tw_tally *tally, pid_t pid)
{
	struct tw_status status[TW_METRICS];
	struct seen seen = { 0 };
	uint64_t latest = 0;

	while (waitpid(pid, &seen.status, WNOHANG) == 0) {
		uint32_t version = tally->series.version;

		tw_series_snapshot(&tally->series, status);
		seen.snapshots++;
		seen.backwards += status[0].count < latest;
		latest = status[0].count;
		if (latest && !consistent(status) &&
		    !stopped(tally, version))
			seen.torn++;
	}
	return seen;
}

/*
 * A client preempted amid a fold spoils snapshots, and it may resume just
 * when this is noticed. That is rare however busy the machine; with a
 * snapshot that does not wait for the end of a fold it is the rule.
 */
static void test_folds_of_other_process(void **state)
{
	struct tw_tally *tally = new_tally(&usual, WIDTH);
	struct seen seen;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (!pid)
		writer(tally);
	seen = look_on(tally, pid);
	assert_true(WIFEXITED(seen.status));
	assert_int_equal(WEXITSTATUS(seen.status), 0);
	assert_true(seen.snapshots > 0);
	assert_int_equal(seen.backwards, 0);
	assert_in_range(seen.torn, 0, seen.snapshots / 50);
	assert_int_equal(tally->cycles, WRITER_CYCLES);
	check_snapshot(tally);
	drop_tally(tally, WIDTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_rest),
		cmocka_unit_test(test_stopped_amid_fold),
		cmocka_unit_test(test_interrupted_by_folds),
		cmocka_unit_test(test_folds_of_other_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
