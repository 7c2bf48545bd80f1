// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The CPUs that the caller may use, on a system that says otherwise: this
 * program's own sched_getaffinity() stands before the C library's.
 */
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "parse.h"

static int affinity_err;

/* From the second call on, CPU 1 is there, too: it is isolated. */
static bool isolated;
static int calls;

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
	if (isolated && calls++)
		CPU_SET_S(1, size, cpus);
	return 0;
}

/* A sandbox may forbid it. */
static bool fixed;

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *cpus)
{
	if (!fixed)
		return (int)syscall(SYS_sched_setaffinity, pid, size, cpus);
	errno = EPERM;
	return -1;
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
	accepted("--help");
	assert_true(parse_run.help);
	accepted("--version");
	assert_true(parse_run.version);
	affinity_err = EPERM;
	refused("", MANY "Operation not permitted");
	affinity_err = 0;
	config = accepted("");
	assert_int_equal(CPU_COUNT(&config.allowed), 1);
}

/* Whether the machine has it or not: to this process it is not open. */
static void test_not_reachable(void **state)
{
	(void)state;
	refused("-a1", "--affinity=1: allowed is a set of CPUs out of 0, such as 0-2,5");
	refused("--server-affinity=0-1",
		"--server-affinity=0-1: allowed is a set of CPUs out of 0, such as 0-2,5");
	refused("-a allx", "--affinity=allx: allowed is a set of CPUs out of 0, such as 0-2,5");
	assert_int_equal(accepted("-a0").affinity, TW_SET);
	fixed = true;
	assert_int_equal(accepted("-a0").affinity, TW_SET);
	fixed = false;
}

/* What may be asked for, not only what is had already. */
static void test_isolated(void **state)
{
	struct parsed parsed;

	(void)state;
	isolated = true;
	parsed = parse("-a5");
	assert_string_equal(parsed.error,
			    "--affinity=5: allowed is a set of CPUs out of 0-1, such as 0-2,5");
	calls = 0;
	parsed = parse("");
	assert_int_equal(CPU_COUNT(&parsed.config.allowed), 1);
	assert_int_equal(CPU_COUNT(&parsed.config.reachable), 2);
	isolated = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_too_many_cpus),
		cmocka_unit_test(test_not_reachable),
		cmocka_unit_test(test_isolated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
