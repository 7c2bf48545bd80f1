// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A change of sched_rt_runtime_us, step by step. The files, their lock, the
 * guardian and the time are the test's: nothing of the system changes, and time
 * passes in nanosleep() only.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"
#include "open_files.h"

#include "load/tw_runtime.h"
#include "base/tw_time.h"

#define FOREVER	1000000
#define GUARD_FD	1234

static struct {
	int lock_open_err, write_open_err;	/* errno */
	int busy_locks;		/* so many calls find it locked */
	int busy_writes;	/* so many writes give EBUSY */
	int write_err;
	int guard_err;
	int setting_fd;		/* opened to write; -1: not open */
	int64_t now_ns;
	char file[32];		/* with the setting, to read; "": none */
	char noted[256];
} world;

static int (*undo_fn)(const void *what);
static const void *undo_what;
static int held_fd;

static void note(const char *what)
{
	assert_true(strlen(world.noted) + strlen(what) < sizeof(world.noted));
	strcat(world.noted, what);
}

int open(const char *path, int flags, ...)
{
	const bool setting = !strcmp(path, TW_THROTTLE_FILE);
	const bool lock = !strcmp(path, TW_RUNTIME_LOCK);
	const bool write = (flags & O_ACCMODE) != O_RDONLY;
	mode_t mode = 0;
	va_list args;
	int fd;

	va_start(args, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);
	if (setting || lock)
		assert_true(flags & O_CLOEXEC);
	errno = lock ? world.lock_open_err :
		setting && write ? world.write_open_err : 0;
	if (errno)
		return -1;
	if (lock || (setting && write))
		path = "/dev/null";
	else if (setting)
		path = world.file;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	if (setting && write)
		world.setting_fd = fd;
	return fd;
}

ssize_t write(int fd, const void *buf, size_t size)
{
	char line[64];

	if (fd != world.setting_fd)
		return syscall(SYS_write, fd, buf, size);
	world.setting_fd = -1;
	if (world.busy_writes) {
		world.busy_writes--;
		errno = EBUSY;
		return -1;
	}
	snprintf(line, sizeof(line), "write %.*s", (int)size,
		 (const char *)buf);
	note(line);
	errno = world.write_err;
	return world.write_err ? -1 : (ssize_t)size;
}

int flock(int fd, int operation)
{
	assert_int_equal(operation, LOCK_EX | LOCK_NB);
	assert_true(fcntl(fd, F_GETFD) >= 0);
	if (world.busy_locks) {
		world.busy_locks--;
		errno = EWOULDBLOCK;
		return -1;
	}
	note("lock\n");
	return 0;
}

int nanosleep(const struct timespec *span, struct timespec *left)
{
	(void)left;
	world.now_ns += tw_ts_to_ns(span);
	return 0;
}

int clock_gettime(clockid_t clockid, struct timespec *ts)
{
	(void)clockid;
	*ts = tw_ns_to_ts(world.now_ns);
	return 0;
}

int tw_guard_open(struct tw_guard *guard, int (*undo)(const void *what),
		  const void *what, int held)
{
	note("guard\n");
	undo_fn = undo;
	undo_what = what;
	held_fd = held;
	if (!world.guard_err)
		guard->fd = GUARD_FD;
	return world.guard_err;
}

void tw_guard_close(struct tw_guard *guard)
{
	if (guard->fd < 0)
		return;
	note("undo\n");
	undo_fn(undo_what);
	guard->fd = -1;
}

static struct tw_runtime runtime;

static int set_up(void **state)
{
	int fd;

	(void)state;
	memset(&world, 0, sizeof(world));
	memset(&runtime, 0x5a, sizeof(runtime));
	world.setting_fd = -1;
	world.now_ns = 5000 * TW_NS_PER_S;
	strcpy(world.file, "/tmp/test_runtime.XXXXXX");
	fd = mkstemp(world.file);
	if (fd < 0 || write(fd, "870000\n", 7) != 7)
		return -1;
	return close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(world.file);
}

static int64_t passed_ms(void)
{
	return (world.now_ns - 5000 * TW_NS_PER_S) / TW_NS_PER_MS;
}

#define OPENED	"lock\nguard\nwrite 600000\n"
#define CLOSED	"undo\nwrite 870000\n"

static void test_open_and_close(void **state)
{
	const int before = count_open_files();

	(void)state;
	assert_int_equal(tw_runtime_open(&runtime, 600000), 0);
	assert_string_equal(world.noted, OPENED);
	assert_int_equal(runtime.old_us, 870000);
	/* The guardian keeps the lock until the setting is back. */
	assert_true(runtime.lock_fd >= 0);
	assert_int_equal(held_fd, runtime.lock_fd);
	assert_ptr_equal(undo_what, &runtime);
	assert_int_equal(passed_ms(), 0);
	tw_runtime_close(&runtime);
	assert_string_equal(world.noted, OPENED CLOSED);
	assert_int_equal(runtime.lock_fd, -1);
	assert_int_equal(count_open_files(), before);
	tw_runtime_close(&runtime);
	assert_string_equal(world.noted, OPENED CLOSED);
}

static void check_refused(int want, const char *noted)
{
	const int before = count_open_files();

	world.noted[0] = '\0';
	memset(&runtime, 0x5a, sizeof(runtime));
	assert_int_equal(tw_runtime_open(&runtime, 600000), want);
	assert_string_equal(world.noted, noted);
	assert_int_equal(runtime.guard.fd, -1);
	assert_true(runtime.lock_fd < 0);
	assert_int_equal(count_open_files(), before);
	tw_runtime_close(&runtime);
	assert_string_equal(world.noted, noted);
}

/* The kernel may refuse for a moment, but not longer. */
static void test_busy(void **state)
{
	(void)state;
	world.busy_writes = 5;
	assert_int_equal(tw_runtime_open(&runtime, 600000), 0);
	assert_string_equal(world.noted, OPENED);
	assert_int_equal(passed_ms(), 50);
	world.busy_writes = 3;
	tw_runtime_close(&runtime);
	assert_string_equal(world.noted, OPENED CLOSED);
	assert_int_equal(passed_ms(), 80);
}

static void test_busy_too_long(void **state)
{
	(void)state;
	world.busy_writes = 101;
	check_refused(-EBUSY, "lock\nguard\n" CLOSED);
	assert_int_equal(passed_ms(), 1000);
}

/* No other error passes with time. */
static void test_invalid(void **state)
{
	(void)state;
	world.write_open_err = EACCES;
	check_refused(-EACCES, "lock\nguard\nundo\n");
	world.write_open_err = 0;
	world.write_err = EINVAL;
	check_refused(-EINVAL, OPENED CLOSED);
	assert_int_equal(passed_ms(), 0);
}

static void test_locked(void **state)
{
	(void)state;
	world.busy_locks = 7;
	assert_int_equal(tw_runtime_open(&runtime, 600000), 0);
	assert_string_equal(world.noted, OPENED);
	assert_int_equal(passed_ms(), 70);
	tw_runtime_close(&runtime);
}

static void test_locked_too_long(void **state)
{
	(void)state;
	world.busy_locks = FOREVER;
	check_refused(-EALREADY, "");
	assert_in_range(passed_ms(), 1000, 1100);
}

static void test_no_lock(void **state)
{
	(void)state;
	world.lock_open_err = EPERM;
	check_refused(-EPERM, "");
}

static void test_no_setting(void **state)
{
	(void)state;
	assert_int_equal(truncate(world.file, 0), 0);
	check_refused(-ENOENT, "lock\n");
}

static void test_no_guardian(void **state)
{
	(void)state;
	world.guard_err = -EAGAIN;
	check_refused(-EAGAIN, "lock\nguard\n");
}

int main(void)
{
#define TEST(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_open_and_close),
		TEST(test_busy),
		TEST(test_busy_too_long),
		TEST(test_invalid),
		TEST(test_locked),
		TEST(test_locked_too_long),
		TEST(test_no_lock),
		TEST(test_no_setting),
		TEST(test_no_guardian),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
