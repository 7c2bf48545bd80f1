// SPDX-License-Identifier: GPL-2.0-or-later
/* Throttling beside several pairs: whichever of them it may concern. */
#include "machine.h"
#include "report.h"
#include "throttle.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static const struct tw_throttle fifty = {
	.known = true, .runtime_us = 950000, .period_us = 1000000,
	.stall_ns = 50000000, .bypass = TW_BYPASS_LIMIT,
};

/* A run of three on CPUs 1 to 6, by -a, with the load on @load. */
static void open_run(const char *line, const char *load)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.throttle = fifty;
	use_cpus(8);
	new_run(line);
	config.affinity = TW_SET;
	config.affinity_set = set_of("1-6");
	*(cpu_set_t *)set_by("load-affinity") = set_of(load);
	assert_int_equal(tw_part_throttle.open(&session.run), 0);
}

static void close_run(void)
{
	tw_part_throttle.finish(&session.run);
	tw_part_throttle.close(&session.run);
}

/* Servers are on CPU 1, 3 and 5, clients on 2, 4 and 6. */
static void test_shared_cpu(void **state)
{
	static const struct {
		const char *line, *load;
		bool expected;
	} rows[] = {
		{ "-t3 -p80 --load=fft", "0", false },
		{ "-t3 -p80 --load=fft", "1", true },
		{ "-t3 -p80 --load=fft", "2", true },
		{ "-t3 -p80 --load=fft", "3", true },
		{ "-t3 -p80 --load=fft", "4", true },
		{ "-t3 -p80 --load=fft", "5", true },
		{ "-t3 -p80 --load=fft", "6", true },
		{ "-t3 -p80 --load=fft", "7", false },
		{ "-t3 -p80 --load=fft", "0,7", false },
		{ "-t3 -p80 --load=fft", "0,6-7", true },
		{ "-t2 -p80 --load=fft", "4", true },
		{ "-t2 -p80 --load=fft", "5", false },
		{ "-t3 -p80 --load=fft --load-policy=other", "6", false },
		{ "-t3 --load=fft", "6", false },
		/* One server on CPU 1, its clients on 2, 3 and 4. */
		{ "-t3 -p80 --servers=one --load=fft", "1", true },
		{ "-t3 -p80 --servers=one --load=fft", "4", true },
		{ "-t3 -p80 --servers=one --load=fft", "5-6", false },
	};
	unsigned int k;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		open_run(rows[i].line, rows[i].load);
		if (tw_throttle_expected(&session.run) != rows[i].expected)
			fail_msg("\"%s\", load on %s", rows[i].line,
				 rows[i].load);
		/* It may be any pair that is stopped: all count. */
		for (k = 0; k < config.pairs.count; k++) {
			struct tw_tally *tally = run_pair(k)->tally;

			tw_part_throttle.attach(&session.run, run_pair(k),
						NULL);
			assert_int_equal(tally->stall_min_ns,
					 rows[i].expected ? 37500000 : 0);
			assert_int_equal(tally->stall_max_ns,
					 rows[i].expected ? 75000000 : 0);
		}
		close_run();
	}
}

#define LIMIT \
	"# (sched_rt_runtime_us 950000 of 1000000): not this kernel's latency; --rt-runtime=-1 lifts it for a run\n"
#define MAY \
	"# Throttling may have stopped real-time tasks for up to 50000 us at a time; counted are only stalls from 37500 us on\n"
#define STOPPED \
	"# Throttling stopped real-time tasks for 50000 us at a time, as the load left its CPU no rest\n"

/* What is said if the longest that pair @number received took so long. */
static const char *said(unsigned int number, int64_t late_ns, bool heard)
{
	unsigned int k;

	open_run("-t3 -d0 -p80 --load=fft", "6");
	kernel.heard = heard;
	for (k = 0; k < 3; k++) {
		tw_part_throttle.attach(&session.run, run_pair(k), NULL);
		measure_late(k, 0, k == number ? late_ns : 0);
		measure_late(k, 1, 0);
	}
	close_run();
	return written(tw_part_throttle.remarks);
}

/* A stall too short to count: one pair that had it is enough. */
static void test_short_stall(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < 3; k++) {
		/* 8.5 us of it are the cycle's own. */
		assert_string_equal(said(k, 12500000 - 8500, false),
				    MAY LIMIT);
		assert_string_equal(said(k, 12500000 - 8501, false), "");
		assert_string_equal(said(k, 12500000 - 8501, true),
				    MAY LIMIT);
	}
	/* Not of a pair in which no stall is expected. */
	said(2, 12500000, false);
	run_pair(2)->tally->stall_max_ns = 0;
	assert_string_equal(written(tw_part_throttle.remarks), "");
}

/* Stalls that count are added up, whichever pair had them. */
static void test_sum(void **state)
{
	(void)state;
	assert_string_equal(said(1, 50000000, false),
			    "# Throttled: 1\n" STOPPED LIMIT);
	said(2, 50000000, false);
	run_pair(0)->tally->throttled = 40;
	run_pair(1)->tally->throttled = 300;
	assert_string_equal(written(tw_part_throttle.remarks),
			    "# Throttled: 341\n" STOPPED LIMIT);
}

/* A ramp of pairs has its load, and so its stalls, from the first step on. */
static void test_ramp(void **state)
{
	(void)state;
	open_run("--ramp=pairs --steps=3 -l5 -d0 -p80 --load=fft:2", "6");
	session.run.step = 0;
	tw_part_throttle.attach(&session.run, run_pair(0), NULL);
	assert_int_equal(run_pair(0)->tally->stall_max_ns, 75000000);
	close_run();
	open_run("-t3 --steps=3 -l5 -d0 -p80 --load=fft", "6");
	session.run.step = 0;
	tw_part_throttle.attach(&session.run, run_pair(0), NULL);
	assert_int_equal(run_pair(0)->tally->stall_max_ns, 0);
	close_run();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared_cpu),
		cmocka_unit_test(test_short_stall),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_ramp),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
