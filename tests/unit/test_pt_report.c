// SPDX-License-Identifier: GPL-2.0-or-later
/* What the text says of a case besides its columns; Rhealstone. */
#include <stdio.h>
#include <string.h>

#include "pt_unit.h"

#include "pt_report.h"

#define NAME	"any.process.same"

static const struct pt_metric metrics[] = {
	PT_METRIC("out", "Out", 0, 1, .rate = "trips"),
	PT_METRIC("back", "Back", 1, 2),
	{ .token = NULL }
};

static const struct pt_test test = {
	.name = "any", .metrics = metrics, .trials = 10, .switches = 2,
	.spare_switches = 1,
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
	pt_config = (struct pt_config) { .bin_ns = 1000 };
	c = pt_unit_case(&test, NULL);
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
	assert_text("# First: " NAME " out 1 -; back 70 0\n");
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
	c->column[0].stats.sum_ns = 1000 * PT_PS_PER_NS;
	c->column[1].stats = c->column[0].stats;
	assert_text("# Rate: " NAME ".out 2000000 trips/s\n");
	c->column[0].stats.sum_ns = -1;
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
