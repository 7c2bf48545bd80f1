// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guardian: what it guards is undone, however its owner ends. And of
 * sched_rt_runtime_us: the setting always comes back.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#include "load/tw_runtime.h"

#define PATIENCE_MS	10000	/* the guardian needs some ms */

static int64_t before_us;	/* what the system had; 0: not known */
static int64_t other_us;	/* what the tests set in its place */

static int64_t setting(void)
{
	FILE *file = fopen(TW_THROTTLE_FILE, "r");
	int64_t value_us;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%" SCNd64, &value_us), 1);
	fclose(file);
	return value_us;
}

/* Other tests change it too, in turn: see Turn in tests/tools/outside.py. */
static int find_before(void **state)
{
	int turn = open("/proc/sys/kernel/sched_rt_period_us",
			O_RDONLY | O_CLOEXEC);

	(void)state;
	if (turn >= 0)
		flock(turn, LOCK_EX);	/* to the end of this program */
	if (!access(TW_THROTTLE_FILE, R_OK))
		before_us = setting();
	return 0;
}

/* Another value that the kernel takes, where it takes one from us at all. */
static bool find_other(void)
{
	/* CPU cgroups with shares of their own allow no less than these. */
	static const int64_t values_us[] = { 940000, 960000, 970000 };
	struct tw_runtime runtime;
	size_t i;

	for (i = 0; i < sizeof(values_us) / sizeof(values_us[0]); i++) {
		other_us = values_us[i];
		if (other_us == before_us ||
		    tw_runtime_open(&runtime, other_us))
			continue;
		tw_runtime_close(&runtime);
		return true;
	}
	return false;
}

/* cmocka's skip() has no place for a reason. */
static void need_right(void)
{
	if (before_us && find_other())
		return;
	print_message("# skip: %s cannot be written: needs root, outside a container\n",
		      TW_THROTTLE_FILE);
	skip();
}

static void await_restored(void)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	int ms;

	for (ms = 0; setting() != before_us; ms += 2) {
		assert_true(ms < PATIENCE_MS);
		nanosleep(&pause, NULL);
	}
}

static void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* What an undo leaves behind, for all processes to see. */
static struct undone {
	volatile int times;
	volatile pid_t by, session;
	volatile char what[16];
	volatile int open_fds;	/* of who did it */
	volatile int fails;	/* for whom it fails: not @owner */
	volatile pid_t owner;
} *undone;

static int count_fds(void)
{
	int fd, count = 0;

	for (fd = 3; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static int undo(const void *what)
{
	snprintf((char *)undone->what, sizeof(undone->what), "%s",
		 (const char *)what);
	undone->open_fds = count_fds();
	undone->by = getpid();
	undone->session = getsid(0);
	undone->times++;
	return undone->fails && getpid() != undone->owner ? -EIO : 0;
}

static int map_undone(void **state)
{
	(void)state;
	undone = mmap(NULL, sizeof(*undone), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (undone == MAP_FAILED)
		return -1;
	undone->owner = getpid();
	return 0;
}

static int unmap_undone(void **state)
{
	(void)state;
	return munmap(undone, sizeof(*undone));
}

/* With what there was when it was set up, by a process that has no more. */
static void test_guard(void **state)
{
	char what[16] = "as it was";
	struct tw_guard guard;
	pid_t guardian;

	(void)state;
	assert_int_equal(tw_guard_open(&guard, undo, what, -1), 0);
	guardian = guard.child.pid;
	assert_true(guardian > 0 && guardian != getpid());
	assert_true(fcntl(guard.fd, F_GETFD) & FD_CLOEXEC);
	strcpy(what, "changed");
	assert_int_equal(undone->times, 0);
	tw_guard_close(&guard);
	assert_int_equal(undone->times, 1);
	assert_int_equal(undone->by, guardian);
	assert_string_equal((char *)undone->what, "as it was");
	assert_int_equal(undone->open_fds, 1);
	assert_int_equal(guard.fd, -1);
	assert_no_child();
	tw_guard_close(&guard);
	assert_int_equal(undone->times, 1);
}

/* It answers no signal, neither its own nor one to its owner's group. */
static void test_guard_signals(void **state)
{
	static const int signals[] = {
		SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGPIPE, SIGALRM,
	};
	struct tw_guard guard;
	sigset_t before, after;
	size_t i;

	(void)state;
	assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &before), 0);
	assert_int_equal(tw_guard_open(&guard, undo, "x", -1), 0);
	assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &after), 0);
	for (i = 1; i < 32; i++)
		assert_int_equal(sigismember(&before, i),
				 sigismember(&after, i));
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		assert_int_equal(kill(guard.child.pid, signals[i]), 0);
	assert_int_equal(undone->times, 0);
	tw_guard_close(&guard);
	assert_int_equal(undone->times, 1);
	assert_true(undone->by != getpid());
}

static void await_undone(void)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	int ms;

	for (ms = 0; !undone->times; ms += 2) {
		assert_true(ms < PATIENCE_MS);
		nanosleep(&pause, NULL);
	}
}

/* Its owner, and its whole group, are killed. */
static void test_guard_owner_killed(void **state)
{
	struct tw_guard guard;
	int ready[2];
	pid_t owner;
	char byte;

	(void)state;
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	owner = fork();
	assert_true(owner >= 0);
	if (!owner) {
		setpgid(0, 0);
		if (tw_guard_open(&guard, undo, "x", -1) ||
		    write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	/* The guardian may be on its way out of the group still. */
	assert_int_equal(kill(owner, SIGKILL), 0);
	assert_int_equal(waitpid(owner, NULL, 0), owner);
	kill(-owner, SIGTERM);
	await_undone();
	assert_int_equal(undone->times, 1);
	assert_true(undone->by != owner);
}

/* The guardian is killed, or cannot: its owner does it. */
static void test_guard_lost(void **state)
{
	struct tw_guard guard;

	(void)state;
	assert_int_equal(tw_guard_open(&guard, undo, "x", -1), 0);
	kill(guard.child.pid, SIGKILL);
	tw_guard_close(&guard);
	assert_int_equal(undone->times, 1);
	assert_int_equal(undone->by, getpid());
	assert_no_child();

	undone->times = 0;
	undone->fails = 1;
	assert_int_equal(tw_guard_open(&guard, undo, "x", -1), 0);
	tw_guard_close(&guard);
	assert_int_equal(undone->times, 2);
	assert_int_equal(undone->by, getpid());
	assert_no_child();
}

/* What is sent to main's group, or its terminal sends, is not for it. */
static void test_own_session(void **state)
{
	const int fds = count_fds();
	struct tw_guard guard;

	(void)state;
	assert_int_equal(tw_guard_open(&guard, undo, "x", -1), 0);
	/* The end of the pipe that main's end closes. */
	assert_int_equal(count_fds(), fds + 1);
	assert_int_equal(getpgid(guard.child.pid), guard.child.pid);
	tw_guard_close(&guard);
	assert_int_equal(undone->session, undone->by);
	assert_int_not_equal(undone->session, getsid(0));
	assert_int_equal(count_fds(), fds);
	assert_no_child();
}

static void test_restored_by_close(void **state)
{
	struct tw_runtime runtime;

	(void)state;
	need_right();
	assert_int_equal(tw_runtime_open(&runtime, other_us), 0);
	assert_int_equal(setting(), other_us);
	assert_int_equal(runtime.old_us, before_us);
	tw_runtime_close(&runtime);
	assert_int_equal(setting(), before_us);
	assert_int_equal(runtime.guard.fd, -1);
	assert_no_child();
	/* A second time it does nothing. */
	tw_runtime_close(&runtime);
	assert_no_child();
}

/* What a second would restore is what the first has set. */
static void test_one_at_a_time(void **state)
{
	struct tw_runtime first, second;

	(void)state;
	need_right();
	assert_int_equal(tw_runtime_open(&first, other_us), 0);
	assert_int_equal(tw_runtime_open(&second, before_us), -EALREADY);
	assert_int_equal(second.guard.fd, -1);
	tw_runtime_close(&second);
	assert_int_equal(setting(), other_us);
	tw_runtime_close(&first);
	assert_int_equal(setting(), before_us);
	assert_int_equal(tw_runtime_open(&second, other_us), 0);
	assert_int_equal(second.old_us, before_us);
	tw_runtime_close(&second);
	assert_no_child();
}

/* Whoever may read the setting may lock it: that is to keep nobody away. */
static void test_locked_by_a_reader(void **state)
{
	struct tw_runtime runtime;
	int ready[2], held;
	pid_t reader;
	char byte;

	(void)state;
	need_right();
	assert_int_equal(pipe(ready), 0);
	reader = fork();
	assert_true(reader >= 0);
	if (!reader) {
		if (setgid(65534) || setuid(65534))
			_exit(1);
		held = open(TW_THROTTLE_FILE, O_RDONLY);
		if (held < 0 || flock(held, LOCK_EX | LOCK_NB) ||
		    open(TW_RUNTIME_LOCK, O_RDONLY) >= 0 ||
		    write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	assert_int_equal(tw_runtime_open(&runtime, other_us), 0);
	assert_int_equal(setting(), other_us);
	tw_runtime_close(&runtime);
	assert_int_equal(setting(), before_us);
	assert_int_equal(kill(reader, SIGKILL), 0);
	assert_int_equal(waitpid(reader, NULL, 0), reader);
}

static void test_no_limit(void **state)
{
	struct tw_runtime runtime;

	(void)state;
	need_right();
	if (tw_runtime_open(&runtime, -1)) {
		print_message("# skip: this kernel refuses to lift the limit\n");
		skip();
	}
	assert_int_equal(setting(), -1);
	tw_runtime_close(&runtime);
	assert_int_equal(setting(), before_us);
}

/* A child opens it, tells so, and waits for its end. */
static pid_t start_owner(pid_t *guardian)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	struct tw_runtime runtime;
	int fds[2];
	size_t i;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		/* nohup and a shell's background jobs ignore some. */
		for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
			signal(signals[i], SIG_DFL);
		if (tw_runtime_open(&runtime, other_us) ||
		    write(fds[1], &runtime.guard.child.pid,
			  sizeof(runtime.guard.child.pid)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], guardian, sizeof(*guardian)),
			 sizeof(*guardian));
	close(fds[0]);
	return pid;
}

/* Not even one that comes while the first is killed. */
static void test_one_after_a_killed_one(void **state)
{
	struct tw_runtime second;
	pid_t owner, guardian;
	int i;

	(void)state;
	need_right();
	for (i = 0; i < 20; i++) {
		owner = start_owner(&guardian);
		kill(owner, SIGKILL);
		assert_int_equal(tw_runtime_open(&second, before_us), 0);
		assert_int_equal(second.old_us, before_us);
		tw_runtime_close(&second);
		assert_int_equal(waitpid(owner, NULL, 0), owner);
	}
}

static void test_restored_when_killed(void **state)
{
	static const int signals[] = { SIGKILL, SIGTERM, SIGINT, SIGHUP };
	pid_t owner, guardian;
	size_t i;

	(void)state;
	need_right();
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		owner = start_owner(&guardian);
		assert_int_equal(setting(), other_us);
		/* The guardian lets itself not be ended before its time. */
		kill(guardian, SIGTERM);
		kill(guardian, SIGHUP);
		assert_int_equal(setting(), other_us);
		kill(owner, signals[i]);
		assert_int_equal(waitpid(owner, NULL, 0), owner);
		await_restored();
	}
}

/* The owner does it where there is no guardian any more. */
static void test_guardian_killed(void **state)
{
	struct tw_runtime runtime;

	(void)state;
	need_right();
	assert_int_equal(tw_runtime_open(&runtime, other_us), 0);
	kill(runtime.guard.child.pid, SIGKILL);
	tw_runtime_close(&runtime);
	assert_int_equal(setting(), before_us);
	assert_no_child();
}

/* Not a value, or not ours to write: nothing changes, nobody is left. */
static void test_refused(void **state)
{
	struct tw_runtime runtime;

	(void)state;
	if (!before_us) {
		print_message("# skip: there is no %s\n", TW_THROTTLE_FILE);
		skip();
	}
	assert_true(tw_runtime_open(&runtime, INT64_C(10000000000)) < 0);
	assert_int_equal(runtime.guard.fd, -1);
	assert_int_equal(setting(), before_us);
	assert_no_child();
	tw_runtime_close(&runtime);
}

/* However a test has ended, the system is as it was. */
static int restore(void **state)
{
	FILE *file = before_us ? fopen(TW_THROTTLE_FILE, "w") : NULL;

	(void)state;
	if (file) {
		fprintf(file, "%" PRId64 "\n", before_us);
		fclose(file);
	}
	return 0;
}

int main(void)
{
#define WITH_UNDONE(test) \
	cmocka_unit_test_setup_teardown(test, map_undone, unmap_undone)
	const struct CMUnitTest tests[] = {
		WITH_UNDONE(test_guard),
		WITH_UNDONE(test_guard_signals),
		WITH_UNDONE(test_guard_owner_killed),
		WITH_UNDONE(test_guard_lost),
		WITH_UNDONE(test_own_session),
		cmocka_unit_test(test_restored_by_close),
		cmocka_unit_test(test_one_at_a_time),
		cmocka_unit_test(test_one_after_a_killed_one),
		cmocka_unit_test(test_locked_by_a_reader),
		cmocka_unit_test(test_no_limit),
		cmocka_unit_test(test_restored_when_killed),
		cmocka_unit_test(test_guardian_killed),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, find_before, restore);
}
