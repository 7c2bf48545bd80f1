// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The settings of a side: which are asked for, in which order, and that what
 * the kernel says of them afterwards is looked at. The calls that ask for
 * them stand here in place of the C library's.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "run/tw_side.h"
#include "unit.h"

#define RESET_ON_FORK	0x40000000

static struct {
	int schedule_err, pin_err, lock_err;	/* errno */
	bool fifth_cpu_stays;			/* whatever is asked for */
	int policy, priority;			/* as the kernel has them */
	int policy_seen, priority_seen;		/* and tells them; 0: so */
	cpu_set_t cpus;
	char noted[256];
} kernel;

static void note(const char *what, int first, int second)
{
	size_t used = strlen(kernel.noted);

	snprintf(kernel.noted + used, sizeof(kernel.noted) - used,
		 "%s %d %d\n", what, first, second);
}

static int result(int error)
{
	errno = error;
	return error ? -1 : 0;
}

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
	assert_int_equal(pid, 0);
	note("schedule", policy, param->sched_priority);
	kernel.policy = policy;
	kernel.priority = param->sched_priority;
	return result(kernel.schedule_err);
}

int sched_getscheduler(pid_t pid)
{
	assert_int_equal(pid, 0);
	return kernel.policy_seen ? kernel.policy_seen : kernel.policy;
}

int sched_getparam(pid_t pid, struct sched_param *param)
{
	assert_int_equal(pid, 0);
	param->sched_priority = kernel.priority_seen ? kernel.priority_seen :
						       kernel.priority;
	return 0;
}

static int first_of(const cpu_set_t *cpus)
{
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus))
			return cpu;
	return -1;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *cpus)
{
	assert_int_equal(pid, 0);
	assert_int_equal(size, sizeof(*cpus));
	note("pin", first_of(cpus), CPU_COUNT(cpus));
	kernel.cpus = *cpus;
	if (kernel.fifth_cpu_stays)
		CPU_SET(5, &kernel.cpus);
	return result(kernel.pin_err);
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *cpus)
{
	assert_int_equal(pid, 0);
	assert_int_equal(size, sizeof(*cpus));
	*cpus = kernel.cpus;
	return 0;
}

/* Locks nothing: what the kernel tells of that is in /proc. */
int mlockall(int flags)
{
	note("lock", flags, 0);
	return result(kernel.lock_err);
}

static struct tw_task task;
static struct tw_settings settings;
static enum tw_step step;
static char page[65536];

static int settle(enum tw_role role)
{
	step = TW_STEP_NONE;
	memset(&settings, 0xff, sizeof(settings));
	kernel.noted[0] = '\0';
	return tw_side_settle(&task, role, &settings, &step);
}

static int set_up(void **state)
{
	int role;

	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	memset(&task, 0, sizeof(task));
	task.policy = SCHED_FIFO;
	for (role = 0; role < TW_ROLES; role++) {
		task.priority[role] = 40 + role;
		CPU_SET(8 + role, &task.cpus[role]);
		CPU_SET(20 + role, &task.cpus[role]);
	}
	return (int)syscall(SYS_munlock, page, sizeof(page));
}

/* The priority first; each its own. */
static void test_order(void **state)
{
	static const char *const want[TW_ROLES] = {
		"schedule 1 40\npin 8 2\n", "schedule 1 41\npin 9 2\n",
		"schedule 1 42\npin 10 2\n", "schedule 1 43\npin 11 2\n",
	};
	int role;

	(void)state;
	for (role = 0; role < TW_ROLES; role++) {
		assert_int_equal(settle(role), 0);
		assert_string_equal(kernel.noted, want[role]);
		assert_int_equal(settings.policy, SCHED_FIFO);
		assert_int_equal(settings.priority, 40 + role);
		assert_true(CPU_EQUAL(&settings.cpus, &task.cpus[role]));
		assert_false(settings.locked);
	}
}

static const char *noted_lock(void)
{
	static char noted[64];

	snprintf(noted, sizeof(noted), "schedule 1 42\npin 10 2\nlock %d 0\n",
		 MCL_CURRENT | MCL_FUTURE);
	return noted;
}

/* What it was started with stays, and is told to nobody. */
static void test_reset_on_fork_stays(void **state)
{
	(void)state;
	kernel.policy = SCHED_RR | RESET_ON_FORK;
	assert_int_equal(settle(TW_SERVER), 0);
	assert_int_equal(kernel.policy, SCHED_FIFO | RESET_ON_FORK);
	assert_int_equal(settings.policy, SCHED_FIFO);
}

static void test_lock(void **state)
{
	task.lock_memory = true;
	/* Not locked, whatever the call says. */
	assert_int_equal(settle(TW_CLIENT), -EINVAL);
	assert_int_equal(step, TW_STEP_VERIFY);
	assert_string_equal(kernel.noted, noted_lock());

	/* As if that call had. */
	/* Sanitizers make of mlock() a call that does nothing. */
	if (syscall(SYS_mlock, page, 4096)) {
		print_message("skipped: mlock: %s\n", strerror(errno));
		skip();
	}
	assert_int_equal(settle(TW_CLIENT), 0);
	assert_true(settings.locked);
	/* Of what was not asked for nobody is told. */
	task.lock_memory = false;
	assert_int_equal(settle(TW_CLIENT), 0);
	assert_false(settings.locked);
	set_up(state);
}

static void check_refused(int *error, enum tw_step at, const char *noted)
{
	*error = EPERM;
	assert_int_equal(settle(TW_CLIENT), -EPERM);
	assert_int_equal(step, at);
	/* Nothing else is tried. */
	assert_string_equal(kernel.noted, noted);
	*error = 0;
}

static void test_refused(void **state)
{
	(void)state;
	check_refused(&kernel.schedule_err, TW_STEP_SCHEDULE,
		      "schedule 1 42\n");
	check_refused(&kernel.pin_err, TW_STEP_PIN,
		      "schedule 1 42\npin 10 2\n");
	task.lock_memory = true;
	check_refused(&kernel.lock_err, TW_STEP_LOCK,
		      noted_lock());
}

/* A call that returns 0 is not enough. */
static void test_read_back(void **state)
{
	(void)state;
	kernel.policy_seen = SCHED_RR;
	assert_int_equal(settle(TW_CLIENT), -EINVAL);
	assert_int_equal(step, TW_STEP_VERIFY);
	assert_int_equal(settings.policy, SCHED_RR);
	kernel.policy_seen = 0;

	kernel.priority_seen = 41;
	assert_int_equal(settle(TW_CLIENT), -EINVAL);
	assert_int_equal(step, TW_STEP_VERIFY);
	assert_int_equal(settings.priority, 41);
	kernel.priority_seen = 0;

	kernel.fifth_cpu_stays = true;
	assert_int_equal(settle(TW_CLIENT), -EINVAL);
	assert_int_equal(step, TW_STEP_VERIFY);
	kernel.fifth_cpu_stays = false;
	assert_int_equal(settle(TW_CLIENT), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_order, set_up),
		cmocka_unit_test_setup(test_reset_on_fork_stays, set_up),
		cmocka_unit_test_setup(test_lock, set_up),
		cmocka_unit_test_setup(test_refused, set_up),
		cmocka_unit_test_setup(test_read_back, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
