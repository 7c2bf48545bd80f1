// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands as a load: how they run, fail, complain and start again. */
#include "load.h"

static bool restarted(void)
{
	return load.shared->restarts >= 3;
}

/* Several at once, each of which ends before the next is started again. */
static void test_command_restarts(void **state)
{
	struct tw_load_slot sum;

	(void)state;
	open_load(&tw_load_command, "exit 0", 8);
	assert_int_equal(load.prepared, 8);
	assert_int_equal(load.ops->run(&load, 0, 8), 0);
	await(restarted);
	assert_false(load_died());
	sum = tw_load_progress(&load);
	assert_true(sum.done >= 3);
	close_load();
}

static void test_command_runs_on(void **state)
{
	(void)state;
	open_load(&tw_load_command, "exec sleep $NAP", 3);
	assert_int_equal(load.ops->run(&load, 0, 0), 0);
	assert_int_equal(count_napping(), 0);
	assert_int_equal(load.ops->run(&load, 1, 1), 0);
	assert_int_equal(count_napping(), 1);
	/* The next step's copies take the place of the last one's. */
	assert_int_equal(load.ops->run(&load, 2, 3), 0);
	assert_int_equal(count_napping(), 3);
	assert_int_equal(load.count, 3);
	assert_int_equal(load.shared->restarts, 0);
	assert_false(load_died());
	close_load();
	assert_int_equal(count_napping(), 0);
}

/* What a command that scales is told; it fails if it is told otherwise. */
static void test_command_environment(void **state)
{
	(void)state;
	open_load(&tw_load_command, "[ $TWOWAYTEST_STEP$TWOWAYTEST_WORKERS = 42 ] && exec sleep $NAP",
		  2);
	assert_int_equal(load.ops->run(&load, 4, 2), 0);
	assert_int_equal(load.ops->run(&load, 3, 2), -ECHILD);
	close_load();
}

static void fails_at_once(const char *command, const char *want)
{
	open_load(&tw_load_command, command, 2);
	assert_int_equal(load.ops->run(&load, 0, 2), -ECHILD);
	assert_string_equal(load.shared->why, want);
	close_load();
}

static void test_command_fails(void **state)
{
	(void)state;
	fails_at_once("exit 7", "ended with exit status 7");
	fails_at_once("echo 'no such luck' >&2; echo more >&2; exit 1",
		      "ended with exit status 1; it wrote: no such luck");
	fails_at_once("kill -SEGV $$",
		      "killed by signal 11 (Segmentation fault)");
	fails_at_once("echo enough >&2; kill -SEGV $$",
		      "killed by signal 11 (Segmentation fault); it wrote: enough");
	/* Leaving a child behind. */
	fails_at_once("sleep $NAP & echo oh >&2; exit 3",
		      "ended with exit status 3; it wrote: oh");
	assert_int_equal(count_napping(), 0);
}

/* A setting that a copy cannot have is a complaint too, and to no other. */
static void test_command_cannot_settle(void **state)
{
	struct tw_load_params params = any_cpu("exec sleep $NAP");

	(void)state;
	need_subreaper();
	CPU_ZERO(&params.cpus);
	CPU_SET(CPU_SETSIZE - 1, &params.cpus);
	params.pinned = true;
	assert_int_equal(tw_load_open(&load, &tw_load_command, &params, 1,
				      why), 0);
	assert_int_equal(load.ops->run(&load, 0, 1), -ECHILD);
	assert_string_equal(load.shared->why,
			    "cannot be started: Invalid argument");
	close_load();
}

/* Of the run that failed, not of one before. */
static void test_command_complaint_is_of_its_run(void **state)
{
	char flag[] = "/tmp/test_load.XXXXXX";
	int fd = mkstemp(flag);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	setenv("FLAG", flag, 1);
	open_load(&tw_load_command, "[ -e $FLAG ] || exit 3; echo 1 percent >&2; rm $FLAG; sleep .3",
		  1);
	assert_int_equal(load.ops->run(&load, 0, 1), 0);
	await(load_died);
	assert_string_equal(load.shared->why, "ended with exit status 3");
	close_load();
	unlink(flag);
}

/* It is read, and dropped, so that who complains does not stand still. */
static void test_command_complains_much(void **state)
{
	(void)state;
	open_load(&tw_load_command, "head -c 300000 /dev/zero | tr '\\0' x >&2",
		  3);
	assert_int_equal(load.ops->run(&load, 0, 3), 0);
	await(restarted);
	assert_false(load_died());
	close_load();
}

static void test_command_long_line(void **state)
{
	const char *begin = "ended with exit status 1; it wrote: ";

	(void)state;
	open_load(&tw_load_command, "head -c 300000 /dev/zero | tr '\\0' x >&2; exit 1",
		  1);
	assert_int_equal(load.ops->run(&load, 0, 1), -ECHILD);
	assert_memory_equal(load.shared->why, begin, strlen(begin));
	assert_int_equal(strspn(load.shared->why + strlen(begin), "x"),
			 TW_LOAD_WHY - 1 - strlen(begin));
	assert_int_equal(strlen(load.shared->why), TW_LOAD_WHY - 1);
	close_load();
}

/* What it leaves in its group, such as a command in the background. */
static void test_command_leaves_nothing(void **state)
{
	int times;

	(void)state;
	open_load(&tw_load_command, "sleep $NAP & sleep $NAP & exit 0", 1);
	assert_int_equal(load.ops->run(&load, 0, 1), 0);
	for (times = 0; times < 20; times++) {
		assert_true(count_napping() <= 2);
		pause_ms(5);
	}
	await(restarted);
	assert_false(load_died());
	close_load();
	assert_int_equal(count_napping(), 0);
}

/* What the shell is given is the command, without any option of our own. */
static void test_command_goes_on_after_failure(void **state)
{
	(void)state;
	open_load(&tw_load_command, "false; exec sleep $NAP", 1);
	assert_int_equal(load.ops->run(&load, 0, 1), 0);
	close_load();
}

/* More than the kernel takes as one argument. */
static void test_command_too_long(void **state)
{
	const size_t len = 32 * (size_t)sysconf(_SC_PAGESIZE) + 1;
	char *command = malloc(len);

	(void)state;
	assert_non_null(command);
	memset(command, ' ', len - 1);
	command[len - 1] = '\0';
	fails_at_once(command, "cannot be started: Argument list too long");
	free(command);
}

static void test_command_missing(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		const struct tw_load_params params = any_cpu(i ? "" : NULL);

		assert_int_equal(tw_load_open(&load, &tw_load_command,
					      &params, 1, why), -EINVAL);
		assert_string_equal(why, "what is it to run? give command:SHELL-COMMAND");
		close_load();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_restarts),
		cmocka_unit_test(test_command_runs_on),
		cmocka_unit_test(test_command_environment),
		cmocka_unit_test(test_command_fails),
		cmocka_unit_test(test_command_cannot_settle),
		cmocka_unit_test(test_command_complaint_is_of_its_run),
		cmocka_unit_test(test_command_complains_much),
		cmocka_unit_test(test_command_long_line),
		cmocka_unit_test(test_command_leaves_nothing),
		cmocka_unit_test(test_command_goes_on_after_failure),
		cmocka_unit_test(test_command_too_long),
		cmocka_unit_test(test_command_missing),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}
