// SPDX-License-Identifier: GPL-2.0-or-later
/* What a server for other hosts keeps of its privileges: in a child each. */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/tw_privileges.h"
#include "unit.h"

#include "child.h"

#define NOBODY		65534
#define CEILING		7
#define BIT(capability)	(1U << (capability))
#define ALL_OF_LOW	0xffffffff

static uint32_t capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return ALL_OF_LOW;
	return data[0].permitted | data[0].effective | data[1].permitted |
	       data[1].effective;
}

static void lose(uint32_t lost)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	syscall(SYS_capget, &header, data);
	data[0].permitted &= ~lost;
	data[0].effective &= ~lost;
	data[0].inheritable = 0;
	data[1].inheritable = 0;
	if (syscall(SYS_capset, &header, data))
		printf("capset: %s\n", strerror(errno));
}

/* As where the limits cannot be raised. */
static void lose_resource(void)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_RTPRIO, &none);
	setrlimit(RLIMIT_MEMLOCK, &none);
	lose(BIT(CAP_SYS_RESOURCE));
}

static bool takes(int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	return !sched_setscheduler(0, SCHED_FIFO, &param);
}

/* Tells, a line each, what is not as it should be. */
static void check(bool right, const char *what)
{
	if (!right)
		printf("not: %s\n", what);
}

static void check_nobody(void)
{
	uid_t ids[3];
	gid_t groups[3];

	getresuid(&ids[0], &ids[1], &ids[2]);
	getresgid(&groups[0], &groups[1], &groups[2]);
	check(ids[0] == NOBODY && ids[1] == NOBODY && ids[2] == NOBODY,
	      "user 65534");
	check(groups[0] == NOBODY && groups[1] == NOBODY &&
	      groups[2] == NOBODY, "group 65534");
	check(getgroups(0, NULL) == 0, "no other groups");
	check(setuid(0) && setgid(0) && seteuid(0), "no way back");
	check(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1, "no_new_privs");
}

static void drop(int ceiling)
{
	const gid_t other = 1234;
	char text[TW_PRIVILEGES] = "";
	int err;

	check(!setgroups(1, &other), "has another group");
	err = tw_privileges_drop(ceiling, text);
	if (err)
		printf("drop: %s\n", strerror(-err));
	fputs(text, stderr);
	check_nobody();
}

static void with_capabilities(void)
{
	lose_resource();
	drop(CEILING);
	check(capabilities() == (BIT(CAP_SYS_NICE) | BIT(CAP_IPC_LOCK)),
	      "only CAP_SYS_NICE and CAP_IPC_LOCK");
	check(tw_privileges_highest(CEILING) == CEILING, "gives the ceiling");
	check(tw_privileges_highest(1) == 1, "and less");
}

static void without_realtime(void)
{
	lose_resource();
	drop(0);
	check(capabilities() == BIT(CAP_IPC_LOCK), "only CAP_IPC_LOCK");
	check(!takes(1), "no real-time priority");
}

static void by_kernel(void)
{
	struct rlimit limit;

	drop(CEILING);
	check(capabilities() == 0, "no capability");
	check(!getrlimit(RLIMIT_RTPRIO, &limit) && limit.rlim_cur == CEILING &&
	      limit.rlim_max == CEILING, "RLIMIT_RTPRIO is the ceiling");
	check(!getrlimit(RLIMIT_MEMLOCK, &limit) &&
	      limit.rlim_cur == RLIM_INFINITY, "memory can be locked");
	check(tw_privileges_highest(CEILING) == CEILING, "gives the ceiling");
	check(takes(CEILING), "the ceiling is allowed");
	check(!takes(CEILING + 1), "more is not");
}

static void skip_unless_root(void)
{
	if (!geteuid() && capabilities() & BIT(CAP_SETUID) &&
	    capabilities() & BIT(CAP_SYS_NICE) &&
	    capabilities() & BIT(CAP_IPC_LOCK))
		return;
	print_message("# skip: needs root\n");
	skip();
}

static void checks(void (*fn)(void), const char *says)
{
	struct outcome outcome = run(fn);

	assert_string_equal(outcome.out, "");
	assert_string_equal(outcome.err, says);
	assert_int_equal(outcome.exit_code, RETURNED);
}

static void test_capabilities(void **state)
{
	(void)state;
	skip_unless_root();
	checks(with_capabilities, "user 65534, CAP_SYS_NICE and CAP_IPC_LOCK; the program itself refuses priorities above 7");
}

static void test_without_realtime(void **state)
{
	(void)state;
	skip_unless_root();
	checks(without_realtime, "user 65534, CAP_IPC_LOCK");
}

static void test_by_kernel(void **state)
{
	(void)state;
	skip_unless_root();
	if (!(capabilities() & BIT(CAP_SYS_RESOURCE))) {
		print_message("# skip: needs CAP_SYS_RESOURCE\n");
		skip();
	}
	checks(by_kernel, "user 65534, real-time priorities up to 7, locked memory");
}

/* Nothing is gained, and no more than the ceiling kept. */
static void as_user(void)
{
	const struct rlimit before = { 0, 0 };
	char text[TW_PRIVILEGES], expected[TW_PRIVILEGES];

	setrlimit(RLIMIT_RTPRIO, &before);
	if (!geteuid())
		check(!setgroups(0, NULL) && !setgid(NOBODY) &&
		      !setuid(NOBODY), "became a user");
	check(!tw_privileges_drop(CEILING, text), "dropped");
	snprintf(expected, sizeof(expected),
		 "user %d, real-time priorities up to 0", (int)geteuid());
	check(!strcmp(text, expected), text);
	check(!takes(1), "no real-time priority");
	check(tw_privileges_highest(CEILING) == 0, "gives none");
	check(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1, "no_new_privs");
}

static void test_user(void **state)
{
	(void)state;
	checks(as_user, "");
}

static void limit_runaway(void)
{
	const struct rlimit lower = { 5000, 6000 };
	struct rlimit limit;

	check(!tw_privileges_limit_runaway(), "limited");
	check(!getrlimit(RLIMIT_RTTIME, &limit) && limit.rlim_cur == 200000 &&
	      limit.rlim_max == 200000, "200 ms");
	check(!tw_privileges_limit_runaway(), "limited again");
	check(!setrlimit(RLIMIT_RTTIME, &lower), "lower");
	lose(BIT(CAP_SYS_RESOURCE));
	check(!tw_privileges_limit_runaway(), "is lower already");
	check(!getrlimit(RLIMIT_RTTIME, &limit) && limit.rlim_max == 6000,
	      "stays so");
}

static void test_runaway(void **state)
{
	struct rlimit limit;

	(void)state;
	if (getrlimit(RLIMIT_RTTIME, &limit) || limit.rlim_max < 200000) {
		print_message("# skip: RLIMIT_RTTIME is lower here\n");
		skip();
	}
	checks(limit_runaway, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_capabilities),
		cmocka_unit_test(test_without_realtime),
		cmocka_unit_test(test_by_kernel),
		cmocka_unit_test(test_user),
		cmocka_unit_test(test_runaway),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
