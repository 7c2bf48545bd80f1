// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where tracefs is, what is kept of a trace, and an instance of our own:
 * that needs root, and is tried in a mount namespace of the test's own.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tree.h"

#include "tw_trace_own.h"
#include "tw_trace_text.h"
#include "tw_time.h"

#define TRACEFS	"/sys/kernel/tracing"

static int find_in(const char *mounts, char *dir, size_t size)
{
	char path[] = "/tmp/test_trace.XXXXXX";
	int fd = mkstemp(path);
	int err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, mounts, strlen(mounts)), strlen(mounts));
	close(fd);
	err = tw_trace_find(dir, size, path);
	unlink(path);
	return err;
}

static void test_find(void **state)
{
	char dir[PATH_MAX];

	(void)state;
	assert_int_equal(find_in("sysfs /sys sysfs rw 0 0\n"
				 "nodev /sys/kernel/tracing tracefs rw 0 0\n"
				 "tracefs /t tracefs rw 0 0\n", dir,
				 sizeof(dir)), 0);
	assert_string_equal(dir, "/sys/kernel/tracing");
	assert_int_equal(find_in("x /sys/kernel/debug/tracing tracefs rw,nosuid 0 0",
				 dir, sizeof(dir)), 0);
	assert_string_equal(dir, "/sys/kernel/debug/tracing");
}

static void test_find_nothing(void **state)
{
	static const char *const mounts[] = {
		"", "\n", "tracefs\n", "tracefs /sys/kernel/tracing\n",
		"tracefs /tracefs ext4 rw 0 0\n",
		"debugfs /sys/kernel/debug debugfs rw 0 0\n",
		"nodev /t tracefs2 rw 0 0\n",
	};
	char dir[PATH_MAX];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++)
		assert_int_equal(find_in(mounts[i], dir, sizeof(dir)),
				 -ENOENT);
	assert_int_equal(tw_trace_find(dir, sizeof(dir), "/nonexistent"),
			 -ENOENT);
}

static void assert_filtered(const char *in, int64_t from_ns, const char *out)
{
	FILE *file = fmemopen((void *)in, strlen(in), "r");
	char *text = NULL;

	assert_non_null(file);
	assert_int_equal(tw_trace_filter(file, from_ns, &text), 0);
	assert_string_equal(text, out);
	free(text);
	fclose(file);
}

#define LINE(at)	"a-1  [000] d..2.  " at ": x: y\n"

static void test_filter(void **state)
{
	(void)state;
	assert_filtered("# tracer: nop\n#\n" LINE("1.000001")
			"CPU:0 [LOST 3 EVENTS]\n" LINE("1.000002") "\n"
			LINE("1.000003") "cut", 1000002000,
			"# tracer: nop\n#\nCPU:0 [LOST 3 EVENTS]\n"
			LINE("1.000002") "\n" LINE("1.000003") "cut");
	assert_filtered(LINE("1.000001"), 1000001001, "");
	assert_filtered(LINE("1.000001"), -5, LINE("1.000001"));
	assert_filtered("x", 0, "x");
}

/* A switch tells who comes, and that is who has the CPU afterwards. */
static void test_names(void **state)
{
#define SWITCH	"          <idle>-0       [000] d..2.  1.000001: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=my task next_pid=77 next_prio=9\n"
#define AWAY	"           <...>-77      [000] d..2.  1.000004: sched_switch: prev_comm=new name prev_pid=77 prev_prio=9 prev_state=S ==> next_comm=a next_pid=4173 next_prio=9\n"
#define REST	"      [000] d..2.  1.000002: local_timer_entry: vector=236\n"
	(void)state;
	assert_filtered(SWITCH "           <...>-77" REST
			"           <...>-4173" REST AWAY
			"           <...>-4173" REST "           <...>-77" REST
			"            comm-77" REST, 0,
			SWITCH "         my task-77" REST
			"           <...>-4173" REST
			"        new name-77      [000] d..2.  1.000004: sched_switch: prev_comm=new name prev_pid=77 prev_prio=9 prev_state=S ==> next_comm=a next_pid=4173 next_prio=9\n"
			"               a-4173" REST "           <...>-77" REST
			"            comm-77" REST);
	/* Also what lies before the lines that are kept. */
	assert_filtered(SWITCH "           <...>-77" REST, 1000002000,
			"         my task-77" REST);
}

/* Of the time namespace that this process's children are in. */
static void test_ahead(void **state)
{
	static const struct {
		const char *file;
		int64_t ahead_ns;
	} rows[] = {
		{ "monotonic           0         0\nboottime            7         8\n", 0 },
		{ "monotonic      100000         5\nboottime            0         0\n", INT64_C(100000000000005) },
		{ "monotonic         -20 999999999\nboottime            0         0\n", INT64_C(-19000000001) },
		{ "boottime 1 1\n", 0 }, { "", 0 }, { "monotonic x y\n", 0 },
	};
	size_t i;

	(void)state;
	assert_int_equal(tw_trace_ahead_ns(tree_root), 0);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tree_add("/proc/self/timens_offsets", rows[i].file);
		assert_int_equal(tw_trace_ahead_ns(tree_root),
				 rows[i].ahead_ns);
	}
}

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

static int mount_it(void **state)
{
	(void)state;
	return lacking ? 0 : mount("nodev", TRACEFS, "tracefs", 0, NULL);
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
	return lacking ? 0 : umount2(TRACEFS, MNT_DETACH);
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

#define INSTANCES	TRACEFS "/instances"

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

	(void)state;
	need_tracefs();
	for (i = 0; i < count; i++) {
		snprintf(path[i], sizeof(path[i]), INSTANCES "/%s",
			 rows[i].name);
		assert_int_equal(mkdir(path[i], 0700), 0);
		snprintf(marker, sizeof(marker), "%s/trace_marker", path[i]);
		opened[i] = rows[i].opened ? open(marker, O_WRONLY) : -1;
	}
	/* Its process has made it, and has yet to open its files. */
	snprintf(living, sizeof(living), INSTANCES "/twowaytest-%d-0123abd0",
		 (int)getpid());
	assert_int_equal(mkdir(living, 0700), 0);
	assert_int_equal(open_own("sched"), 0);
	assert_int_equal(rmdir(living), 0);
	for (i = 0; i < count; i++) {
		left[i] = !access(path[i], F_OK);
		close(opened[i]);
		rmdir(path[i]);
	}
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
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_find_nothing),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_names),
		tree_test(test_ahead),
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
