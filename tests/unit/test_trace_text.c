// SPDX-License-Identifier: GPL-2.0-or-later
/* What is kept of a trace's text, and the names that it lacks. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cause/tw_trace_text.h"
#include "unit.h"

static void assert_filtered(const char *in, int64_t from_ns, const char *out)
{
	FILE *file = fmemopen((void *)in, strlen(in), "r");
	char *text = NULL;
	size_t cut = 9;

	assert_non_null(file);
	assert_int_equal(tw_trace_filter(file, from_ns, SIZE_MAX, &text, &cut),
			 0);
	assert_int_equal(cut, 0);
	assert_string_equal(text, out);
	free(text);
	fclose(file);
}

#define LINE(at)	"a-1  [000] d..2.  " at ": x: y\n"

static void test_filter(void **state)
{
	(void)state;
	assert_filtered("# tracer: nop\n#\n" LINE("1.000001")
			"CPU:0 [LOST 3 EVENTS]\n" LINE("1.000002") "\n"
			LINE("1.000003") "cut", 1000002000,
			"# tracer: nop\n#\nCPU:0 [LOST 3 EVENTS]\n"
			LINE("1.000002") "\n" LINE("1.000003") "cut");
	assert_filtered(LINE("1.000001"), 1000001001, "");
	assert_filtered(LINE("1.000001"), -5, LINE("1.000001"));
	assert_filtered("x", 0, "x");
}

/* A switch tells who comes, and that is who has the CPU afterwards. */
static void test_names(void **state)
{
#define SWITCH	"          <idle>-0       [000] d..2.  1.000001: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=my task next_pid=77 next_prio=9\n"
#define AWAY	"           <...>-77      [000] d..2.  1.000004: sched_switch: prev_comm=new name prev_pid=77 prev_prio=9 prev_state=S ==> next_comm=a next_pid=4173 next_prio=9\n"
#define REST	"      [000] d..2.  1.000002: local_timer_entry: vector=236\n"
	(void)state;
	assert_filtered(SWITCH "           <...>-77" REST
			"           <...>-4173" REST AWAY
			"           <...>-4173" REST "           <...>-77" REST
			"            comm-77" REST, 0,
			SWITCH "         my task-77" REST
			"           <...>-4173" REST
			"        new name-77      [000] d..2.  1.000004: sched_switch: prev_comm=new name prev_pid=77 prev_prio=9 prev_state=S ==> next_comm=a next_pid=4173 next_prio=9\n"
			"               a-4173" REST "           <...>-77" REST
			"            comm-77" REST);
	/* Also what lies before the lines that are kept. */
	assert_filtered(SWITCH "           <...>-77" REST, 1000002000,
			"         my task-77" REST);
}

#define OTHER(pid)	"           <...>-" pid REST
#define NAMED(pid)	"         my task-" pid REST

/* A switch from another that has its number's place gives it no name. */
static void test_same_place(void **state)
{
	(void)state;
	assert_filtered(SWITCH OTHER("4173"), 0, SWITCH OTHER("4173"));
	/* But many tasks have a place each. */
	assert_filtered(SWITCH
			"          <idle>-0       [001] d..2.  1.000001: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=other next_pid=2125 next_prio=9\n"
			OTHER("77"), 1000002000, NAMED("77"));
}

/* Only at the begin of a line, and only what the kernel left out. */
static void test_kept_names(void **state)
{
	(void)state;
	assert_filtered(SWITCH
			"          my <...>-77" REST
			"            comm-77      [000] d..2.  1.000002: tracing_mark_write: <...>-77\n"
			"<...>-77" REST, 1000002000,
			"          my <...>-77" REST
			"            comm-77      [000] d..2.  1.000002: tracing_mark_write: <...>-77\n"
			NAMED("77"));
}

/* Who leaves a CPU is named as well, and may come back unseen. */
static void test_who_leaves(void **state)
{
	(void)state;
	assert_filtered("           <...>-77      [000] d..2.  1.000001: sched_switch: prev_comm=my task prev_pid=77 prev_prio=9 prev_state=S ==> next_comm=a next_pid=6 next_prio=9\n"
			OTHER("77"), 1000002000, NAMED("77"));
}

/* What a wake-up says is not yet what the task is called when it runs. */
static void test_waking(void **state)
{
	(void)state;
#define WAKING	"            comm-5       [000] d..2.  1.000001: sched_waking: comm=x pid=77 prio=9 target_cpu=000\n"
	assert_filtered(WAKING OTHER("77"), 0, WAKING OTHER("77"));
}

/* A trace that cannot be read to its end is none: nothing is left to free. */
static void test_unreadable(void **state)
{
	FILE *file = fopen("/", "r");
	char *text = NULL;
	size_t cut;

	(void)state;
	assert_non_null(file);
	assert_int_equal(tw_trace_filter(file, 0, SIZE_MAX, &text, &cut),
			 -EIO);
	assert_null(text);
	rewind(file);
	assert_int_equal(tw_trace_filter(file, 0, 0, &text, &cut), -EIO);
	assert_null(text);
	fclose(file);
}

/* The last lines are kept, whole ones, and at least half of what may be. */
static void test_most(void **state)
{
	static const size_t limits[] = { 0, 1, 30, 100, 777, 2400, 4800, 1 << 20 };
	char in[200 * 32], *text;
	size_t cut, size, i;
	FILE *file;

	(void)state;
	for (size = 0, i = 0; i < 200; i++)
		size += (size_t)sprintf(in + size,
					"a-1  [000] d..2.  1.%06zu: x\n", i);
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		file = fmemopen(in, size, "r");
		assert_non_null(file);
		assert_int_equal(tw_trace_filter(file, 1000010000, limits[i],
						 &text, &cut), 0);
		fclose(file);
		assert_int_equal(cut + strlen(text), size / 200 * 190);
		assert_string_equal(text, in + size / 200 * 10 + cut);
		assert_true(!cut || in[size / 200 * 10 + cut - 1] == '\n');
		assert_true(!cut || strlen(text) >= limits[i] / 2);
		assert_true(strlen(text) <= limits[i] + 2 * size / 200);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_same_place),
		cmocka_unit_test(test_kept_names),
		cmocka_unit_test(test_who_leaves),
		cmocka_unit_test(test_waking),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
