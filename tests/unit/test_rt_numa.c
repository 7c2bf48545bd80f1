// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rt-numa: sets of CPUs.
 *
 * The affinity is replaced here, so that the machine's number of CPUs does
 * not decide what is tested. Only CPU 0 is taken for granted.
 */
#include <errno.h>
#include <string.h>

#include "child.h"
#include "rt-numa.h"

static struct {
	unsigned long cpus;	/* bit n: CPU n */
	int err;		/* what reading it fails with; 0: nothing */
} affinity;

static int asked, numa_answer;

struct bitmask *numa_allocate_cpumask(void)
{
	return numa_bitmask_alloc(256);
}

int numa_sched_getaffinity(pid_t pid, struct bitmask *mask)
{
	unsigned int cpu;

	assert_int_equal(pid, 0);
	if (affinity.err) {
		errno = affinity.err;
		return -1;
	}
	numa_bitmask_clearall(mask);
	for (cpu = 0; cpu < 32; cpu++)
		if (affinity.cpus & 1UL << cpu)
			numa_bitmask_setbit(mask, cpu);
	return numa_bitmask_nbytes(mask);
}

int numa_available(void)
{
	asked++;
	return numa_answer;
}

/* libnuma's complaints about the bad sets below are expected. */
void numa_warn(int num, char *fmt, ...)
{
	(void)num;
	(void)fmt;
}

BEFORE_EACH
{
	affinity.cpus = 0;
	affinity.err = 0;
}

static void do_numa_initialize(void)
{
	int first = numa_initialize();

	numa_answer = -1 - numa_answer;
	if (numa_initialize() != first || asked != 1)
		exit(9);
	exit(first);
}

TEST(test_numa_is_asked_once)
{
	numa_answer = 0;
	assert_outcome(do_numa_initialize, 1, "");
	numa_answer = -1;
	assert_outcome(do_numa_initialize, 0, "");
}

/* @str is read as the set of the one CPU @cpu, or as the empty set: -1. */
static void assert_set(char *str, int max_cpus, int cpu)
{
	struct bitmask unset, *mask = &unset;

	assert_int_equal(parse_cpumask(str, max_cpus, &mask), 0);
	if (cpu < 0) {
		assert_null(mask);
		return;
	}
	assert_non_null(mask);
	assert_ptr_not_equal(mask, &unset);
	assert_int_equal(numa_bitmask_weight(mask), 1);
	assert_true(numa_bitmask_isbitset(mask, cpu));
	numa_bitmask_free(mask);
}

TEST(test_set_as_written)
{
	struct bitmask *mask;

	affinity.cpus = 0x20;
	assert_set("0", 64, 0);
	assert_set("0-0,0", 64, 0);
	assert_set("0", 1, 0);
	assert_set("0x0,00", 1, 0);
	assert_set("0, 0", 1, 0);
	assert_set("", 64, -1);
	assert_set("!all", 64, -1);
	assert_int_equal(parse_cpumask("all", 64, &mask), 0);
	assert_true(numa_bitmask_isbitset(mask, 0));
	numa_bitmask_free(mask);
}

TEST(test_relative_set)
{
	affinity.cpus = 0x01;
	assert_set("+0", 64, 0);
	assert_set("+0", 1, 0);
	assert_set("!0", 64, -1);
	affinity.cpus = 0x20;
	assert_set("+0", 64, -1);
}

TEST(test_relative_set_of_two)
{
	if (sysconf(_SC_NPROCESSORS_CONF) < 2) {
		print_message("skipped: needs a machine with 2 CPUs\n");
		skip();
	}
	affinity.cpus = 0x03;
	assert_set("!0", 64, 1);
	assert_set("!0", 1, -1);
	assert_set("1-1", 2, 1);
	affinity.cpus = 0x01;
	assert_set("+0-1", 64, 0);
}

TEST(test_bad_set)
{
	static const struct {
		char *str;
		int max_cpus, affinity_err, ret;
	} rows[] = {
		{ "x", 64, 0, -EINVAL },
		{ "0x", 64, 0, -EINVAL },
		{ "0-", 64, 0, -EINVAL },
		{ "0-x", 64, 0, -EINVAL },
		{ "-", 64, 0, -EINVAL },
		{ "-0", 64, 0, -EINVAL },
		{ "-1", 64, 0, -EINVAL },
		{ "0--1", 64, 0, -EINVAL },
		{ "0-+1", 64, 0, -EINVAL },
		{ "1-0", 64, 0, -EINVAL },
		{ "3-1", 64, 0, -EINVAL },
		{ "0,1-0", 64, 0, -EINVAL },
		{ "!1-0", 64, 0, -EINVAL },
		{ "+1-0", 64, 0, -EINVAL },
		{ "0,,0", 64, 0, -EINVAL },
		{ ",0", 64, 0, -EINVAL },
		{ "0 ", 64, 0, -EINVAL },
		{ "0,x", 64, 0, -EINVAL },
		{ "0-0:2", 64, 0, -EINVAL },
		{ "4294967296", 64, 0, -EINVAL },
		{ "18446744073709551616", 64, 0, -EINVAL },
		{ "64", 64, 0, -EINVAL },
		{ "0-64", 64, 0, -EINVAL },
		{ "0", 0, 0, -EINVAL },
		{ "0", -1, 0, -EINVAL },
		{ "0,", 64, 0, -ENOMEM },
		{ "!", 64, 0, -ENOMEM },
		{ "+!0", 64, 0, -ENOMEM },
		{ "1000000", 1000001, 0, -ENOMEM },
		{ "+0", 64, EPERM, -EPERM },
	};
	struct bitmask unset, *mask;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		affinity.err = rows[i].affinity_err;
		mask = &unset;
		print_message("# %s\n", rows[i].str);
		assert_int_equal(parse_cpumask(rows[i].str, rows[i].max_cpus,
					       &mask), rows[i].ret);
		assert_null(mask);
	}
	assert_set("0", 64, 0);
}
