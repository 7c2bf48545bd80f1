// SPDX-License-Identifier: GPL-2.0-or-later
/* Where tracefs is, its files' descriptors, and why they cannot be had. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "content.h"
#include "tree.h"

#include "base/tw_time.h"
#include "cause/tw_trace.h"

static char why[TW_TRACE_WHY];

static int open_descriptors(void)
{
	int fd, count = 0;

	for (fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

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

/* The list of mounts is closed, found or not. */
static void test_find_closes(void **state)
{
	int descriptors = open_descriptors();
	char dir[PATH_MAX];

	(void)state;
	find_in("", dir, sizeof(dir));
	find_in("t /t tracefs rw 0 0\n", dir, sizeof(dir));
	assert_int_equal(open_descriptors(), descriptors);
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
		{ "boottime 7 8\nmonotonic 5 6\n", INT64_C(5000000006) },
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

/* Each trace has two files, which no other program gets. */
static void test_descriptors(void **state)
{
	struct tw_trace_fds fds = { -1, -1 };
	int descriptors = open_descriptors();
	char path[PATH_MAX];

	(void)state;
	tree_add("/trace_marker", "");
	tree_add("/tracing_on", "");
	assert_int_equal(tw_trace_open_fds(&fds, tree_root, why), 0);
	assert_int_equal(open_descriptors(), descriptors + 2);
	assert_int_equal(write(fds.mark, "mark", 4), 4);
	assert_int_equal(write(fds.stop, "0", 1), 1);
	snprintf(path, sizeof(path), "%s/trace_marker", tree_root);
	assert_content(path, "mark");
	snprintf(path, sizeof(path), "%s/tracing_on", tree_root);
	assert_content(path, "0");
	assert_int_equal(fcntl(fds.mark, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fds.stop, F_GETFD), FD_CLOEXEC);
	tw_trace_close_fds(&fds);
	assert_int_equal(fds.mark, -1);
	assert_int_equal(fds.stop, -1);
	assert_int_equal(open_descriptors(), descriptors);
	tw_trace_close_fds(&fds);
	assert_int_equal(open_descriptors(), descriptors);
}

/* Where only one of them can be opened, none is. */
static void test_half(void **state)
{
	struct tw_trace_fds fds = { -1, -1 };
	int descriptors = open_descriptors();

	(void)state;
	assert_int_equal(tw_trace_open_fds(&fds, tree_root, why), -ENOENT);
	assert_non_null(strstr(why, "/trace_marker: "));
	tree_add("/trace_marker", "");
	assert_int_equal(tw_trace_open_fds(&fds, tree_root, why), -ENOENT);
	assert_non_null(strstr(why, "/tracing_on: "));
	assert_int_equal(fds.mark, -1);
	assert_int_equal(open_descriptors(), descriptors);
}

/* This is a descriptor like the others: only -1 is none. */
static void test_descriptor_0(void **state)
{
	struct tw_trace_fds fds = { -1, -1 };
	int before, closed_mark, closed_stop, saved = dup(0);

	(void)state;
	assert_true(saved >= 0);
	tree_add("/trace_marker", "");
	tree_add("/tracing_on", "");
	close(0);
	before = open_descriptors();
	assert_int_equal(tw_trace_open_fds(&fds, tree_root, why), 0);
	assert_int_equal(fds.mark, 0);
	tw_trace_close_fds(&fds);
	closed_mark = open_descriptors();
	fds.stop = open("/dev/null", O_RDONLY);
	assert_int_equal(fds.stop, 0);
	tw_trace_close_fds(&fds);
	closed_stop = open_descriptors();
	dup2(saved, 0);
	close(saved);
	assert_int_equal(closed_mark, before);
	assert_int_equal(closed_stop, before);
}

static void assert_told(int err, const char *want)
{
	memset(why, '#', sizeof(why));
	assert_int_equal(tw_trace_tell(why, "/t/file", err), err);
	assert_string_equal(why, want);
}

static void test_told(void **state)
{
	(void)state;
	assert_told(-ENOENT, "there is no /t/file: tracefs is not mounted, or this kernel cannot trace; as root: mount -t tracefs nodev /sys/kernel/tracing");
	assert_told(-EROFS, "/t/file: tracefs is mounted read-only; as root: mount -o remount,rw on it");
	assert_told(-EIO, "/t/file: Input/output error");
	assert_told(-ENOMEM, "/t/file: Cannot allocate memory");
}

#define SECURITY	"/sys/kernel/security"

/* In a mount namespace of its own, as the kernel would tell it. */
static void test_lockdown(void **state)
{
	static const char needs_root[] = "needs root";
	static const char boot[] = "kernel lockdown forbids tracing (/sys/kernel/security/lockdown); boot without";
	static const struct {
		const char *state, *want;
	} rows[] = {
		{ "[none] integrity confidentiality\n", needs_root },
		{ "none [integrity] confidentiality\n", boot },
		{ "none integrity [confidentiality]\n", boot },
		{ "", needs_root },
	};
	static const int errors[] = { -EPERM, -EACCES };
	size_t i, j;

	(void)state;
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("nodev", SECURITY, "tmpfs", 0, NULL)) {
		print_message("# skip: no mount namespace\n");
		skip();
	}
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (j = 0; j < 2; j++) {
			put(SECURITY "/lockdown", rows[i].state);
			tw_trace_tell(why, "/t/file", errors[j]);
			if (!strstr(why, rows[i].want))
				fail_msg("%s: %s", rows[i].state, why);
			assert_int_equal(strncmp(why, "/t/file: ", 9), 0);
		}
	/* No other error is the lockdown's. */
	put(SECURITY "/lockdown", rows[1].state);
	assert_told(-EIO, "/t/file: Input/output error");
	assert_int_equal(umount(SECURITY), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_find_nothing),
		cmocka_unit_test(test_find_closes),
		tree_test(test_ahead),
		tree_test(test_descriptors),
		tree_test(test_half),
		tree_test(test_descriptor_0),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_lockdown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
