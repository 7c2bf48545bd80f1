// SPDX-License-Identifier: GPL-2.0-or-later
/* What the text says of a case besides its columns; Rhealstone. */
#include <stdio.h>
#include <string.h>

#include "pt_unit.h"

#include "pt_report.h"
#include "tw_percentile.h"

#define NAME	"any.process.same"

static const struct pt_metric metrics[] = {
	PT_METRIC("out", "Out", 0, 1, .rate = "trips"),
	PT_METRIC("back", "Back", 1, 2),
	{ .token = NULL }
};

static const struct pt_test test = {
	.name = "any", .about = "a way there; it is any", .metrics = metrics,
	.trials = 10, .switches = 2, .spare_switches = 1,
};

static struct pt_case *c;

static void assert_text(const char *expected)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	pt_part_report.text(file, NULL);
	pt_part_amiss.text(file, NULL);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, expected);
	free(text);
}

BEFORE_EACH
{
	pt_config = (struct pt_config) { .bin_ns = 1000, .details = true };
	c = pt_unit_case(&test, NULL);
	c->column[0].shown = c->column[1].shown = true;
	c->task_count = 2;
	c->task[0].left.pid = c->task[1].left.pid = 1;
	pt_cases[0] = c;
	pt_case_count = 1;
	pt_derived_count = 0;
}

/* Of 1000 trials. Two tasks have four more before and after all of them. */
static const struct switches {
	const char *name;
	int had;
	const char *text;
} switches[] = {
	{ "too few", 1977, "# Not switched: " NAME
	  ": 1977 of 2000 switches happened\n" },
	{ "enough", 1978, "" },
	{ "as usual", 3034, "" },
	{ "more", 3035, "# Preempted: " NAME
	  ": 35 switches more than the 3000 needed\n" },
};

TEST_EACH(test_switches, switches)
{
	c->recorded = 1000;
	c->task[1].used.switches = of->had;
	assert_text(of->text);
}

TEST(test_first)
{
	c->first_count = 2;
	c->first_ps[0][0] = 1999;
	c->first_ps[1][0] = PT_NO_VALUE;
	c->first_ps[0][1] = 70 * PT_PS_PER_NS;
	assert_text("# First: " NAME " out 1 -; back 70 0 ns\n");
}

TEST(test_missed)
{
	c->missed = 3;
	assert_text("# Missed: " NAME ": 3\n");
}

TEST(test_break)
{
	c->broke.column = 1;
	c->broke.kept = (struct pt_kept) {
		.number = 5, .values_ps = { PT_NO_VALUE, 9000 },
	};
	assert_text("# Break: " NAME ".back, trial 5: out - back 9 ns\n");
}

TEST(test_rate)
{
	c->column[0].stats.count = 2;
	c->column[0].stats.sum = 1000 * PT_PS_PER_NS;
	c->column[1].stats = c->column[0].stats;
	assert_text("# Rate: " NAME ".out 2000000 trips/s\n");
	c->column[0].stats.sum = -1;
	assert_text("");
}

TEST(test_verdicts)
{
	int i;

	pt_verdict(c, true, "%d of %d", 1, 2);
	pt_verdict(c, false, "good");
	assert_text("# Verdict: " NAME ": failed: 1 of 2\n"
		    "# Verdict: " NAME ": good\n");
	for (i = 0; i < PT_VERDICTS; i++)
		pt_verdict(c, false, "more");
	assert_int_equal(c->verdicts, PT_VERDICTS);
}

TEST(test_skipped)
{
	assert_int_equal(pt_refuse(c, -5, "needs %s", "more"), -5);
	c->missed = 3;
	assert_text("# Skipped: " NAME ": needs more\n");
}

TEST(test_derived)
{
	int i;

	pt_derive(1.25, "ns", "a - b", "%s.net", "x");
	pt_derive(50, "%", "a / b", "rhealstone");
	c->refused[0] = '\0';
	assert_text("# Derived: x.net 1.2 = a - b\n"
		    "# Rhealstone: rhealstone 50.0 % = a / b\n");
	for (i = 0; i < PT_DERIVED_MAX; i++)
		pt_derive(1, "ns", "a", "b");
	assert_int_equal(pt_derived_count, PT_DERIVED_MAX);
}

/* Who changed what; of one that was killed, nobody knows. */
TEST(test_changed)
{
	struct tw_process *begun = &c->task[1].begun;

	CPU_SET(3, &begun->cpus);
	c->task[1].left = *begun;
	c->task[1].left.policy = SCHED_FIFO;
	c->task[1].left.priority = 7;
	assert_text("");
	c->task[1].left.pid = 1;
	strcpy(c->task[1].name, "prim-b");
	assert_text("# Changed while it ran: " NAME ": task prim-b, policy other, priority 0, CPUs 3 to policy fifo, priority 7, CPUs 3\n");
	c->task[1].left.policy = SCHED_OTHER;
	assert_true(tw_process_changed(begun, &c->task[1].left));
	c->task[1].left.priority = 0;
	assert_false(tw_process_changed(begun, &c->task[1].left));
	CPU_SET(4, &c->task[1].left.cpus);
	assert_true(tw_process_changed(begun, &c->task[1].left));
}

/* What rows have in common is in one line; details have one for each. */
static void open_rows(int count)
{
	static const struct pt_kind kinds[] = {
		{ .name = "a" }, { .name = "b" }, { .name = "c" },
		{ .name = "d" }, { .name = "e" }, { .name = "f" },
		{ .name = "g" }, { .name = "h" }
	};

	pt_config.details = false;
	for (pt_case_count = 0; pt_case_count < count; pt_case_count++)
		pt_cases[pt_case_count] = pt_unit_case(&test,
						       &kinds[pt_case_count]);
}

#define ROW(kind)	"any." kind ".process.same"

TEST(test_shared_reasons)
{
	open_rows(4);
	pt_refuse(pt_cases[0], 0, "needs more");
	pt_refuse(pt_cases[2], 0, "needs less");
	pt_refuse(pt_cases[3], 0, "needs more");
	pt_verdict(pt_cases[0], true, "of a row that is skipped");
	assert_text("# Skipped: " ROW("a") ", " ROW("d") ": needs more\n"
		    "# Skipped: " ROW("c") ": needs less\n");
	pt_config.details = true;
	assert_text("# Skipped: " ROW("a") ": needs more\n"
		    "# Skipped: " ROW("c") ": needs less\n"
		    "# Skipped: " ROW("d") ": needs more\n");
}

TEST(test_shared_verdicts)
{
	open_rows(3);
	pt_verdict(pt_cases[0], false, "5 of 5");
	pt_verdict(pt_cases[0], false, "jitter 1 ns");
	pt_verdict(pt_cases[1], true, "5 of 5");
	pt_verdict(pt_cases[2], false, "jitter 2 ns");
	pt_verdict(pt_cases[2], false, "5 of 5");
	assert_text("# Verdict: " ROW("a") ", " ROW("c") ": 5 of 5\n"
		    "# Verdict: " ROW("a") ": jitter 1 ns\n"
		    "# Verdict: " ROW("b") ": failed: 5 of 5\n"
		    "# Verdict: " ROW("c") ": jitter 2 ns\n");
}

TEST(test_shared_counts)
{
	int i;

	open_rows(3);
	pt_cases[0]->missed = pt_cases[2]->missed = 5;
	pt_cases[1]->missed = 7;
	pt_cases[1]->throttled = 1;
	for (i = 0; i < 2; i++) {
		pt_cases[i]->recorded = 1000;
		pt_cases[i]->task_count = 1;
		pt_cases[i]->task[0].left.pid = 1;
		pt_cases[i]->task[0].used.switches = 3500 + i;
	}
	assert_text("# Missed: " ROW("a") ", " ROW("c") ": 5; " ROW("b") ": 7\n"
		    "# Throttled: " ROW("b") ": 1\n"
		    "# Preempted: " ROW("a") ": 500 times; " ROW("b")
		    ": 501 times\n");
	pt_config.details = true;
	assert_text("# Missed: " ROW("a") ": 5\n# Missed: " ROW("b") ": 7\n"
		    "# Missed: " ROW("c") ": 5\n"
		    "# Throttled: " ROW("b") ": 1\n"
		    "# Preempted: " ROW("a")
		    ": 500 switches more than the 3000 needed\n"
		    "# Preempted: " ROW("b")
		    ": 501 switches more than the 3000 needed\n");
}

/* The worst is told row by row. */
TEST(test_not_switched_is_never_short)
{
	int i;

	open_rows(2);
	for (i = 0; i < 2; i++) {
		pt_cases[i]->recorded = 1000;
		pt_cases[i]->task_count = 1;
		pt_cases[i]->task[0].left.pid = 1;
		pt_cases[i]->task[0].used.switches = i;
	}
	assert_text("# Not switched: " ROW("a")
		    ": 0 of 2000 switches happened\n# Not switched: " ROW("b")
		    ": 1 of 2000 switches happened\n");
}

/* Not more than six names, or counts, are in a line. */
TEST(test_many_rows)
{
	int i;

	open_rows(8);
	for (i = 0; i < 8; i++) {
		pt_cases[i]->missed = i + 1;
		pt_verdict(pt_cases[i], false, "good");
	}
	assert_text("# Missed: " ROW("a") ": 1; " ROW("b") ": 2; " ROW("c")
		    ": 3; " ROW("d") ": 4; " ROW("e") ": 5; " ROW("f")
		    ": 6; and 2 more\n# Verdict: " ROW("a") ", " ROW("b") ", "
		    ROW("c") ", " ROW("d") ", " ROW("e") ", " ROW("f")
		    " and 2 more: good\n");
}

/* Details of one row only: neither rates nor what was first, nor derived. */
TEST(test_brief)
{
	pt_config.details = false;
	c->first_count = 1;
	c->column[0].stats.count = 1;
	c->column[0].stats.sum = 1000 * PT_PS_PER_NS;
	pt_derive(1.25, "ns", "a - b", "%s.net", "x");
	pt_derive(50, "/s", "a / b", "rhealstone");
	assert_text("# Rhealstone: rhealstone 50.0 /s = a / b\n");
}

static void assert_status(const char *expected)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	tw_text_status(file, NULL);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, expected);
	free(text);
}

/* What is measured; @kind: with metrics of its own. */
static void open_columns(bool details, bool kind)
{
	static const struct pt_metric own[] = {
		PT_METRIC("take", "Taken", 0, 1), { .token = NULL }
	};
	static const struct pt_kind with = {
		.name = "with", .metrics = own, .words = "any kind",
	};

	pt_case_count = pt_column_count = 0;
	pt_config.details = details;
	tw_settings.warmup = 0;
	c = pt_unit_case(&test, kind ? &with : NULL);
	tw_stats_add(&c->column[0].stats, 1999, 1);
	tw_stats_add(&c->column[0].stats, 4 * PT_PS_PER_NS, 0.5);
	c->column[0].shown = true;
	pt_cases[0] = c;
	pt_case_settle(c);
}

TEST(test_table)
{
	open_columns(false, false);
	assert_status("# How long each of these took, in ns; --metrics=all prints all that was measured\n"
		      "# test             trials        min        avg        max  what was measured (metric)\n"
		      NAME "        2          1          2          4  a way there (out)\n");
	pt_config.us = true;
	assert_status("# How long each of these took, in us; --metrics=all prints all that was measured\n"
		      "# test             trials        min        avg        max  what was measured (metric)\n"
		      NAME "        2      0.002      0.003      0.004  a way there (out)\n");
	open_columns(false, true);
	c->column[0].stats.count = 0;
	pt_config.us = false;
	assert_status("# How long each of these took, in ns; --metrics=all prints all that was measured\n"
		      "# test                  trials        min        avg        max  what was measured (metric)\n"
		      "any.with.process.same        0          -          -          -  any kind: Taken (take)\n");
	pt_column_count = 0;
	assert_status("");
	pt_case_count = 0;
}

TEST(test_lines)
{
	static const char line[] =
		"T: 0 (    0) P: 0 I:0 C:      2 Min:      1 Act:       4 Avg:       2 Max:       4 Std:     1.4 "
		NAME ".out\n";
	char text[512];

	open_columns(true, false);
	snprintf(text, sizeof(text), "# Test: " NAME
		 ": a way there. In ns: out: Out\n%s", line);
	assert_status(text);
	c->column[1].shown = true;
	snprintf(text, sizeof(text), "# Test: " NAME
		 ": a way there. In ns: out: Out; back: Back\n%s"
		 "T: 1 (    0) P: 0 I:0 C:      0 Min:      0 Act:       0 Avg:       0 Max:       0 Std:     0.0 "
		 NAME ".back\n", line);
	assert_status(text);
	pt_column_count = pt_case_count = 0;
}

/* What the options choose: the metric with a rate, or those that are named. */
TEST(test_shown)
{
	struct tw_run run = { .failed = false };

	pt_cases[0] = c = pt_unit_case(&test, NULL);
	pt_chosen_count = 1;
	pt_part_text.check(&run);
	assert_false(pt_config.details);
	assert_true(c->column[0].shown);
	assert_false(c->column[1].shown);
	tw_settings.verbose = true;
	pt_part_text.check(&run);
	assert_true(pt_config.details && c->column[1].shown);
	tw_settings.verbose = false;
	pt_chosen_count = 0;
}

/* A percentile is on the right side of the bound of its value, and no other. */
TEST(test_bound_of_a_percentile)
{
	struct tw_run run = { .failed = false };
	const struct tw_stats stats = { .count = 100, .min = 1, .max = 100002 };
	struct tw_series series = { .name = "any", .value = 1, .stats = &stats };
	int64_t values[PT_METRICS] = { 0 }, found;
	void *rooms, *room;
	int i;

	tw_percentile_bound(0, 5);
	tw_percentile_bound(1, 100001);
	rooms = calloc(1, tw_part_rooms(&run));
	room = tw_part_room(rooms, &run, &tw_part_percentiles);
	assert_non_null(room);
	series.rooms = rooms;
	for (i = 0; i < 100; i++) {
		values[1] = i < 10 ? 1 : i < 55 ? 100001 : 100002;
		tw_part_percentiles.record(room, NULL, values);
	}
	assert_true(tw_percentile_value(&run, &series, 50, 0, &found));
	assert_int_equal(found, 100001);
	assert_true(tw_percentile_value(&run, &series, 60, 0, &found));
	assert_int_equal(found, 100002);
	assert_false(tw_percentile_value(&run, &series, 99, 0, &found));
	free(rooms);
}

/* The tests whose results are the parts; each has one metric here. */
static const struct pt_kind kinds[PT_RHEALSTONES] = {
	{ .name = "2x0" }, { .name = NULL }, { .name = "1000" },
	{ .name = NULL }, { .name = "inherit" }, { .name = "8" },
};

static const struct pt_metric parts[PT_RHEALSTONES][2] = {
	{ { .token = "switch" } }, { { .token = "preempt" } },
	{ { .token = "wakeup" } }, { { .token = "shuffle" } },
	{ { .token = "handover" } }, { { .token = "out" } },
};

static const struct pt_test tests_of[PT_RHEALSTONES] = {
	{ .name = "yield", .metrics = parts[0] },
	{ .name = "preempt", .metrics = parts[1] },
	{ .name = "timer", .metrics = parts[2], .flags = PT_ALONE },
	{ .name = "shuffle", .metrics = parts[3] },
	{ .name = "sync3", .metrics = parts[4] },
	{ .name = "message", .metrics = parts[5] },
};

/* The first @count parts were measured: 1000 ns, 2000 ns ... on average. */
static void derive(int count)
{
	int i;

	pt_derived_count = 0;
	for (i = 0; i < count; i++) {
		struct pt_case *of = pt_unit_case(&tests_of[i], kinds[i].name ?
						  &kinds[i] : NULL);

		tw_stats_add(&of->column[0].stats,
			     (i + 1) * 1000 * PT_PS_PER_NS, 1);
		pt_case_settle(of);
	}
	pt_rhealstone_derive();
	pt_case_count = pt_column_count = 0;
}

TEST(test_rhealstone)
{
	/* Nothing behind them counts. */
	const double equal[PT_RHEALSTONES + 1] = { 1000, 1000, 1000, 1000,
						   1000, 1000, 1000 };
	const double none[PT_RHEALSTONES] = { 0 };

	assert_float_equal(pt_rhealstone(equal), 1e6, 1e-3);
	assert_float_equal(pt_rhealstone(none), 0, 1e-9);
	derive(PT_RHEALSTONES - 1);
	assert_int_equal(pt_derived_count, 0);
	derive(PT_RHEALSTONES);
	assert_int_equal(pt_derived_count, 1);
	assert_string_equal(pt_derived[0].name, "rhealstone.process");
	assert_float_equal(pt_derived[0].value, 6e9 / 21000, 1e-3);
	assert_string_equal(pt_derived[0].unit, "/s");
	assert_string_equal(pt_derived[0].formula, "6 / (switch 1000.0 + preemption 2000.0 + interrupt 3000.0 + shuffle 4000.0 + deadlock 5000.0 + message 6000.0 ns)");
}
