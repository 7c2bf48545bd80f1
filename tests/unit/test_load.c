// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads of real processes, as any user may run them. */
#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"
#include "subreaper.h"

#include "tw_load.h"

#define PATIENCE_MS	10000	/* what is waited for takes some ms */

static struct tw_load load;
static char why[TW_LOAD_WHY];

static struct tw_load_params any_cpu(const char *command)
{
	struct tw_load_params params = {
		.command = command, .policy = SCHED_OTHER,
	};

	assert_int_equal(sched_getaffinity(0, sizeof(params.cpus),
					   &params.cpus), 0);
	return params;
}

static void open_load(const struct tw_load_ops *ops, const char *command,
		      int most)
{
	const struct tw_load_params params = any_cpu(command);
	int err;

	if (ops == &tw_load_command)
		need_subreaper();
	err = tw_load_open(&load, ops, &params, most, why);
	if (err)
		fail_msg("%s: %s", why, strerror(-err));
}

static void pause_ms(int ms)
{
	const struct timespec pause = { .tv_nsec = ms * 1000000L };

	nanosleep(&pause, NULL);
}

/* Waits until @done says so. */
static void await(bool (*done)(void))
{
	int ms;

	for (ms = 0; !done(); ms += 2) {
		assert_true(ms < PATIENCE_MS);
		pause_ms(2);
	}
}

static bool load_died(void)
{
	return load.ops->died(&load);
}

/* Closed, nothing is left: neither a child nor one of a child's. */
static void close_load(void)
{
	assert_int_equal(tw_load_close(&load, why), 0);
	errno = 0;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(tw_load_close(&load, why), 0);
}

/* For commands to sleep: a time that no other process here sleeps for. */
static char nap[32];

/* Whether the process that @path tells of has that for an argument. */
static bool is_napping(const char *path)
{
	char words[4096];
	FILE *file = fopen(path, "r");
	size_t len, at;

	if (!file)
		return false;
	len = fread(words, 1, sizeof(words) - 1, file);
	fclose(file);
	words[len] = '\0';
	for (at = 0; at < len; at += strlen(words + at) + 1)
		if (!strcmp(words + at, nap))
			return true;
	return false;
}

static int count_napping(void)
{
	int count = 0;
	glob_t paths;
	size_t i;

	assert_int_equal(glob("/proc/[0-9]*/cmdline", 0, NULL, &paths), 0);
	for (i = 0; i < paths.gl_pathc; i++)
		count += is_napping(paths.gl_pathv[i]);
	globfree(&paths);
	return count;
}

static bool both_have_worked(void)
{
	return load.shared->slots[0].done && load.shared->slots[1].done;
}

static bool four_are_napping(void)
{
	return count_napping() == 4;
}

static bool nobody_is_napping(void)
{
	return !count_napping();
}

static bool no_child_is_left(void)
{
	return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
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
		      "no such luck");
	fails_at_once("kill -SEGV $$",
		      "killed by signal 11 (Segmentation fault)");
	/* Leaving a child behind. */
	fails_at_once("sleep $NAP & echo oh >&2; exit 3", "oh");
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
	assert_string_equal(load.shared->why, "Invalid argument");
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
	(void)state;
	open_load(&tw_load_command, "head -c 300000 /dev/zero | tr '\\0' x >&2; exit 1",
		  1);
	assert_int_equal(load.ops->run(&load, 0, 1), -ECHILD);
	assert_int_equal(strspn(load.shared->why, "x"), TW_LOAD_WHY - 1);
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

/* And the other way round. */
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

/* However they try to get away: forked, orphaned, in another session. */
static void test_grandchildren(void **state)
{
	(void)state;
	open_load(&tw_load_command, "sleep $NAP & (sleep $NAP & sleep $NAP &) ; setsid sleep $NAP & sleep $NAP",
		  1);
	assert_int_equal(load.ops->run(&load, 0, 1), 0);
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

static void test_kinds(void **state)
{
	(void)state;
	assert_ptr_equal(tw_load_kind(0), &tw_load_fft);
	assert_ptr_equal(tw_load_kind(1), &tw_load_hackbench);
	assert_ptr_equal(tw_load_kind(2), &tw_load_command);
	assert_null(tw_load_kind(3));
}

static int prepare(void **state)
{
	(void)state;
	snprintf(nap, sizeof(nap), "98.%d", (int)getpid());
	return setenv("NAP", nap, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fft),
		cmocka_unit_test(test_fft_killed),
		cmocka_unit_test(test_fft_stopped),
		cmocka_unit_test(test_fft_no_scratch),
		cmocka_unit_test(test_command_restarts),
		cmocka_unit_test(test_command_runs_on),
		cmocka_unit_test(test_command_environment),
		cmocka_unit_test(test_command_fails),
		cmocka_unit_test(test_command_cannot_settle),
		cmocka_unit_test(test_command_complaint_is_of_its_run),
		cmocka_unit_test(test_command_complains_much),
		cmocka_unit_test(test_command_long_line),
		cmocka_unit_test(test_command_leaves_nothing),
		cmocka_unit_test(test_command_missing),
		cmocka_unit_test(test_command_copy_killed),
		cmocka_unit_test(test_command_supervisor_killed),
		cmocka_unit_test(test_command_keeper_killed),
		cmocka_unit_test(test_grandchildren),
		cmocka_unit_test(test_spares_others),
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}
