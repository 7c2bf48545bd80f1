// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel will do to real-time tasks, read from made-up systems. */
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "unit.h"

#include "tw_throttle.h"

#define MS	INT64_C(1000000)

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

	throttle = read_and_drop(new_system("200000\n", "500000\n"),
				 "5.10.0-rt17");
	assert_int_equal(throttle.stall_ns, 300 * MS);
}

static void test_unlimited(void **state)
{
	struct tw_throttle throttle;

	(void)state;
	throttle = read_and_drop(new_system("-1\n", "1000000\n"), "6.1.0");
	assert_int_equal(throttle.runtime_us, -1);
	assert_int_equal(throttle.stall_ns, 0);
	/* All of the period allowed is no limit either. */
	throttle = read_and_drop(new_system("1000000\n", "1000000\n"),
				 "6.1.0");
	assert_int_equal(throttle.stall_ns, 0);
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

	/* Set otherwise, or turned off. */
	system = new_system("-1\n", "1000000\n");
	add(&system, "/sys/kernel/debug/sched/fair_server/cpu0/runtime",
	    "20000000\n");
	throttle = read_and_drop(system, "6.18.0");
	assert_true(throttle.fair_server);
	assert_int_equal(throttle.stall_ns, 20 * MS);
	system = new_system("-1\n", "1000000\n");
	add(&system, "/sys/kernel/debug/sched/fair_server/cpu0/runtime",
	    "0\n");
	throttle = read_and_drop(system, "6.18.0");
	assert_false(throttle.fair_server);
	assert_int_equal(throttle.stall_ns, 0);

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
}

static void test_unreadable(void **state)
{
	struct tw_throttle throttle;

	(void)state;
	throttle = read_and_drop(new_system(NULL, NULL), "6.1.0");
	assert_false(throttle.known);
	assert_int_equal(throttle.stall_ns, 0);
	throttle = read_and_drop(new_system("rubbish\n", "1000000\n"),
				 "6.1.0");
	assert_false(throttle.known);
}

static void test_not_listening(void **state)
{
	(void)state;
	assert_false(tw_throttle_heard(-1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_old_kernel),
		cmocka_unit_test(test_unlimited),
		cmocka_unit_test(test_fair_server),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_not_listening),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
