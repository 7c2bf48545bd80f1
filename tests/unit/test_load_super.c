// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the supervisor gives to a command (settings, descriptors, signals), and
 * what it keeps of it.
 */
#include <dirent.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "load.h"
#include "base/tw_time.h"

/* Runs @copies of @command; it sleeps on only if it finds what it should. */
static void start(const char *command, int copies)
{
	open_load(&tw_load_command, command, copies);
	assert_int_equal(load.ops->run(&load, 0, copies), 0);
	assert_string_equal(load.shared->why, "");
}

/* A stop that nobody had to be forced to: there is nothing to tell. */
static void stop(void)
{
	assert_int_equal(load.ops->stop(&load), 0);
	assert_string_equal(load.shared->why, "");
	assert_int_equal(load.keeper.pid, 0);
	assert_int_equal(count_napping(), 0);
	close_load();
}

/* The number of entries of /proc/PID/@what. */
static int count_entries(pid_t pid, const char *what)
{
	char path[64];
	int count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	dir = opendir(path);
	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static void test_stop(void **state)
{
	(void)state;
	start("echo oh >&2; exec sleep $NAP", 2);
	stop();
	/* Also if the command does not let itself be ended. */
	start("trap '' TERM INT HUP; sleep $NAP & sleep $NAP", 1);
	stop();
}

/* Not those of main, from which it might read or to which it might write. */
static void test_standard_files(void **state)
{
	int fds[2], standard = dup(0);

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(dup2(fds[0], 0), 0);
	start("[ $(readlink /proc/$$/fd/0) = /dev/null ] && [ $(readlink /proc/$$/fd/1) = /dev/null ] && exec sleep $NAP",
	      1);
	if (standard >= 0)
		dup2(standard, 0);
	close(standard);
	close(fds[0]);
	close(fds[1]);
	stop();
}

/* Only 0, 1 and 2: neither the other copies' nor the supervisor's. */
static void test_descriptors(void **state)
{
	(void)state;
	start("for fd in 3 4 5 6 7 8 9 10 11; do [ ! -e /proc/$$/fd/$fd ] || exit 1; done; exec sleep $NAP",
	      3);
	stop();
}

/*
 * Ignored or blocked by main, a signal is as usual for a command: but for 32
 * and 33, which are the C library's own, and which make lets its children
 * ignore.
 */
static void test_signals(void **state)
{
	const int ignored[] = { SIGHUP, SIGPIPE, SIGRTMAX };
	sigset_t blocked, before;
	size_t i;

	(void)state;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR2);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	start("for set in SigIgn SigBlk; do grep -q \"$set:.0*[01][08]0\\{7\\}$\" /proc/self/status || exit 1; done; exec sleep $NAP",
	      1);
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	stop();
}

/* Each copy has settings of its own: here, only the second cannot. */
static void test_settings_of_each_copy(void **state)
{
	struct tw_load_params params = any_cpu("exec sleep $NAP");
	int cpu = 0;

	(void)state;
	need_subreaper();
	while (!CPU_ISSET(cpu, &params.cpus))
		cpu++;
	CPU_ZERO(&params.cpus);
	CPU_SET(cpu, &params.cpus);
	CPU_SET(CPU_SETSIZE - 1, &params.cpus);
	params.pinned = true;
	assert_int_equal(tw_load_open(&load, &tw_load_command, &params, 2,
				      why), 0);
	assert_int_equal(load.ops->run(&load, 0, 1), 0);
	assert_int_equal(load.ops->run(&load, 1, 2), -ECHILD);
	assert_string_equal(load.shared->why, "cannot be started: Invalid argument");
	close_load();
}

/*
 * The supervisor needs a descriptor per copy, more than it may have here at
 * first; a copy's limit is that of main.
 */
static void test_limit_of_files(void **state)
{
	struct rlimit old, few;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = old;
	few.rlim_cur = 20;
	if (old.rlim_max < 100) {
		print_message("# skip: no 100 descriptors here\n");
		skip();
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	start("[ $(ulimit -n) = 20 ] && exec sleep $NAP", 24);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	stop();
}

static bool restarted_often(void)
{
	return load.shared->restarts >= 20;
}

/*
 * 0, 1, 2, the one for signals, and one per copy: also if something that a copy
 * has left behind holds its standard error open. And 5 ms pass between two
 * starts, however short the command is.
 */
static void test_no_leak(void **state)
{
	static const char *const commands[] = {
		"echo oh >&2", "setsid sleep $NAP & exit 0",
	};
	int64_t begin_ns, restarts;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		begin_ns = tw_now_ns(CLOCK_MONOTONIC);
		start(commands[i], 2);
		await(restarted_often);
		assert_in_range(count_entries(load.shared->supervisor, "fd"),
				4, 7);
		restarts = (int64_t)load.shared->restarts;
		assert_true((restarts - 1) * 5 * TW_NS_PER_MS <=
			    tw_now_ns(CLOCK_MONOTONIC) - begin_ns);
		stop();
	}
}

static bool has_four_files(void)
{
	return count_entries(load.shared->supervisor, "fd") == 4;
}

/* A copy that closes its standard error is no longer listened to. */
static void test_no_standard_error(void **state)
{
	(void)state;
	start("exec 2>&-; exec sleep $NAP", 2);
	await(has_four_files);
	assert_false(load_died());
	stop();
}

static pid_t parent_of(pid_t pid)
{
	char path[64], line[256];
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "PPid: %d", &parent);
	if (file)
		fclose(file);
	return parent;
}

/* The number of the supervisor's children, those that have ended included. */
static int count_children(void)
{
	int count = 0;
	glob_t paths;
	size_t i;

	assert_int_equal(glob("/proc/[0-9]*", 0, NULL, &paths), 0);
	for (i = 0; i < paths.gl_pathc; i++)
		count += parent_of(atoi(paths.gl_pathv[i] + 6)) ==
			 load.shared->supervisor;
	globfree(&paths);
	return count;
}

static bool has_two_children(void)
{
	return count_children() == 2;
}

/* Orphans come to the supervisor, which reaps those that end. */
static void test_orphans(void **state)
{
	(void)state;
	start("(sleep $NAP & sleep .2 & :); exec sleep $NAP", 1);
	assert_int_equal(parent_of(load.keeper.pid), getpid());
	assert_int_equal(parent_of(load.shared->supervisor), load.keeper.pid);
	await(has_two_children);
	assert_int_equal(count_napping(), 2);
	stop();
}

/* What is sent to the group of main, or of the keeper, is not for others. */
static void test_groups(void **state)
{
	pid_t supervisor, copy;

	(void)state;
	start("exec sleep $NAP", 1);
	supervisor = load.shared->supervisor;
	copy = load.shared->slots[0].child.pid;
	assert_int_equal(getpgid(load.keeper.pid), load.keeper.pid);
	assert_int_equal(getpgid(supervisor), supervisor);
	assert_int_equal(getpgid(copy), copy);
	/* Not sessions: those share the CPUs out by another rule. */
	assert_int_equal(getsid(copy), getsid(0));
	stop();
}

/* A step without workers has no process that could die. */
static void test_no_copy(void **state)
{
	(void)state;
	start("exit 1", 0);
	assert_int_equal(load.keeper.pid, 0);
	assert_false(load_died());
	assert_null(load.dead);
	stop();
}

/* Each copy of a step is a process of its own. */
static void test_every_copy(void **state)
{
	int i;

	(void)state;
	start("exec sleep $NAP", 3);
	assert_int_equal(count_napping(), 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(parent_of(load.shared->slots[i].child.pid),
				 load.shared->supervisor);
	stop();
}

/* Asked to end by somebody else, the supervisor has not failed. */
static void test_supervisor_told_to_end(void **state)
{
	(void)state;
	start("exec sleep $NAP", 1);
	assert_true(load.shared->supervisor > 0);
	kill(load.shared->supervisor, SIGTERM);
	await(load_died);
	assert_true(WIFEXITED(load.dead->status));
	assert_int_equal(WEXITSTATUS(load.dead->status), 0);
	assert_int_equal(load.shared->err, 0);
	assert_int_equal(count_napping(), 0);
	close_load();
}

/*
 * The copies end with the supervisor even if the keeper, which would end them,
 * does not run.
 */
static void test_copies_end_with_supervisor(void **state)
{
	(void)state;
	start("exec sleep $NAP", 2);
	assert_int_equal(count_napping(), 2);
	kill(load.keeper.pid, SIGSTOP);
	assert_true(load.shared->supervisor > 0);
	kill(load.shared->supervisor, SIGKILL);
	await(nobody_is_napping);
	kill(load.keeper.pid, SIGCONT);
	await(load_died);
	close_load();
}

/* All of it ends with main, in another session too. */
static void test_ends_with_main(void **state)
{
	pid_t main_pid;
	int status;

	(void)state;
	need_subreaper();
	main_pid = fork();
	assert_true(main_pid >= 0);
	if (!main_pid) {
		prctl(PR_SET_CHILD_SUBREAPER, 0);
		start("setsid sleep $NAP & exec sleep $NAP", 1);
		while (count_napping() < 2)
			pause_ms(2);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(main_pid, &status, 0), main_pid);
	assert_true(WIFSIGNALED(status));
	await(nobody_is_napping);
	/* We are a subreaper: what is left of it comes to us. */
	while (waitpid(-1, &status, 0) > 0)
		assert_true(WIFEXITED(status));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_standard_files),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_settings_of_each_copy),
		cmocka_unit_test(test_limit_of_files),
		cmocka_unit_test(test_no_leak),
		cmocka_unit_test(test_no_standard_error),
		cmocka_unit_test(test_orphans),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_no_copy),
		cmocka_unit_test(test_every_copy),
		cmocka_unit_test(test_supervisor_told_to_end),
		cmocka_unit_test(test_copies_end_with_supervisor),
		cmocka_unit_test(test_ends_with_main),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}
