// SPDX-License-Identifier: GPL-2.0-or-later
/* Who else used the CPUs: told from two made trees of /proc. */
#include "made_proc.h"

static void test_kernel_thread(void **state)
{
	struct task task = {
		.id = 128, .parent = 2, .name = "cryptomgr_test",
		.flags = KERNEL, .used_ns = 3 * S, .start = 7,
	};
	const struct tw_others_cpu *cpu;

	(void)state;
	make_before(3000, 0);
	make_task(&task);
	read_before();
	task.used_ns += 8520 * MS;
	make_task(&task);
	make_after(3000 + 8520 + 520, 0);
	read_after();
	cpu = compare("0", 500 * MS);
	assert_int_equal(others.count, 1);
	assert_true(others.complete);
	assert_int_equal(cpu->cpu, 0);
	assert_int_equal(cpu->ns, 8520 * MS);
	assert_int_equal(cpu->unnamed_ns, 0);
	assert_int_equal(cpu->interrupts_ns, 0);
	assert_string_equal(cpu->task[0].name, "cryptomgr_test");
	assert_int_equal(cpu->task[0].id, 128);
	assert_true(cpu->task[0].kernel);
	assert_int_equal(cpu->task[0].ns, 8520 * MS);
	assert_int_equal(cpu->task[1].ns, 0);
	assert_true(tw_others_percent(&others, cpu->ns) > 85.1);
	assert_true(tw_others_percent(&others, cpu->ns) < 85.3);
}

static void test_descendants_are_ours(void **state)
{
	const struct task ours[] = {
		{ .id = 110, .parent = SELF, .name = "load", .used_ns = 2 * S },
		{ .id = 90, .parent = 110, .name = "hackbench",
		  .used_ns = 3 * S, .reaped_ticks = 100 },
		{ .id = 91, .process = 90, .parent = 110, .name = "worker",
		  .used_ns = 1 * S },
	};
	const struct task loop = { .id = 120, .parent = 120, .name = "loop",
				   .used_ns = 1 * S };
	const struct tw_others_cpu *cpu;
	int i;

	(void)state;
	make_before(0, 0);
	read_before();
	for (i = 0; i < 3; i++)
		make_task(&ours[i]);
	make_task(&loop);
	make_after(8500, 0);
	read_after();
	cpu = compare("0", 400 * MS);
	/* 8.5 s less 0.4, 0.02, 2, 3 and 1 that ended, 1: all but slack. */
	assert_int_equal(cpu->ns, (8500 - 400 - 20 - 7000) * MS -
			 2 * tw_tick_ns());
	assert_int_equal(cpu->unnamed_ns, cpu->ns - 1 * S);
	assert_string_equal(cpu->task[0].name, "loop");
	assert_int_equal(cpu->task[1].ns, 0);
}

/* Only threads of the kernel are what their names say. */
static void test_interrupts_stand_apart(void **state)
{
	const struct task tasks[] = {
		{ .id = 15, .parent = 2, .name = "ktimers/0", .flags = KERNEL,
		  .used_ns = 2 * S },
		{ .id = 16, .parent = 2, .name = "ksoftirqd/0",
		  .flags = KERNEL, .used_ns = 1 * S },
		{ .id = 17, .parent = 2, .name = "irq/24-eth0",
		  .flags = KERNEL, .used_ns = 1 * S },
		{ .id = 18, .parent = 1, .name = "irq/mine",
		  .used_ns = 3 * S },
	};
	const struct tw_others_cpu *cpu;
	int i;

	(void)state;
	make_before(0, 0);
	read_before();
	for (i = 0; i < 4; i++)
		make_task(&tasks[i]);
	make_after(7020, 0);
	read_after();
	cpu = compare("0", 0);
	assert_int_equal(cpu->interrupts_ns, 4 * S);
	assert_string_equal(cpu->interrupts.name, "ktimers/0");
	assert_int_equal(cpu->ns, 3 * S);
	assert_string_equal(cpu->task[0].name, "irq/mine");
	assert_false(cpu->task[0].kernel);
}

/* What no living task accounts for; interrupts are not taken for it. */
static void test_ended(void **state)
{
	const struct tw_others_cpu *cpu;

	(void)state;
	make_before(0, 0);
	read_before();
	make_task(&main_after);
	make_cpus(4000, 1000, 500, true);
	read_after();
	cpu = compare("0", 600 * MS);
	assert_int_equal(cpu->unnamed_ns, (4000 - 500 - 600 - 20) * MS -
			 2 * tw_tick_ns());
	assert_int_equal(cpu->ns, cpu->unnamed_ns);
	assert_int_equal(cpu->task[0].ns, 0);
	/* Of two CPUs, it may have been either that our processes used. */
	cpu = compare("01", 600 * MS);
	assert_int_equal(others.count, 2);
	assert_int_equal(cpu[0].unnamed_ns, (4000 - 500 - 600 - 20) * MS -
			 2 * tw_tick_ns());
	assert_int_equal(cpu[1].cpu, 1);
	assert_int_equal(cpu[1].unnamed_ns, (1000 - 600 - 20) * MS -
			 2 * tw_tick_ns());
}

/* A task was last here, but used most of its time elsewhere. */
static void test_no_more_than_the_cpu_had(void **state)
{
	struct task task = { .id = 200, .parent = 1, .name = "browser",
			     .cpu = 1, .used_ns = 9 * S };
	const struct tw_others_cpu *cpu;

	(void)state;
	make_before(0, 0);
	read_before();
	make_task(&task);
	task = (struct task) { .id = 201, .parent = 1, .name = "less",
			       .cpu = 1, .used_ns = 8 * S };
	make_task(&task);
	make_after(0, 1600);
	read_after();
	cpu = compare("1", 600 * MS);
	assert_int_equal(cpu->ns, 1000 * MS);
	assert_int_equal(cpu->task[0].ns, 1000 * MS);
	assert_string_equal(cpu->task[0].name, "browser");
	assert_int_equal(cpu->task[1].ns, 0);
	assert_int_equal(cpu->unnamed_ns, 0);
	cpu = compare("0", 600 * MS);
	assert_int_equal(cpu->ns, 0);
}

/* The number was another task's before. */
static void test_new_task_of_old_number(void **state)
{
	struct task task = { .id = 300, .parent = 1, .name = "old",
			     .used_ns = 3 * S, .start = 1 };
	const struct tw_others_cpu *cpu;

	(void)state;
	make_before(0, 0);
	make_task(&task);
	read_before();
	task.start = 2;
	task.name = "new";
	make_task(&task);
	make_after(3020, 0);
	read_after();
	cpu = compare("0", 0);
	assert_int_equal(cpu->task[0].ns, 3 * S);
	assert_string_equal(cpu->task[0].name, "new");
}

static void test_threads_and_names(void **state)
{
	const struct task tasks[] = {
		{ .id = 400, .parent = 1, .name = "a) S 1 (\x01", .cpu = 1,
		  .used_ns = 1 * S },
		{ .id = 401, .process = 400, .parent = 1,
		  .name = "a name that is longer than is kept",
		  .used_ns = 2 * S },
		{ .id = 402, .process = 400, .parent = 1, .name = "c",
		  .used_ns = 4 * S, .reaped_ticks = 900 },
		{ .id = 403, .process = 400, .parent = 1, .name = "d",
		  .used_ns = 100 * MS },
		{ .id = 404, .process = 400, .parent = 1, .name = "e",
		  .used_ns = 200 * MS },
	};
	const struct tw_others_cpu *cpu;
	int i;

	(void)state;
	make_before(0, 0);
	read_before();
	for (i = 0; i < 5; i++)
		make_task(&tasks[i]);
	make_after(6320, 1000);
	read_after();
	cpu = compare("01", 0);
	assert_int_equal(cpu->task[0].id, 402);
	assert_int_equal(cpu->task[1].id, 401);
	assert_string_equal(cpu->task[1].name, "a name that is longer than ");
	assert_int_equal(cpu->task[2].id, 404);
	assert_int_equal(cpu->ns, 6300 * MS);
	assert_string_equal(cpu[1].task[0].name, "a) S 1 (?");
}

/* A kernel without the files of SCHEDSTATS. */
static void test_coarse(void **state)
{
	struct task task = { .id = 500, .parent = 1, .name = "a",
			     .used_ns = -1, .ticks = 50 };
	const struct tw_others_cpu *cpu;

	(void)state;
	make_task(&main_before);
	make_cpus(0, 0, 0, false);
	make_task(&task);
	read_before();
	assert_false(before.busy.exact);
	task.ticks = 250;
	make_task(&task);
	make_task(&main_after);
	/* All CPUs have been idle since then, but for this. */
	make_cpus(5000 - 10000, -10000, 500, false);
	read_after();
	cpu = compare("0", 0);
	/* It may be one tick less. */
	assert_int_equal(cpu->task[0].ns, 199 * 10 * MS);
	/* One tenth may be the way into idling and out of it. */
	assert_int_equal(cpu->ns, (5000 - 20 - 1000) * MS -
			 2 * tw_tick_ns());
	assert_int_equal(cpu->unnamed_ns, cpu->ns - cpu->task[0].ns);
}

/* In ticks, the file of a process has the time of all its threads. */
static void test_coarse_threads(void **state)
{
	const struct task tasks[] = {
		{ .id = 500, .parent = 1, .name = "a", .used_ns = -1,
		  .ticks = 100, .further_ticks = 201 },
		{ .id = 501, .process = 500, .parent = 1, .name = "b",
		  .used_ns = -1, .ticks = 201, .cpu = 1 },
	};
	const struct tw_others_cpu *cpu;
	int i;

	(void)state;
	make_task(&main_before);
	make_cpus(0, 0, 0, false);
	read_before();
	for (i = 0; i < 2; i++)
		make_task(&tasks[i]);
	make_task(&main_after);
	make_cpus(9000 - 10000, 9000 - 10000, 0, false);
	read_after();
	cpu = compare("01", 0);
	assert_int_equal(cpu[0].task[0].ns, 99 * 10 * MS);
	assert_int_equal(cpu[0].task[1].ns, 0);
	assert_int_equal(cpu[1].task[0].ns, 200 * 10 * MS);
	assert_string_equal(cpu[1].task[0].name, "b");
}

/* A load's process goes on, some of its threads do not. */
static void test_own_threads_that_ended(void **state)
{
	struct task load = {
		.id = 110, .parent = SELF, .name = "load", .used_ns = 1 * S,
		.ticks = 100, .further_ticks = 300,
	};
	const struct task thread = {
		.id = 111, .process = 110, .parent = SELF, .name = "thread",
		.used_ns = 1 * S,
	};
	const struct tw_others_cpu *cpu;

	(void)state;
	make_before(0, 0);
	make_task(&load);
	read_before();
	load.used_ns = 2 * S;
	load.ticks = 200;
	load.further_ticks = 700;
	make_task(&load);
	make_task(&thread);
	make_after(6020, 0);
	read_after();
	cpu = compare("0", 0);
	/* 1 s its own, 1 s of the thread, and 3 s of those that ended. */
	assert_int_equal(cpu->unnamed_ns, 1 * S - 2 * tw_tick_ns());
	assert_int_equal(cpu->ns, cpu->unnamed_ns);
}

/* Memory and time are bounded; then nothing is taken for ended. */
static void test_too_many(void **state)
{
	struct task task = { .parent = 1, .name = "a", .flags = KERNEL,
			     .used_ns = -1, .cpu = 1 };
	const struct tw_others_cpu *cpu;
	int i;

	(void)state;
	make_before(0, 0);
	for (i = 0; i <= TW_TASKS_MAX; i++) {
		task.id = 1000 + i;
		make_task(&task);
	}
	read_before();
	assert_false(before.tasks.complete);
	assert_true(before.tasks.count <= TW_TASKS_MAX);
	make_after(9000, 0);
	read_after();
	cpu = compare("0", 0);
	assert_false(others.complete);
	assert_int_equal(cpu->ns, 0);
}

/* What was left out before may have begun long ago: that is not of the run. */
static void test_not_read_before(void **state)
{
	struct task task = { .id = 500, .parent = 1, .name = "a",
			     .used_ns = 50 * S };
	const struct tw_others_cpu *cpu;

	(void)state;
	make_before(0, 0);
	read_before();
	before.tasks.complete = false;
	make_task(&task);
	make_after(9000, 0);
	read_after();
	cpu = compare("0", 0);
	assert_int_equal(cpu->task[0].ns, 0);
	assert_int_equal(cpu->ns, 0);
}

static void test_nothing_to_read(void **state)
{
	(void)state;
	make_task(&main_before);
	assert_int_not_equal(tw_others_before(&before, root), 0);
	assert_null(before.tasks.row);
	assert_int_not_equal(tw_others_before(&before, "/nowhere"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_kernel_thread),
		TEST(test_descendants_are_ours),
		TEST(test_interrupts_stand_apart),
		TEST(test_ended),
		TEST(test_no_more_than_the_cpu_had),
		TEST(test_new_task_of_old_number),
		TEST(test_threads_and_names),
		TEST(test_coarse),
		TEST(test_coarse_threads),
		TEST(test_own_threads_that_ended),
		TEST(test_too_many),
		TEST(test_not_read_before),
		TEST(test_nothing_to_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
