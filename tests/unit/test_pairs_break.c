// SPDX-License-Identifier: GPL-2.0-or-later
/* -b with several pairs: the first that breaks ends the run, and is told. */
#include <fcntl.h>
#include <unistd.h>

#include "three.h"
#include "cause/tw_part_break.h"
#include "cause/tw_part_cause.h"

/* Both cycles' totals: 39 and 30 us. */
#define LINE	"-t3 -d0 -b35 --break-on=total"

static void open_clocks(void)
{
	unsigned int k;

	for (k = 0; k < RUN_PAIRS; k++)
		assert_int_equal(tw_clock_open(&run_pair(k)->task.clock,
					       "monotonic"), 0);
}

static void record(unsigned int number, int which)
{
	struct tw_pair *to = run_pair(number);

	to->record(to, &run_cycles[which]);
}

/* All ask one and the same whether there was one before. */
static void test_shared(void **state)
{
	unsigned int k;

	(void)state;
	new_run(LINE);
	for (k = 0; k < RUN_PAIRS; k++) {
		assert_ptr_equal(run_pair(k)->brk->first,
				 &run_pair(0)->brk->first_of_all);
		assert_int_equal(run_pair(k)->brk->limit_ns, 35000);
	}
	assert_int_equal(atomic_load(run_pair(0)->brk->first), 0);
}

static void check_first(unsigned int first, unsigned int second)
{
	unsigned int k;

	new_run(LINE);
	open_clocks();
	for (k = 0; k < RUN_PAIRS; k++)
		record(k, 1);
	assert_int_equal(atomic_load(run_pair(0)->brk->first), 0);
	record(first, 0);
	record(second, 0);
	record(first, 0);
	for (k = 0; k < RUN_PAIRS; k++) {
		assert_int_equal(run_pair(k)->brk->broken, k == first);
		assert_int_equal(atomic_load(&run_pair(k)->stop), k == first);
	}
	assert_int_equal(atomic_load(run_pair(0)->brk->first), first + 1);
	assert_int_equal(run_pair(first)->brk->kept.pair, first);
	assert_int_equal(run_pair(first)->brk->kept.cycle.seq,
			 run_cycles[0].seq);
	/* That it did not win is no reason to leave its cycle out. */
	assert_int_equal(run_pair(second)->tally->cycles, 2);
	tw_part_break.end(&session.run);
	assert_true(session.run.over);
	tw_part_break.finish(&session.run);
	assert_ptr_equal(tw_part_break_end(), run_pair(first)->brk);
	assert_true(tw_part_break.exceeded(&session.run));
}

static void test_first(void **state)
{
	unsigned int first, second;

	(void)state;
	for (first = 0; first < RUN_PAIRS; first++)
		for (second = 0; second < RUN_PAIRS; second++)
			if (first != second)
				check_first(first, second);
}

/* Only the winner marks and stops a trace. */
static void test_one_mark(void **state)
{
	char text[1024];
	unsigned int k;
	int fds[2];

	(void)state;
	new_run(LINE);
	open_clocks();
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	for (k = 0; k < RUN_PAIRS; k++)
		run_pair(k)->brk->traces[TW_TRACE_USER].mark = fds[1];
	record(2, 0);
	assert_true(read(fds[0], text, sizeof(text)) > 0);
	record(0, 0);
	record(1, 0);
	assert_true(read(fds[0], text, sizeof(text)) < 0);
	close(fds[0]);
	close(fds[1]);
}

/* A new step begins with none. */
static void test_next_step(void **state)
{
	struct tw_pair *first;

	(void)state;
	new_run(LINE);
	open_clocks();
	record(1, 0);
	first = run_pair(0);
	assert_int_equal(atomic_load(first->brk->first), 2);
	memset(rooms[0], 0, tw_run_room(&session.run));
	tw_run_attach(&session.run, first, rooms[0]);
	assert_int_equal(atomic_load(first->brk->first), 0);
}

static void test_none(void **state)
{
	(void)state;
	new_three("-t3 -d0 -b60 --break-on=total");
	tw_part_break.end(&session.run);
	assert_false(session.run.over);
	tw_part_break.finish(&session.run);
	assert_null(tw_part_break_end());
	assert_string_equal(written(tw_part_break.text), "");
}

/* Pid, cycle and pair are those of the one that broke. */
static void test_text(void **state)
{
	const char *text;
	struct tw_break *brk;

	(void)state;
	new_three(LINE);
	brk = run_pair(1)->brk;
	brk->broken = true;
	brk->kept = run_pair(1)->tally->worst[TW_TOTAL];
	brk->value_ns = 59000;
	tw_part_break.finish(&session.run);
	text = written(tw_part_break.text);
	contains(text, "# Break thread: 1235\n# Break value: 59\n");
	contains(text, "# Break: total 59 > 35: pair 1, cycle 0, 0.000000 s after start, 05:30:00.002004: ");
	contains(written_json(tw_part_break.json),
		 "      \"value_ns\": 59000,\n"
		 "      \"pair\": 1,\n"
		 "      \"cycle\": 0,\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_one_mark),
		cmocka_unit_test(test_next_step),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_text),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
