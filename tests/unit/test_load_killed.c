// SPDX-License-Identifier: GPL-2.0-or-later
/* What is killed of a load of commands, and that nothing of it is left. */
#include <sys/prctl.h>

#include "load.h"
#include "tracer.h"

static bool four_are_napping(void)
{
	return count_napping() == 4;
}

static void test_command_copy_killed(void **state)
{
	pid_t keeper;

	(void)state;
	open_load(&tw_load_command, "exec sleep $NAP", 2);
	assert_int_equal(load.ops->run(&load, 0, 2), 0);
	keeper = load.keeper.pid;
	kill(load.shared->slots[1].child.pid, SIGKILL);
	await(load_died);
	assert_int_equal(load.dead->pid, keeper);
	assert_true(WIFEXITED(load.dead->status));
	assert_int_not_equal(WEXITSTATUS(load.dead->status), 0);
	assert_int_equal(load.shared->err, -ECHILD);
	assert_string_equal(load.shared->why, "killed by signal 9 (Killed)");
	assert_int_equal(count_napping(), 0);
	close_load();
	/* For the message, which follows. */
	assert_int_equal(load.dead->pid, keeper);
}

/* The keeper's only child. */
static pid_t supervisor(void)
{
	char path[64];
	FILE *file;
	int pid;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children",
		 (int)load.keeper.pid, (int)load.keeper.pid);
	file = fopen(path, "r");
	if (!file) {
		print_message("# skip: no %s: CONFIG_PROC_CHILDREN\n", path);
		skip();
	}
	assert_int_equal(fscanf(file, "%d", &pid), 1);
	fclose(file);
	return pid;
}

/* What it watched over comes to the keeper, and goes. */
static void test_command_supervisor_killed(void **state)
{
	char want[TW_LOAD_WHY];
	pid_t victim;

	(void)state;
	open_load(&tw_load_command, "sleep $NAP & setsid sleep $NAP", 2);
	assert_int_equal(load.ops->run(&load, 0, 2), 0);
	await(four_are_napping);
	victim = supervisor();
	snprintf(want, sizeof(want), "its supervisor (pid %d) was killed by signal 9 (Killed)",
		 (int)victim);
	kill(victim, SIGKILL);
	await(load_died);
	assert_int_equal(load.dead->pid, load.keeper.pid);
	assert_true(WIFEXITED(load.dead->status));
	assert_string_equal(load.shared->why, want);
	assert_int_equal(count_napping(), 0);
	close_load();
}

/* The first message is the cause: a copy's, before its supervisor went. */
static void test_command_first_message(void **state)
{
	(void)state;
	open_load(&tw_load_command, "exec sleep $NAP", 1);
	assert_int_equal(load.ops->run(&load, 0, 1), 0);
	strcpy(load.shared->why, "told before");
	assert_true(load.shared->supervisor > 0);
	kill(load.shared->supervisor, SIGKILL);
	await(load_died);
	assert_int_equal(load.shared->err, -ECHILD);
	assert_string_equal(load.shared->why, "told before");
	close_load();
}

/* The keeper killed: its supervisor ends all the same. */
static void test_command_keeper_killed(void **state)
{
	(void)state;
	open_load(&tw_load_command, "sleep $NAP & setsid sleep $NAP", 2);
	assert_int_equal(load.ops->run(&load, 0, 2), 0);
	await(four_are_napping);
	kill(load.keeper.pid, SIGKILL);
	await(load_died);
	assert_true(WIFSIGNALED(load.dead->status));
	assert_int_equal(WTERMSIG(load.dead->status), SIGKILL);
	await(nobody_is_napping);
	/* The supervisor came to us: we are a subreaper, main is none. */
	assert_int_equal(tw_load_close(&load, why), 0);
	await(no_child_is_left);
}

/* What is left is told, by a stop as well as by the next step. */
static void test_cannot_be_ended(void **state)
{
	char want[TW_LOAD_WHY];
	pid_t pid, tracer;
	int next;

	(void)state;
	for (next = 0; next < 2; next++) {
		open_load(&tw_load_command, "exec sleep $NAP", 1);
		assert_int_equal(load.ops->run(&load, 0, 1), 0);
		pid = load.shared->slots[0].child.pid;
		tracer = start_tracer(pid);
		if (!tracer) {
			close_load();
			print_message("# skip: no process may be traced here\n");
			skip();
		}
		if (next) {
			assert_int_equal(load.ops->run(&load, 1, 1), -EBUSY);
			snprintf(why, sizeof(why), "%s", load.shared->why);
			assert_int_equal(tw_load_close(&load, NULL), -EBUSY);
		} else {
			assert_int_equal(tw_load_close(&load, why), -EBUSY);
		}
		snprintf(want, sizeof(want), "its process %d (sleep) cannot be ended: on CPU ",
			 (int)pid);
		assert_memory_equal(why, want, strlen(want));
		kill(tracer, SIGKILL);
		assert_int_equal(waitpid(tracer, NULL, 0), tracer);
		await(no_child_is_left);
	}
}

static bool all_nap(void)
{
	return count_napping() == 5;
}

/* However they try to get away: forked, orphaned, in another session. */
static void test_grandchildren(void **state)
{
	(void)state;
	open_load(&tw_load_command, "sleep $NAP & (sleep $NAP & sleep $NAP &) ; setsid sleep $NAP & sleep $NAP",
		  1);
	assert_int_equal(load.ops->run(&load, 0, 1), 0);
	/* On a busy machine, the last of them come a little later. */
	await(all_nap);
	assert_int_equal(count_napping(), 5);
	close_load();
	assert_int_equal(count_napping(), 0);
}

static pid_t start_other(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return pid;
}

/* Guardians, or what a shell has left to us by exec, are no load. */
static void test_spares_others(void **state)
{
	const struct tw_load_params params = any_cpu("exec sleep $NAP");
	pid_t before, after;

	(void)state;
	need_subreaper();
	before = start_other();
	assert_int_equal(tw_load_open(&load, &tw_load_command, &params, 1,
				      why), 0);
	assert_int_equal(load.ops->run(&load, 0, 1), 0);
	after = start_other();
	assert_int_equal(load.ops->run(&load, 1, 1), 0);
	assert_int_equal(tw_load_close(&load, why), 0);
	assert_int_equal(count_napping(), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), 0);
	kill(before, SIGKILL);
	kill(after, SIGKILL);
	assert_int_equal(waitpid(before, NULL, 0), before);
	assert_int_equal(waitpid(after, NULL, 0), after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_copy_killed),
		cmocka_unit_test(test_command_supervisor_killed),
		cmocka_unit_test(test_command_first_message),
		cmocka_unit_test(test_command_keeper_killed),
		cmocka_unit_test(test_cannot_be_ended),
		cmocka_unit_test(test_grandchildren),
		cmocka_unit_test(test_spares_others),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}
