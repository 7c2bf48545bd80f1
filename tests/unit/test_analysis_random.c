// SPDX-License-Identifier: GPL-2.0-or-later
/* Whatever a trace holds, the analysis is whole. */
#include "trace.h"

#define ROUNDS	1000
#define LINES	400

static uint64_t seed = 1;

static int any(int lowest, int highest)
{
	return (int)unit_between(&seed, lowest, highest);
}

static const char *state(void)
{
	static const char *const states[] = { "R", "R+", "S", "D", "X" };

	return states[any(0, 4)];
}

/* A few numbers, so that the sides are among them often. */
static int pid(void)
{
	static const int pids[] = { 0, CLIENT_PID, SERVER_PID, 300, 400, 7 };

	return pids[any(0, 5)];
}

static void write_event(FILE *file)
{
	static const char *const plain[] = {
		"irq_handler_entry: irq=1 name=a_long_name_of_a_device_that_goes_on_and_on",
		"irq_handler_exit: irq=1 ret=handled",
		"softirq_entry: vec=3 [action=NET_RX]",
		"softirq_exit: vec=3 [action=NET_RX]",
		"local_timer_entry: vector=236", "local_timer_exit: vector=236",
		"net_dev_queue: dev=lo", "tracing_mark_write: x", "sched_switch:",
	};
	int what = any(0, 14);

	if (what < 9)
		fprintf(file, "%s\n", plain[what]);
	else if (what < 12)
		fprintf(file, "sched_switch: prev_comm=x prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=y next_pid=%d next_prio=%d\n",
			pid(), any(0, 139), state(), pid(), any(0, 139));
	else if (what < 14)
		fprintf(file, "sched_waking: comm=y pid=%d prio=%d target_cpu=%03d\n",
			pid(), any(0, 139), any(0, 3));
	else
		fprintf(file, "sched_migrate_task: comm=y pid=%d prio=%d orig_cpu=%d dest_cpu=%d\n",
			pid(), any(0, 139), any(0, 3), any(0, 1030));
}

/* As the kernel merges it: times never go back. */
static char *random_trace(int lines)
{
	int64_t now_us = 100;
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	for (; lines; lines--) {
		now_us += any(0, 9);
		fprintf(file, "  task-%d  [%03d] d..2.  100.%06d: ", pid(),
			any(0, 40) ? any(0, 3) : any(0, 2000), (int)now_us);
		write_event(file);
		if (!any(0, 50))
			fprintf(file, "CPU:2 [LOST %d EVENTS]\n", any(1, 99));
	}
	assert_int_equal(fclose(file), 0);
	return text;
}

static void test_random(void **state)
{
	int round, told = 0;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		char *text = random_trace(any(0, LINES));
		struct tw_break brk = usual_break();

		brk.kept.cycle.planned_ns = at_us(any(90, 2000));
		brk.kept.cycle.t0_ns += any(-300000, 300000);
		brk.kept.cycle.t1_ns += any(-300000, 300000);
		brk.kept.cycle.t2_ns += any(-300000, 300000);
		brk.kept.cycle.t3_ns += any(-300000, 300000);
		brk.kept.throttled = any(0, 1);
		trace_may_throttle = any(0, 1);
		trace_bypass = any(0, TW_BYPASSES - 1);
		analyse(text, &brk);
		told += !analysis.lacks;
		free(text);
	}
	assert_in_range(told, ROUNDS / 2, ROUNDS);
}

/* Cut off at any byte. */
static void test_cut(void **state)
{
	struct tw_break brk = usual_break();
	char *text = random_trace(40);
	size_t len = strlen(text);

	(void)state;
	brk.kept.cycle.planned_ns = at_us(110);
	for (; len; len--) {
		text[len] = '\0';
		analyse(text, &brk);
	}
	free(text);
}

/* More than there is room for: what is too much counts for the last. */
static void test_spans_full(void **state)
{
	struct tw_break brk = late_break(TW_SEND, 101010);
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);
	int i;

	(void)state;
	assert_non_null(file);
	fputs(BOTH_WAIT CLIENT_AWAKES CLIENT_SENDS, file);
	for (i = 0; i < 2 * TW_SPANS; i++)
		fprintf(file, "  t%d-%d  [002] d..2.  100.%06d: sched_switch: prev_comm=t%d prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=t%d next_pid=%d next_prio=120\n",
			i, 1000 + i, 2000 + 10 * i, i, 1000 + i, i + 1,
			1001 + i);
	fclose(file);
	analyse(text, &brk);
	free(text);
	assert_null(analysis.lacks);
	assert_int_equal(analysis.count, TW_SPANS);
	assert_int_equal(analysis.sum_count, TW_SPANS);
	assert_non_null(strstr(analysis.sentence, "server runnable"));
	assert_non_null(strstr(analysis.sentence, "more ran"));
}

/* The longest names and times still make a sentence that is whole. */
static void test_longest(void **state)
{
	static const char name[] = "fifteen letters";
	struct tw_break brk = usual_break();
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);
	int i;

	(void)state;
	assert_non_null(file);
	fputs(BOTH_WAIT CLIENT_AWAKES CLIENT_SENDS, file);
	/* As after a suspend, on a clock that counts it: months. */
	for (i = 1; i <= 5; i++)
		fprintf(file, "  %s-1  [002] d..2.  %d00000000.000000: irq_handler_entry: irq=-2147483%d name=a_name_that_is_as_long_as_a_name_may_be_%d\n",
			name, 9 * i, 640 + i, i);
	fclose(file);
	brk.kept.cycle.t1_ns = INT64_C(5000000000) * TW_NS_PER_S;
	brk.kept.cycle.t2_ns = brk.kept.cycle.t1_ns + 105000;
	brk.kept.cycle.t3_ns = brk.kept.cycle.t2_ns + 20000;
	analyse(text, &brk);
	free(text);
	assert_null(analysis.lacks);
	assert_int_equal(analysis.phase, TW_SEND);
	assert_non_null(strstr(analysis.sentence, "server runnable on CPU 2"));
	assert_non_null(strstr(analysis.sentence, " ran"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_spans_full),
		cmocka_unit_test(test_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
