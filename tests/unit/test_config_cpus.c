// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The CPUs that the caller may use, on a system that says otherwise: this
 * program's own sched_getaffinity() stands before the C library's.
 */
#include <errno.h>
#include <sched.h>

#include "parse.h"

static int affinity_err;

/* Its second argument is the size: too small for a system of 4096 CPUs. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus)
{
	(void)pid;
	if (affinity_err) {
		errno = affinity_err;
		return -1;
	}
	CPU_ZERO_S(size, cpus);
	CPU_SET_S(0, size, cpus);
	return 0;
}

#define MANY	"the CPUs that this process may use cannot be read: "

static void test_too_many_cpus(void **state)
{
	static const char *const lines[] = { "", "-a", "-a0", "-q -l 5" };
	struct tw_config config;
	size_t i;

	(void)state;
	affinity_err = EINVAL;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		refused(lines[i], MANY "Invalid argument; there may be 1024 of them at the most");
	assert_true(accepted("--help").help);
	assert_true(accepted("--version").version);
	affinity_err = EPERM;
	refused("", MANY "Operation not permitted");
	affinity_err = 0;
	config = accepted("");
	assert_int_equal(CPU_COUNT(&config.allowed), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_too_many_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
