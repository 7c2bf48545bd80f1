// SPDX-License-Identifier: GPL-2.0-or-later
/* Who else used a CPU: two snapshots, in ms. */
#include "unit.h"
#include "tw_others.h"

#define MS	1000000LL
#define CPU	1
#define RUN	1000	/* between the snapshots */
#define BOOT	5000	/* before the first */

static struct given {
	const char *name;
	bool exact, complete[2];
	/* Of the CPU, in the run. */
	int idle, interrupt, host, ran;
	int own, rest;
	int before[4][4], after[4][5];	/* id cpu start ms interrupts */
	int ns, unnamed, interrupts;	/* 20 ms are slack */
	int first, of_first;	/* the greatest task */
} given[] = {
	{ "nobody", true, { 1, 1 }, 900, 0, 0, 100, 100, 10,
	  { { 7, 1, 50, 4000 } }, { { 7, 1, 50, 4000 } }, 0, 0, 0, 0, 0 },
	{ "a task that ran on", true, { 1, 1 }, 400, 0, 0, 600, 100, 0,
	  { { 7, 1, 50, 4000 } }, { { 7, 1, 50, 4500 } }, 500, 0, 0, 7, 500 },
	{ "it is on another CPU", true, { 1, 1 }, 400, 0, 0, 600, 100, 0,
	  { { 7, 1, 50, 4000 } }, { { 7, 0, 50, 4500 } }, 480, 480, 0, 0, 0 },
	{ "the same number, a new task", true, { 1, 1 }, 400, 0, 0, 600, 100, 0,
	  { { 7, 1, 50, 4000 } }, { { 7, 1, 51, 300 } }, 480, 180, 0, 7, 300 },
	{ "a new one", true, { 1, 1 }, 400, 0, 0, 600, 100, 0,
	  { { 6, 1, 50, 1 } }, { { 6, 1, 50, 1 }, { 7, 1, 51, 500 } },
	  500, 0, 0, 7, 500 },
	{ "it may be an old one", true, { 0, 1 }, 400, 0, 0, 600, 100, 0,
	  { { 6, 1, 50, 1 } }, { { 6, 1, 50, 3 }, { 7, 1, 51, 500 } },
	  2, 0, 0, 6, 2 },
	{ "not all were read", true, { 1, 0 }, 400, 0, 0, 600, 100, 0,
	  { { 6, 1, 50, 1 } }, { { 6, 1, 50, 3 } }, 2, 0, 0, 6, 2 },
	{ "some ended", true, { 1, 1 }, 400, 0, 0, 600, 100, 0,
	  { { 6, 1, 50, 1 } }, { { 6, 1, 50, 3 } }, 480, 478, 0, 6, 2 },
	{ "it may be ours", true, { 1, 1 }, 400, 0, 0, 600, 100, 300,
	  { { 6, 1, 50, 1 } }, { { 6, 1, 50, 3 } }, 180, 178, 0, 6, 2 },
	{ "all is ours", true, { 1, 1 }, 0, 0, 0, 1000, 100, 3000,
	  { { 0 } }, { { 0 } }, 0, 0, 0, 0, 0 },
	{ "coarse: a 10th is not sure", false, { 1, 1 }, 400, 0, 0, 0, 100, 0,
	  { { 0 } }, { { 0 } }, 380, 380, 0, 0, 0 },
	{ "coarse: less than that", false, { 1, 1 }, 790, 0, 0, 0, 100, 0,
	  { { 0 } }, { { 0 } }, 0, 0, 0, 0, 0 },
	{ "interrupts are nobody's", true, { 1, 1 }, 400, 200, 0, 600, 100, 0,
	  { { 0 } }, { { 0 } }, 280, 280, 0, 0, 0 },
	{ "the host's are not", true, { 1, 1 }, 300, 0, 200, 500, 100, 0,
	  { { 7, 1, 50, 0 } }, { { 7, 1, 50, 900 } }, 400, 0, 0, 7, 400 },
	{ "more than the CPU had", true, { 1, 1 }, 900, 0, 0, 100, 40, 0,
	  { { 7, 1, 50, 0 }, { 8, 1, 50, 0 } },
	  { { 7, 1, 50, 50 }, { 8, 1, 50, 900 } }, 60, 0, 0, 8, 60 },
	{ "more than the run had", true, { 1, 1 }, 0, 0, 0, 1000, 0, 0,
	  { { 7, 1, 50, 0 } }, { { 7, 1, 50, 99999 } }, 1000, 0, 0, 7, 1000 },
	{ "time that went back", true, { 1, 1 }, -50, -9, -9, -9, 0, -9,
	  { { 7, 1, 50, 9 } }, { { 7, 1, 50, 0 } }, 0, 0, 0, 0, 0 },
	{ "threads of interrupts", true, { 1, 1 }, 400, 0, 0, 600, 100, 0,
	  { { 7, 1, 50, 0 }, { 8, 1, 50, 0 } },
	  { { 7, 1, 50, 350, 1 }, { 8, 1, 50, 150 } },
	  150, 0, 350, 8, 150 },
	{ "threads of interrupts come first", true, { 1, 1 },
	  400, 0, 0, 600, 100, 0, { { 7, 1, 50, 0 }, { 8, 1, 50, 0 } },
	  { { 7, 1, 50, 400, 1 }, { 8, 1, 50, 300 } }, 100, 0, 400, 8, 100 },
	{ "a task beside interrupts", true, { 1, 1 }, 400, 200, 0, 600, 100, 0,
	  { { 7, 1, 50, 0 } }, { { 7, 1, 50, 900 } }, 300, 0, 0, 7, 300 },
	{ "more ran than was not idle", true, { 1, 1 }, 700, 0, 0, 900, 0, 0,
	  { { 7, 1, 50, 0 } }, { { 7, 1, 50, 100, 1 } }, 200, 200, 100, 0, 0 },
	{ "the greatest of four", true, { 1, 1 }, 400, 0, 0, 600, 100, 0,
	  { { 1, 1, 5, 0 }, { 2, 1, 5, 0 }, { 3, 1, 5, 0 }, { 4, 1, 5, 0 } },
	  { { 1, 1, 5, 10 }, { 2, 1, 5, 30 }, { 3, 1, 5, 400 },
	    { 4, 1, 5, 50 } }, 490, 0, 0, 3, 400 },
};

static struct tw_task task(const int from[4], bool interrupts)
{
	return (struct tw_task) {
		.id = from[0], .cpu = from[1], .start = from[2],
		.ns = from[3] * MS, .interrupts = interrupts,
	};
}

TEST_EACH(compares, given)
{
	static struct tw_snapshot before, after;
	struct tw_others others = { .cpu = CPU, .ns = 77 };
	int64_t named_ns;
	int i;

	before.at_ns = BOOT * MS;
	before.exact = of->exact;
	before.complete = of->complete[0];
	for (i = 0; i < 4 && of->before[i][0]; i++)
		before.task[i] = task(of->before[i], false);
	before.count = i;
	before.cpu[CPU] = (struct tw_cpu_time) {
		true, 4 * MS, 5 * MS, 6 * MS, 7 * MS
	};
	after.at_ns = (BOOT + RUN) * MS;
	after.exact = of->exact;
	after.complete = of->complete[1];
	for (i = 0; i < 4 && of->after[i][0]; i++)
		after.task[i] = task(of->after[i], of->after[i][4]);
	after.count = i;
	after.cpu[CPU] = (struct tw_cpu_time) {
		true, (4 + of->idle) * MS, (5 + of->interrupt) * MS,
		(6 + of->host) * MS, (7 + of->ran) * MS
	};
	tw_others_compare(&others, &before, &after, of->own * MS,
			  of->rest * MS);
	assert_int_equal(others.ns, of->ns * MS);
	if (of->rest >= 0) {
		assert_int_equal(others.unnamed_ns, of->unnamed * MS);
		assert_int_equal(others.host_ns, of->host * MS);
	}
	assert_int_equal(others.interrupts_ns, of->interrupts * MS);
	assert_int_equal(others.task[0].id, of->first);
	assert_int_equal(others.task[0].ns, of->of_first * MS);
	named_ns = others.task[0].ns;
	for (i = 1; i < TW_OTHERS_NAMED; i++) {
		assert_true(others.task[i].ns <= others.task[i - 1].ns);
		named_ns += others.task[i].ns;
	}
	assert_true(named_ns <= others.ns);
}
