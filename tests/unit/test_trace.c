// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The user's trace and an instance of our own, of the real kernel: this needs
 * root, and is tried in a mount namespace of the test's own.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cause/tw_trace_own.h"
#include "base/tw_time.h"
#include "unit.h"

#define TRACEFS	"/sys/kernel/tracing"

/* What the tests below lack; NULL: nothing. */
static const char *lacking;

/* Not seen by others, and gone with this process. */
static int enter_namespace(void **state)
{
	char dir[PATH_MAX];

	(void)state;
	if (geteuid())
		lacking = "needs root";
	else if (unshare(CLONE_NEWNS) ||
		 mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		lacking = "a mount namespace is refused";
	while (!lacking && !tw_trace_find(dir, sizeof(dir),
					  "/proc/self/mounts"))
		if (umount2(dir, MNT_DETACH))
			lacking = "tracefs cannot be unmounted";
	if (!lacking && mount("nodev", TRACEFS, "tracefs", 0, NULL))
		lacking = "tracefs cannot be mounted";
	if (!lacking)
		umount(TRACEFS);
	return 0;
}

static void need_tracefs(void)
{
	if (!lacking)
		return;
	print_message("# skip: %s\n", lacking);
	skip();
}

#define INSTANCES	TRACEFS "/instances"
#define LOCK_TRIES	600

static int lock = -1;

/*
 * Instances are the whole system's, in whatever mount namespace: of two builds
 * of this test, one would sweep away what the other expects.
 */
static int mount_it(void **state)
{
	const struct timespec pause = tw_ns_to_ts(100 * TW_NS_PER_MS);
	int tries;

	(void)state;
	if (lacking)
		return 0;
	if (mount("nodev", TRACEFS, "tracefs", 0, NULL))
		return -1;
	lock = open(INSTANCES, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (tries = 0; flock(lock, LOCK_EX | LOCK_NB); tries++) {
		if (errno != EWOULDBLOCK || tries == LOCK_TRIES)
			return -1;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static struct tw_trace trace;
static struct tw_trace_fds fds = { -1, -1 };
static char why[TW_TRACE_WHY];

/* What a failed test has left, while it can be got at. */
static int unmount_it(void **state)
{
	(void)state;
	tw_trace_close_fds(&fds);
	tw_trace_close(&trace);
	if (lacking)
		return 0;
	/* Children have it too: closing it here would not free it. */
	flock(lock, LOCK_UN);
	close(lock);
	return umount2(TRACEFS, MNT_DETACH);
}

static int open_own(const char *events)
{
	cpu_set_t cpus;

	memset(&trace, 0, sizeof(trace));
	memset(why, 0, sizeof(why));
	fds = (struct tw_trace_fds) { -1, -1 };
	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	return tw_trace_open_own(&trace, &fds, events, &cpus, why);
}

static void assert_why(const char *part)
{
	if (!strstr(why, part))
		fail_msg("\"%s\" is not in: %s", part, why);
}

/* How many instances this process has made. */
static int instances(void)
{
	DIR *dir = opendir(INSTANCES);
	struct dirent *entry;
	int pid, count = 0;

	while (dir && (entry = readdir(dir)))
		count += sscanf(entry->d_name, "twowaytest-%d-", &pid) == 1 &&
			 pid == getpid();
	if (dir)
		closedir(dir);
	return count;
}

static void assert_gone(void)
{
	assert_int_equal(instances(), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(trace.dir[0], '\0');
	assert_int_equal(fds.mark, -1);
	assert_int_equal(fds.stop, -1);
}

static void test_not_mounted(void **state)
{
	(void)state;
	need_tracefs();
	assert_int_equal(open_own(NULL), -ENOENT);
	assert_why("mount -t tracefs");
	assert_int_equal(tw_trace_open_user(&fds, why), -ENOENT);
	assert_why("mount -t tracefs");
	assert_int_equal(fds.mark, -1);
	assert_int_equal(fds.stop, -1);
}

static void test_own(void **state)
{
	static const char mark[] = "a mark of the test\n";
	char dir[PATH_MAX], *text = NULL;
	int64_t from_ns;

	(void)state;
	need_tracefs();
	if (open_own(NULL))
		fail_msg("%s", why);
	snprintf(dir, sizeof(dir), "%s", trace.dir);
	assert_int_equal(access(dir, F_OK), 0);
	assert_true(fds.mark >= 0 && fds.stop >= 0);
	assert_int_equal(write(fds.mark, "too early\n", 10), 10);
	usleep(2000);
	from_ns = tw_now_ns(CLOCK_MONOTONIC);
	usleep(2000);
	assert_int_equal(write(fds.mark, mark, strlen(mark)), strlen(mark));
	assert_int_equal(write(fds.stop, "0", 1), 1);
	assert_int_equal(write(fds.mark, "too late\n", 9), -1);
	assert_int_equal(tw_trace_collect(&trace, from_ns, &text), 0);
	assert_non_null(strstr(text, "tracing_mark_write: a mark of the test\n"));
	assert_null(strstr(text, "too early"));
	assert_null(strstr(text, "too late"));
	/* It slept, and was woken, between: on the clock of the trace. */
	assert_non_null(strstr(text, "sched_switch: "));
	assert_non_null(strstr(text, "sched_waking: "));
	free(text);
	tw_trace_close_fds(&fds);
	tw_trace_close(&trace);
	assert_int_equal(access(dir, F_OK), -1);
	assert_gone();
	/* A second time it does nothing. */
	tw_trace_close_fds(&fds);
	tw_trace_close(&trace);
}

/* In another container there may be the same PID. */
static void test_same_pid(void **state)
{
	struct tw_trace_fds first_fds;
	struct tw_trace first;

	(void)state;
	need_tracefs();
	assert_int_equal(open_own("sched"), 0);
	first = trace;
	first_fds = fds;
	assert_int_equal(open_own("sched"), 0);
	assert_string_not_equal(first.dir, trace.dir);
	assert_int_equal(instances(), 2);
	assert_int_equal(access(first.dir, F_OK), 0);
	tw_trace_close_fds(&first_fds);
	tw_trace_close(&first);
	assert_int_equal(instances(), 1);
	assert_int_equal(access(trace.dir, F_OK), 0);
	tw_trace_close_fds(&fds);
	tw_trace_close(&trace);
	assert_gone();
}

/* What killed tests have left goes; what lives, or is not ours, stays. */
static void test_sweep(void **state)
{
	static const struct {
		const char *name;
		bool opened, gone;
	} rows[] = {
		{ "twowaytest-1-0123abcd", false, true },
		{ "twowaytest-1-0123abce", true, false },
		{ "twowaytest-2-0123abcf", false, true },
		{ "twowaytest-2", false, false },
		{ "twowaytest-2-0123abcde", false, false },
		{ "twowaytest-2-0123abcd.old", false, false },
		{ "twowaytest-x-0123abcd", false, false },
	};
	const size_t count = sizeof(rows) / sizeof(rows[0]);
	char living[128];
	char path[sizeof(rows) / sizeof(rows[0])][128], marker[1024];
	int opened[sizeof(rows) / sizeof(rows[0])], left[count];
	size_t i;
	int err;

	(void)state;
	need_tracefs();
	for (i = 0; i < count; i++) {
		snprintf(path[i], sizeof(path[i]), INSTANCES "/%s",
			 rows[i].name);
		/* As a failed test has left it. */
		rmdir(path[i]);
		assert_int_equal(mkdir(path[i], 0700), 0);
		snprintf(marker, sizeof(marker), "%s/trace_marker", path[i]);
		opened[i] = rows[i].opened ? open(marker, O_WRONLY) : -1;
	}
	/* Its process has made it, and has yet to open its files. */
	snprintf(living, sizeof(living), INSTANCES "/twowaytest-%d-0123abd0",
		 (int)getpid());
	assert_int_equal(mkdir(living, 0700), 0);
	err = open_own("sched");
	assert_int_equal(rmdir(living), 0);
	for (i = 0; i < count; i++) {
		left[i] = !access(path[i], F_OK);
		close(opened[i]);
		rmdir(path[i]);
	}
	assert_int_equal(err, 0);
	assert_int_equal(trace.removed, 2);
	assert_non_null(strstr(trace.first_removed, "-0123abc"));
	tw_trace_close_fds(&fds);
	tw_trace_close(&trace);
	assert_gone();
	for (i = 0; i < count; i++)
		assert_int_equal(left[i], !rows[i].gone);
}

/* By system, by name, by both. */
static void test_events(void **state)
{
	static const char *const lists[] = {
		"sched", "sched_switch", "sched:sched_switch,irq",
		"sched_switch, sched_waking irq:softirq_entry",
		"+timer", "+sched_switch,timer:hrtimer_start",
	};
	size_t i;

	(void)state;
	need_tracefs();
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (open_own(lists[i]))
			fail_msg("%s: %s", lists[i], why);
		tw_trace_close_fds(&fds);
		tw_trace_close(&trace);
		assert_gone();
	}
}

static void test_unknown_events(void **state)
{
	static const char *const lists[] = {
		"nosuchevent", "+nosuchevent", "sched,nosuchevent", "sched:nosuchevent",
		"nosuchevent:sched_switch",
	};
	size_t i;

	(void)state;
	need_tracefs();
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		assert_int_equal(open_own(lists[i]), -EINVAL);
		assert_why("no event");
		assert_why("nosuchevent");
		assert_why("available_events");
		assert_gone();
	}
}

/* Its maker is killed: the guardian removes it. */
static void test_killed(void **state)
{
	char dir[PATH_MAX] = "";
	int pipe_fds[2], ms;
	pid_t pid;

	(void)state;
	need_tracefs();
	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (open_own("sched") ||
		    write(pipe_fds[1], trace.dir, sizeof(trace.dir)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(pipe_fds[1]);
	assert_true(read(pipe_fds[0], dir, sizeof(dir)) > 0);
	close(pipe_fds[0]);
	assert_int_equal(access(dir, F_OK), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (ms = 0; !access(dir, F_OK); ms++) {
		assert_true(ms < 10000);
		usleep(1000);
	}
}

/* The user's tracing is opened, and left as it is. */
static void test_user(void **state)
{
	(void)state;
	need_tracefs();
	if (tw_trace_open_user(&fds, why))
		fail_msg("%s", why);
	assert_true(fds.mark >= 0 && fds.stop >= 0);
	tw_trace_close_fds(&fds);
	assert_int_equal(fds.mark, -1);
	assert_int_equal(fds.stop, -1);
}

/* In a child: what nobody else may, cannot be had back. */
static int as_nobody(int (*open)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(99);
		if (open() != -EACCES)
			_exit(98);
		_exit(!strstr(why, "needs root") && !strstr(why, "lockdown"));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static int open_own_usual(void)
{
	return open_own(NULL);
}

static int open_user(void)
{
	return tw_trace_open_user(&fds, why);
}

static void test_no_right(void **state)
{
	(void)state;
	need_tracefs();
	assert_int_equal(as_nobody(open_own_usual), 0);
	assert_int_equal(as_nobody(open_user), 0);
}

static void test_read_only(void **state)
{
	(void)state;
	need_tracefs();
	assert_int_equal(mount(NULL, TRACEFS, NULL, MS_REMOUNT | MS_BIND |
			       MS_RDONLY, NULL), 0);
	assert_int_equal(open_user(), -EROFS);
	assert_why("read-only");
	assert_int_equal(open_own(NULL), -EROFS);
	assert_why("read-only");
	assert_gone();
}

int main(void)
{
#define MOUNTED(test) \
	cmocka_unit_test_setup_teardown(test, mount_it, unmount_it)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_mounted),
		MOUNTED(test_own),
		MOUNTED(test_same_pid),
		MOUNTED(test_sweep),
		MOUNTED(test_events),
		MOUNTED(test_unknown_events),
		MOUNTED(test_killed),
		MOUNTED(test_user),
		MOUNTED(test_no_right),
		MOUNTED(test_read_only),
	};

	return cmocka_run_group_tests(tests, enter_namespace, NULL);
}
