// SPDX-License-Identifier: GPL-2.0-or-later
/* What is counted and kept of trials; -b; the spans of a trial. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pt_unit.h"

#include "pt_report.h"

#define US	TW_NS_PER_US
#define AHEAD	(1000 * US)

static const struct pt_metric metrics[] = {
	PT_METRIC("out", "Out", 0, 1, PT_WHO(PT_TO_WAIT, 1, 0)),
	PT_METRIC("back", "Back", 1, 2, PT_WHO(PT_TO_WAIT, 0, 1)),
	{ .token = NULL }
};

static const struct pt_test test = {
	.name = "any", .metrics = metrics, .trials = 10, .switches = 2,
	.spare_switches = 1, .flags = PT_PACED,
};

static struct pt_case *c;
static struct pt_task *leads;

static void open_case(const struct pt_test *of)
{
	c = pt_unit_case(of, NULL);
	leads = &c->task[0];
	c->task[1].in = c;
}

static void break_at(int64_t us)
{
	pt_config.break_us = us;
	open_case(&test);
}

BEFORE_EACH
{
	tw_settings.warmup = 2;
	tw_settings.loops = tw_settings.duration_s = 0;
	pt_config = (struct pt_config) { .bin_ns = 1000 };
	open_case(&test);
}

static void record(int64_t t0_ns, int64_t out_ns, int64_t back_ns)
{
	pt_record(leads, &(struct pt_trial) {
		.t_ns = { t0_ns, t0_ns + out_ns, t0_ns + out_ns + back_ns },
	});
}

TEST(test_count)
{
	const struct tw_stats *stats = &c->column[0].stats;
	int64_t n = 0;

	for (; pt_more(leads); n++) {
		assert_int_equal(pt_warms_up(leads), n < 2);
		record(100, 100 + n, 1);
	}
	assert_int_equal(n, 12);
	assert_true(pt_over(leads));
	assert_int_equal(stats->count, 10);
	assert_int_equal(stats->min, 102 * PT_PS_PER_NS);
	assert_int_equal(stats->max, 111 * PT_PS_PER_NS);
	assert_int_equal(c->column[0].worst.number, 10);
	assert_int_equal(c->column[1].worst.number, 1);
	assert_int_equal(c->first_count, 2);
	assert_int_equal(c->first_ps[1][0], 101 * PT_PS_PER_NS);
}

/* Many together, where nobody looks at one before the next. */
TEST(test_blocks)
{
	static const struct pt_metric interval[] = {
		PT_METRIC("interval", "Interval", PT_BEFORE, 0),
		{ .token = NULL }
	};
	const struct pt_test spins = { "spins", .metrics = metrics,
				       .flags = PT_SPINS };
	const struct pt_test repeats = { "repeats", .metrics = interval };
	const struct {
		const struct pt_test *test;
		int64_t break_us, interval_us;
		uint64_t first, recorded;	/* after 1, and PT_BLOCK + 1 */
	} rows[] = {
		{ &test, 0, 0, 0, PT_BLOCK },
		{ &test, 1, 0, 1, PT_BLOCK + 1 },
		{ &test, 0, 1, 1, PT_BLOCK + 1 },
		{ &spins, 0, 0, 1, PT_BLOCK + 1 },
		{ &repeats, 0, 0, 1, PT_BLOCK + 1 },
	};
	size_t i;
	int n;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pt_config.break_us = rows[i].break_us;
		pt_config.interval_us = rows[i].interval_us;
		open_case(rows[i].test);
		record(0, 1, 1);
		assert_int_equal(c->recorded, rows[i].first);
		for (n = 0; n < PT_BLOCK; n++)
			record(0, 1, 1);
		assert_int_equal(c->recorded, rows[i].recorded);
		assert_int_equal(pt_done(leads), PT_BLOCK + 1);
		atomic_store(&c->stop, 1);
		assert_false(pt_more(leads));
		assert_int_equal(c->recorded, PT_BLOCK + 1);
		assert_int_equal(c->column[0].stats.count, PT_BLOCK - 1);
	}
}

/* A clock that somebody sets. */
static int64_t set_ns;

static int64_t settable_ns(void)
{
	return tw_now_ns(CLOCK_MONOTONIC) + set_ns;
}

static const struct tw_clock settable = {
	"settable", settable_ns, true, false
};

/* What waits to be recorded when it is seen is left out, and its order. */
TEST(test_clock_is_set)
{
	const struct pt_test ordered = {
		.name = "ordered", .metrics = metrics, .trials = 100,
		.late = 1, .early = 0,
	};
	const struct pt_metric interval[] = {
		PT_METRIC("interval", "Interval", PT_BEFORE, 0),
		{ .token = NULL }
	};
	const struct pt_test repeats = {
		.name = "repeats", .metrics = interval, .trials = 10,
	};
	int i;

	tw_settings.warmup = 0;
	pt_config.keep = true;
	open_case(&ordered);
	c->stamped = &settable;
	for (i = 0; i < 3 * PT_BLOCK; i++) {
		assert_true(pt_more(leads));
		if (i == PT_BLOCK + 5)
			set_ns -= 5 * TW_NS_PER_MS;
		record(1000, i == 1 || i == PT_BLOCK + 5 ? -100 : 100, 1);
	}
	assert_int_equal(c->jumps.times, 1);
	assert_int_equal(c->jumps.left_out, PT_BLOCK);
	assert_int_equal(c->column[0].stats.count, 2 * PT_BLOCK);
	assert_int_equal(c->column[0].stats.min, -100 * PT_PS_PER_NS);
	assert_int_equal(c->wrong, 1);
	for (i = 0; i < 3 * PT_BLOCK; i++)
		assert_int_equal(pt_is_left_out(&c->kept[i].trial),
				 i / PT_BLOCK == 1);
	/* The next has no interval. */
	pt_config.keep = false;
	open_case(&repeats);
	c->stamped = &settable;
	for (i = 0; i < 10; i++) {
		assert_true(pt_more(leads));
		set_ns += i == 4 ? 7 * TW_NS_PER_MS : 0;
		record(1000 + i, 0, 0);
	}
	assert_int_equal(c->jumps.left_out, 1);
	assert_int_equal(c->column[0].stats.count, 10 - 1 - 2);
	assert_int_equal(c->column[0].stats.max, PT_PS_PER_NS);
}

static int fail_later(struct pt_task *task)
{
	return pt_done(task) < 5 ? 0 : -EIO;
}

/* What was measured before a failure counts. */
TEST(test_failed)
{
	assert_int_equal(pt_lead(leads, fail_later), -EIO);
	assert_int_equal(c->recorded, 5);
}

/*
 * The others have to answer the trial that is being run, or the task that leads
 * would wait for ever: to them it is over only when that task says so.
 */
TEST(test_stop_within_a_trial)
{
	assert_true(pt_more(leads));
	atomic_store(&c->stop, 1);
	assert_false(pt_over(&c->task[1]));
	record(0, 1, 1);
	assert_false(pt_over(&c->task[1]));
	assert_false(pt_more(leads));
	assert_true(pt_over(&c->task[1]));
}

/*
 * The task that leads knows itself when its time is over: the time after the
 * warm-up, which may take longer itself.
 */
TEST(test_duration)
{
	tw_settings.duration_s = 1;
	assert_true(pt_more(leads));
	c->begin_ns -= TW_NS_PER_S;
	record(0, 1, 1);
	assert_true(pt_more(leads));
	record(0, 1, 1);
	assert_true(pt_more(leads));
	assert_true(pt_more(leads));
	c->measured_ns -= TW_NS_PER_S;
	assert_false(pt_more(leads));
}

TEST(test_break)
{
	break_at(5);
	record(0, 9000, 9000);		/* the warm-up is not judged */
	record(0, 1, 1);
	record(20000, 5000, 100);
	record(30000, 3000, 300);
	assert_int_equal(atomic_load(&c->stop), 0);
	record(50000, 400, 5001);
	assert_int_equal(atomic_load(&c->stop), 1);
	assert_false(pt_over(leads));
	assert_false(pt_more(leads));
	record(60000, 90000, 90000);	/* the first one counts */
	assert_int_equal(c->broke.column, 1);
	assert_int_equal(c->broke.kept.number, 3);
	assert_int_equal(c->broke.kept.trial.t_ns[0], 50000);
	assert_int_equal(c->broke.kept.values_ps[0], 400 * PT_PS_PER_NS);
	assert_false(pt_is_left_out(&c->before));
	assert_int_equal(c->before.t_ns[0], 30000);
	/* As far as two readings of one clock are apart. */
	assert_in_range(c->broke.ahead_ns + TW_NS_PER_S / 2, 0, TW_NS_PER_S);
	/* It is one of the statistics all the same. */
	assert_int_equal(c->column[1].stats.count, 4);
}

/* What was usual before it; of the first trial, the warm-up's. */
TEST(test_usual)
{
	break_at(5);
	record(0, 70, 7);
	record(0, 90, 9);
	record(0, 6000, 1);
	assert_int_equal(pt_trace_usual_ps(c, 0), 80 * PT_PS_PER_NS);
	c->column[0].stats.count = 3;
	c->column[0].stats.sum = (6000 + 500 + 700) * PT_PS_PER_NS;
	assert_int_equal(pt_trace_usual_ps(c, 0), 600 * PT_PS_PER_NS);
}

static int64_t period_ps(const struct pt_case *of)
{
	return 1000 * PT_PS_PER_NS;
}

/* An interval is above the limit only by what it exceeds its period. */
TEST(test_break_beyond_the_target)
{
	static const struct pt_metric interval[] = {
		PT_METRIC("interval", "Interval", 0, 1,
			  .target_ps = period_ps),
		{ .token = NULL }
	};
	static const struct pt_test timer = {
		.name = "any", .metrics = interval, .trials = 10,
	};

	tw_settings.warmup = 0;
	pt_config.break_us = 1;
	open_case(&timer);
	record(0, 2000, 0);
	assert_int_equal(c->broke.kept.number, 0);
	record(0, 2001, 0);
	assert_int_equal(c->broke.kept.number, 2);
}

/* A task that sleeps until its next trial is not preempted by it. */
TEST(test_switches)
{
	int i;

	pt_config.interval_us = 100;
	for (i = 0; i < 3; i++) {
		assert_true(pt_more(leads));
		record(0, 1, 1);
	}
	assert_int_equal(pt_switches(c).needed, 6);
	assert_int_equal(pt_switches(c).usual, 12);
	c->choice.cross = true;
	assert_int_equal(pt_switches(c).needed, 3);
}

/* After a late trial, the next begins at an expiry, not at once. */
TEST(test_pace_after_a_late_trial)
{
	int64_t first_ns;

	pt_config.interval_us = 20000;
	assert_true(pt_more(leads));
	first_ns = leads->next_ns;
	leads->next_ns -= 50 * TW_NS_PER_MS;	/* as if 50 ms had passed */
	assert_true(pt_more(leads));
	assert_int_equal((leads->next_ns - first_ns + 50 * TW_NS_PER_MS) %
			 (20 * TW_NS_PER_MS), 0);
	assert_true(leads->next_ns > first_ns);
	assert_true(tw_now_ns(CLOCK_MONOTONIC) >= leads->next_ns);
}

/* Of a short run, what happens before the first trial counts. */
TEST(test_too_few_switches)
{
	static const struct {
		int trials, had;
		bool lack;
	} rows[] = {
		{ 3, 4, false }, { 3, 3, true }, { 3, 0, true },
		{ 1000, 2000, false }, { 1000, 1978, false },
		{ 1000, 1977, true },
	};
	size_t i;

	c->task_count = 2;
	c->task[0].left.pid = c->task[1].left.pid = 1;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		c->recorded = (uint64_t)rows[i].trials;
		c->task[0].used.switches = rows[i].had;
		assert_int_equal(pt_switches(c).lack, rows[i].lack);
	}
}

TEST(test_check_sum)
{
	assert_int_equal(pt_check_sum(leads, 0), 0);
	assert_int_equal(pt_check_sum(leads, 0), 0);
	assert_true(pt_check_sum(leads, 1) < 0);
	assert_non_null(leads->failed);
}

/* Ten periods, and a second at least, or without -p ten. */
TEST(test_limit_of_a_trial)
{
	tw_settings.priority = 0;
	assert_int_equal(pt_case_limit_ms(c), 10000);
	tw_settings.priority = 98;
	assert_int_equal(pt_case_limit_ms(c), 1000);
	pt_config.interval_us = 500000;
	assert_int_equal(pt_case_limit_ms(c), 5000);
	tw_settings.priority = 0;
	pt_config.interval_us = 0;
}

/* Which names a limit is for. */
TEST(test_names)
{
	static const char name[] = "sync2.cond.process.same.out";
	static const char *const good[] = {
		"sync2.out:5", "sync2.cond.out:avg:5", "sync2.process.out:5",
		"sync2.cond.same.out:p99.9:5",
		"sync2.cond.process.same.out:.5", "sync2.same.cond.out:5",
	};
	static const char *const bad[] = {
		"sync2.back:5", "sync.out:5", "sync2.con.out:5",
		"sync2.futex.out:5", "sync2.cond.x.out:5", "sync2..out.x:5",
		".out:5", "sync2.ou:5", "sync2.out.out:5", "out:5", "sync2:5",
		"cond.out:5", "sync2.cond.same:5",
	};
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(pt_limit_is_for(good[i], name));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(pt_limit_is_for(bad[i], name));
}

/* The trial above -b: its metric's span, or those within it. */
TEST(test_spans)
{
	struct tw_span spans[PT_METRICS];
	int i;

	break_at(300);
	for (i = 0; i < PT_TASKS; i++) {
		c->task[i].pid = 100 + i;
		snprintf(c->task[i].name, sizeof(c->task[i].name), "prim-%d",
			 i);
	}
	record(0, 20 * US, 10 * US);
	record(0, 20 * US, 10 * US);
	record(5000 * US, 20 * US, 400 * US);
	assert_int_equal(pt_trace_spans(c, AHEAD, spans), 1);
	assert_string_equal(spans[0].name, "back");
	assert_string_equal(spans[0].side, "prim-0");
	assert_string_equal(spans[0].peer, "prim-1");
	assert_int_equal(spans[0].side_pid, 100);
	assert_int_equal(spans[0].peer_pid, 101);
	assert_int_equal(spans[0].begin_ns, 4020 * US);
	assert_int_equal(spans[0].end_ns, 4420 * US);
	assert_int_equal((int64_t)spans[0].mean_ns, 10 * US);
}

/* Each metric of each test has its span, but for those of other spans. */
TEST(test_every_span)
{
	static const char others[] =
		"roundtrip post shuffle life interval difference resolution handover";
	const struct pt_metric *metric;
	int i;

	for (i = 0; pt_tests[i]; i++)
		for (metric = pt_tests[i]->metrics; metric->token; metric++) {
			const struct pt_who *span = &metric->who;

			assert_true(span->to > PT_TO_ADD ||
				    strstr(others, metric->token));
			assert_in_range(span->task + 1, 0, PT_TASKS);
			if (span->to == PT_TO_REPEAT)
				assert_non_null(metric->target_ps);
			if (span->to == PT_TO_WAIT ||
			    span->to == PT_TO_WAIT_LONG)
				assert_int_not_equal(span->task, span->by);
		}
}
