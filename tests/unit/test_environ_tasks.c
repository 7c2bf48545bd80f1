// SPDX-License-Identifier: GPL-2.0-or-later
/* What other processes do: move interrupts, run timers, trace. */
#include "tree.h"

/* Wherever it is among the others. */
static void test_irqbalance(void **state)
{
	char path[32];
	int pid;

	(void)state;
	tree_add("/proc/17/comm", "bash\n");
	tree_add("/proc/sys/comm", "irqbalance\n");
	tree_add("/proc/18/other", "irqbalance\n");
	assert_int_equal(read_tree()->irqbalance, 0);
	tree_add("/proc/4194304/comm", "irqbalance\n");
	assert_int_equal(read_tree()->irqbalance, 1);
	for (pid = 100; pid < 120; pid++) {
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		tree_add(path, "bash\n");
	}
	assert_int_equal(read_tree()->irqbalance, 1);
}

/* A thread's real-time priority is the 38th number after its name. */
static void add_thread(int pid, const char *name, int prio)
{
	char path[32], text[256];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	snprintf(text, sizeof(text), "%s\n", name);
	tree_add(path, text);
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	snprintf(text, sizeof(text),
		 "%d (%s) S 2 0 0 0 -1 69238848 0 0 0 0 1 0 0 0 -2 0 1 0 160 0 0 18446744073709551615 0 0 0 0 0 0 0 2147483647 0 1 0 0 17 3 %d 1 0 0 0 0\n",
		 pid, name, prio);
	tree_add(path, text);
}

/* Of several the lowest, whatever its place among them; the client's only. */
static void test_timer_threads(void **state)
{
	struct tw_environ_params params = usual_params();
	struct tw_environ env;

	(void)state;
	add_thread(15, "ktimers/2", 1);
	assert_int_equal(read_tree()->timer_thread_prio, TW_NO_NUMBER);
	add_thread(16, "ktimers/3", 50);
	assert_int_equal(read_tree()->timer_thread_prio, 50);
	CPU_SET(4, &params.client);
	CPU_SET(5, &params.client);
	add_thread(17, "ktimers/4", 20);
	add_thread(18, "ktimers/5", 70);
	tw_environ_read(&env, tree_root, &params);
	assert_int_equal(env.timer_thread_prio, 20);
	/* Any name that a process has given itself. */
	tree_clear();
	add_thread(19, "ktimers/3) S (", 7);
	assert_int_equal(read_tree()->timer_thread_prio, 7);
}

#define INSTANCES	"/sys/kernel/tracing/instances/"

/* Those of other tests, by whole names, as many as there is room for. */
static void test_trace_instances(void **state)
{
	char path[400], own[32], list[TW_FACT_MAX], *name, *rest = NULL;
	const char *names;
	int i;

	(void)state;
	snprintf(own, sizeof(own), "twowaytest-%d-0", (int)getpid());
	snprintf(path, sizeof(path), INSTANCES "%s/trace", own);
	tree_add(path, "");
	assert_string_equal(read_tree()->trace_instances, "");
	/* Another process, whose number only begins like this one's. */
	snprintf(path, sizeof(path), INSTANCES "twowaytest-%d0-0/trace",
		 (int)getpid());
	tree_add(path, "");
	names = read_tree()->trace_instances;
	assert_memory_equal(names, own, strlen(own) - 2);
	assert_null(strchr(names, ' '));

	for (i = 0; i < 9; i++) {
		snprintf(path, sizeof(path), INSTANCES
			 "twowaytest-1-%060d/trace", i);
		tree_add(path, "");
	}
	names = read_tree()->trace_instances;
	assert_in_range(strlen(names), TW_FACT_MAX - 76, TW_FACT_MAX - 1);
	strcpy(list, names);
	for (name = strtok_r(list, " ", &rest); name;
	     name = strtok_r(NULL, " ", &rest)) {
		snprintf(path, sizeof(path), "%s" INSTANCES "%s", tree_root,
			 name);
		assert_int_equal(access(path, F_OK), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(test_irqbalance),
		tree_test(test_timer_threads),
		tree_test(test_trace_instances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
