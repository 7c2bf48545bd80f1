// SPDX-License-Identifier: GPL-2.0-or-later
/* The transforms as a load, as any user may run them; and the types of load. */
#include "load.h"

static bool both_have_worked(void)
{
	return load.shared->slots[0].done && load.shared->slots[1].done;
}

static void test_fft(void **state)
{
	struct tw_load_slot sum;

	(void)state;
	open_load(&tw_load_fft, NULL, 3);
	assert_int_equal(load.prepared, 3);
	assert_false(load_died());
	assert_int_equal(load.ops->run(&load, 0, 0), 0);
	assert_int_equal(load.ops->run(&load, 1, 1), 0);
	assert_int_equal(load.ops->run(&load, 2, 2), 0);
	assert_int_equal(load.count, 2);
	await(both_have_worked);
	assert_false(load_died());
	sum = tw_load_progress(&load);
	assert_true(sum.done >= 2);
	assert_true(sum.busy_ns > 0);
	assert_int_equal(sum.errors, 0);
	/* The third was not woken. */
	assert_int_equal(load.shared->slots[2].done, 0);
	assert_int_equal(load.shared->slots[2].busy_ns, 0);
	close_load();
}

static void test_fft_killed(void **state)
{
	pid_t victim;

	(void)state;
	open_load(&tw_load_fft, NULL, 2);
	assert_int_equal(load.ops->run(&load, 0, 1), 0);
	/* One that sleeps counts as well as one at work. */
	victim = load.shared->slots[1].child.pid;
	kill(victim, SIGKILL);
	await(load_died);
	assert_int_equal(load.dead->pid, victim);
	assert_true(WIFSIGNALED(load.dead->status));
	assert_int_equal(WTERMSIG(load.dead->status), SIGKILL);
	close_load();
}

/* Stopped as they were by a debugger, workers must go all the same. */
static void test_fft_stopped(void **state)
{
	(void)state;
	open_load(&tw_load_fft, NULL, 2);
	assert_int_equal(load.ops->run(&load, 0, 2), 0);
	kill(load.shared->slots[0].child.pid, SIGSTOP);
	close_load();
}

static void test_fft_no_scratch(void **state)
{
	const struct tw_load_params params = any_cpu(NULL);

	(void)state;
	setenv("TMPDIR", "/nowhere/at/all", 1);
	assert_int_equal(tw_load_open(&load, &tw_load_fft, &params, 1, why),
			 -EACCES);
	unsetenv("TMPDIR");
	assert_string_equal(why, "cannot make a scratch file in /nowhere/at/all ($TMPDIR): No such file or directory");
	close_load();
}

static void test_kinds(void **state)
{
	(void)state;
	assert_ptr_equal(tw_load_kinds[0], &tw_load_fft);
	assert_ptr_equal(tw_load_kinds[1], &tw_load_hackbench);
	assert_ptr_equal(tw_load_kinds[2], &tw_load_command);
	assert_null(tw_load_kinds[3]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fft),
		cmocka_unit_test(test_fft_killed),
		cmocka_unit_test(test_fft_stopped),
		cmocka_unit_test(test_fft_no_scratch),
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
