// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel will do to real-time tasks, read from made-up systems. */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit.h"

#include "check/tw_throttle.h"

#define MS	INT64_C(1000000)

/* The next read fails as the kernel's does where records are overwritten. */
static bool overwritten;

ssize_t read(int fd, void *buf, size_t size)
{
	if (overwritten) {
		overwritten = false;
		errno = EPIPE;
		return -1;
	}
	return syscall(SYS_read, fd, buf, size);
}

/* A root directory with the files of one system. */
struct system {
	char root[64];
};

static void add(const struct system *system, const char *path,
		const char *text)
{
	char name[PATH_MAX], *slash;
	FILE *file;

	snprintf(name, sizeof(name), "%s%s", system->root, path);
	for (slash = name + strlen(system->root) + 1;
	     (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(name, 0700);
	}
	file = fopen(name, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static struct system new_system(const char *runtime, const char *period)
{
	struct system system = { "/tmp/test_throttle.XXXXXX" };

	assert_non_null(mkdtemp(system.root));
	if (runtime)
		add(&system, "/proc/sys/kernel/sched_rt_runtime_us", runtime);
	if (period)
		add(&system, "/proc/sys/kernel/sched_rt_period_us", period);
	return system;
}

static int remove_one(const char *path, const struct stat *status, int flag,
		      struct FTW *position)
{
	(void)status;
	(void)flag;
	(void)position;
	return remove(path);
}

static struct tw_throttle read_and_drop(struct system system,
					const char *release)
{
	struct tw_throttle throttle;

	tw_throttle_read(&throttle, system.root, release);
	assert_int_equal(nftw(system.root, remove_one, 8,
			      FTW_DEPTH | FTW_PHYS), 0);
	return throttle;
}

static void test_old_kernel(void **state)
{
	struct tw_throttle throttle;

	(void)state;
	throttle = read_and_drop(new_system("950000\n", "1000000\n"),
				 "6.1.0-18-amd64");
	assert_true(throttle.known);
	assert_false(throttle.group);
	assert_false(throttle.fair_server);
	assert_int_equal(throttle.runtime_us, 950000);
	assert_int_equal(throttle.stall_ns, 50 * MS);
	assert_int_equal(throttle.bypass, TW_BYPASS_LIMIT);

	throttle = read_and_drop(new_system("200000\n", "500000\n"),
				 "5.10.0-rt17");
	assert_int_equal(throttle.stall_ns, 300 * MS);
	assert_int_equal(throttle.bypass, TW_BYPASS_LIMIT);
}

static void test_unlimited(void **state)
{
	struct tw_throttle throttle;

	(void)state;
	throttle = read_and_drop(new_system("-1\n", "1000000\n"), "6.1.0");
	assert_int_equal(throttle.runtime_us, -1);
	assert_int_equal(throttle.stall_ns, 0);
	assert_int_equal(throttle.bypass, TW_BYPASS_UNKNOWN);
	/* All of the period allowed is no limit either. */
	throttle = read_and_drop(new_system("1000000\n", "1000000\n"),
				 "6.1.0");
	assert_int_equal(throttle.stall_ns, 0);
	assert_int_equal(throttle.bypass, TW_BYPASS_UNKNOWN);
}

/* With 0 the kernel throttles as little as with no limit. */
static void test_zero(void **state)
{
	struct system system = new_system("0\n", "1000000\n");
	struct tw_throttle throttle;

	(void)state;
	throttle = read_and_drop(system, "6.1.0");
	assert_true(throttle.known);
	assert_int_equal(throttle.runtime_us, 0);
	assert_int_equal(throttle.stall_ns, 0);
	assert_int_equal(throttle.bypass, TW_BYPASS_UNKNOWN);

	system = new_system("0\n", "1000000\n");
	add(&system, "/sys/fs/cgroup/cpu/cpu.rt_runtime_us", "0\n");
	throttle = read_and_drop(system, "6.1.0");
	assert_true(throttle.group);
	assert_int_equal(throttle.stall_ns, 0);
	assert_int_equal(throttle.bypass, TW_BYPASS_UNKNOWN);

	/* What others get then, they get from the fair server. */
	throttle = read_and_drop(new_system("0\n", "1000000\n"), "6.12.0");
	assert_int_equal(throttle.stall_ns, 50 * MS);
	assert_int_equal(throttle.bypass, TW_BYPASS_FAIR);
}

static void test_fair_server(void **state)
{
	struct system system = new_system("-1\n", "1000000\n");
	struct tw_throttle throttle;

	(void)state;
	add(&system, "/sys/kernel/debug/sched/fair_server/cpu0/runtime",
	    "50000000\n");
	throttle = read_and_drop(system, "6.6.0");
	assert_true(throttle.fair_server);
	assert_int_equal(throttle.stall_ns, 50 * MS);
	assert_int_equal(throttle.bypass, TW_BYPASS_FAIR);

	/* Set otherwise, or turned off. */
	system = new_system("-1\n", "1000000\n");
	add(&system, "/sys/kernel/debug/sched/fair_server/cpu0/runtime",
	    "20000000\n");
	throttle = read_and_drop(system, "6.18.0");
	assert_true(throttle.fair_server);
	assert_int_equal(throttle.stall_ns, 20 * MS);
	assert_int_equal(throttle.bypass, TW_BYPASS_FAIR);
	system = new_system("-1\n", "1000000\n");
	add(&system, "/sys/kernel/debug/sched/fair_server/cpu0/runtime",
	    "0\n");
	throttle = read_and_drop(system, "6.18.0");
	assert_false(throttle.fair_server);
	assert_int_equal(throttle.stall_ns, 0);
	assert_int_equal(throttle.bypass, TW_BYPASS_UNKNOWN);

	/* Without debugfs the version has to tell. */
	throttle = read_and_drop(new_system("-1\n", "1000000\n"), "6.12.0");
	assert_true(throttle.fair_server);
	throttle = read_and_drop(new_system("-1\n", "1000000\n"), "7.0.1-rc2");
	assert_true(throttle.fair_server);
	throttle = read_and_drop(new_system("-1\n", "1000000\n"), "6.11.9");
	assert_false(throttle.fair_server);
}

/* With RT_GROUP_SCHED the old limit is there beside the fair server. */
static void test_group(void **state)
{
	struct system system = new_system("900000\n", "1000000\n");
	struct tw_throttle throttle;

	(void)state;
	add(&system, "/sys/fs/cgroup/cpu,cpuacct/cpu.rt_runtime_us",
	    "900000\n");
	throttle = read_and_drop(system, "6.18.0");
	assert_true(throttle.group);
	assert_true(throttle.fair_server);
	assert_int_equal(throttle.stall_ns, 100 * MS);
	assert_int_equal(throttle.bypass, TW_BYPASS_LIMIT);
}

static void test_unreadable(void **state)
{
	struct tw_throttle throttle;

	(void)state;
	throttle = read_and_drop(new_system(NULL, NULL), "6.1.0");
	assert_false(throttle.known);
	assert_int_equal(throttle.stall_ns, 0);
	assert_int_equal(throttle.bypass, TW_BYPASS_UNKNOWN);
	throttle = read_and_drop(new_system("rubbish\n", "1000000\n"),
				 "6.1.0");
	assert_false(throttle.known);
}

#define HEARD	"4,77,5,-;sched: RT throttling activated\n"

/* What the kernel said before does not count. */
static void test_listening(void **state)
{
	static const struct {
		const char *before, *since;
		bool heard;
	} rows[] = {
		{ "", "", false },
		{ HEARD, "", false },
		{ HEARD, "6,78,6,-;something else\n", false },
		{ "", HEARD, true },
		{ "6,1,1,-;x\n", "6,2,2,-;y\n" HEARD "6,3,3,-;z\n", true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct system system = new_system(NULL, NULL);
		char path[PATH_MAX];
		FILE *file;
		int fd;

		add(&system, "/dev/kmsg", rows[i].before);
		fd = tw_throttle_listen(system.root);
		assert_true(fd >= 0);
		snprintf(path, sizeof(path), "%s/dev/kmsg", system.root);
		file = fopen(path, "a");
		assert_non_null(file);
		fputs(rows[i].since, file);
		fclose(file);
		/* Whatever was said before that, there may be more. */
		overwritten = i % 2;
		assert_int_equal(tw_throttle_heard(fd), rows[i].heard);
		assert_false(overwritten);
		/* And it is closed. */
		assert_int_equal(lseek(fd, 0, SEEK_CUR), -1);
		assert_int_equal(errno, EBADF);
		read_and_drop(system, "6.1.0");
	}
}

static void test_not_listening(void **state)
{
	struct system system = new_system(NULL, NULL);

	(void)state;
	assert_false(tw_throttle_heard(-1));
	assert_int_equal(tw_throttle_listen(system.root), -ENOENT);
	read_and_drop(system, "6.1.0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_old_kernel),
		cmocka_unit_test(test_unlimited),
		cmocka_unit_test(test_zero),
		cmocka_unit_test(test_fair_server),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_listening),
		cmocka_unit_test(test_not_listening),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
