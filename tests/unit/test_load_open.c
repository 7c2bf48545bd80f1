// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What all types of load share: opening, closing, the sums, and the settings of
 * a worker. The type is a false one, and the calls that set something replace
 * those of the C library.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "load/tw_load.h"

#define MOST	200	/* slots that take more than one page */

static struct {
	int schedule_err, pin_err, lock_err;	/* errno */
	int policy, priority;
	cpu_set_t cpus;
	char noted[128];
} kernel;

static struct {
	int probe_err, prepare_err, stop_err;
	int most;
	char noted[128];
} fake;

static struct tw_load load;
static struct tw_load_params params;
static char why[TW_LOAD_WHY];

static int result(int error)
{
	errno = error;
	return error ? -1 : 0;
}

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
	assert_int_equal(pid, 0);
	strcat(kernel.noted, "schedule ");
	kernel.policy = policy;
	kernel.priority = param->sched_priority;
	return result(kernel.schedule_err);
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *cpus)
{
	assert_int_equal(pid, 0);
	assert_int_equal(size, sizeof(*cpus));
	strcat(kernel.noted, "pin ");
	kernel.cpus = *cpus;
	return result(kernel.pin_err);
}

int mlockall(int flags)
{
	assert_int_equal(flags, MCL_CURRENT | MCL_FUTURE);
	strcat(kernel.noted, "lock ");
	return result(kernel.lock_err);
}

static int probe(struct tw_load *its)
{
	assert_ptr_equal(its, &load);
	strcat(fake.noted, "probe ");
	strcpy(load.shared->why, "probed");
	return fake.probe_err;
}

static int prepare(struct tw_load *its, int most)
{
	assert_ptr_equal(its, &load);
	strcat(fake.noted, "prepare ");
	strcpy(load.shared->why, "prepared");
	fake.most = most;
	load.prepared = most;
	return fake.prepare_err;
}

static int stop(struct tw_load *its)
{
	assert_ptr_equal(its, &load);
	strcat(fake.noted, "stop ");
	if (fake.stop_err)
		strcpy(load.shared->why, "stuck");
	return fake.stop_err;
}

static uint64_t count_done(const struct tw_load *its)
{
	assert_ptr_equal(its, &load);
	return 4711;
}

static const struct tw_load_ops plain = {
	.probe = probe, .prepare = prepare, .stop = stop,
};

static const struct tw_load_ops counting = {
	.probe = probe, .prepare = prepare, .stop = stop, .done = count_done,
};

static int set_up(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	memset(&fake, 0, sizeof(fake));
	memset(&params, 0, sizeof(params));
	memset(&load, 0x5a, sizeof(load));
	strcpy(why, "of before");
	return 0;
}

static int open_load(const struct tw_load_ops *ops)
{
	return tw_load_open(&load, ops, &params, MOST, why);
}

static bool is_mapped(void *memory)
{
	return !msync(memory, 1, MS_ASYNC);
}

static void test_open(void **state)
{
	struct tw_load_shared *shared;

	(void)state;
	params.priority = 17;
	assert_int_equal(open_load(&plain), 0);
	assert_string_equal(fake.noted, "probe prepare ");
	assert_int_equal(fake.most, MOST);
	assert_int_equal(load.params.priority, 17);
	assert_string_equal(why, "");
	assert_null(load.dead);
	assert_int_equal(load.count, 0);
	assert_int_equal(load.keeper.pid, 0);
	shared = load.shared;
	assert_true(is_mapped(shared));
	assert_int_equal(tw_load_close(&load, why), 0);
	assert_string_equal(fake.noted, "probe prepare stop ");
	assert_null(load.shared);
	assert_false(is_mapped(shared));
	/* A second time there is nothing to do. */
	assert_int_equal(tw_load_close(&load, why), 0);
	assert_string_equal(fake.noted, "probe prepare stop ");
	assert_string_equal(why, "");
}

/* Each worker has a slot, which its process writes and main reads. */
static void test_slots(void **state)
{
	struct tw_load_slot *last;
	pid_t pid;

	(void)state;
	assert_int_equal(open_load(&plain), 0);
	last = &load.shared->slots[MOST - 1];
	assert_true((char *)(last + 1) <=
		    (char *)load.shared + load.shared_size);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		last->done = 5;
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(last->done, 5);
	assert_int_equal(tw_load_close(&load, NULL), 0);
}

/* What was begun is undone, and the reason is there afterwards. */
static void check_refused(int probe_err, int prepare_err, const char *noted,
			  const char *reason)
{
	set_up(NULL);
	fake.probe_err = probe_err;
	fake.prepare_err = prepare_err;
	assert_int_equal(open_load(&plain), probe_err + prepare_err);
	assert_string_equal(fake.noted, noted);
	assert_string_equal(why, reason);
	assert_null(load.shared);
}

static void test_refused(void **state)
{
	(void)state;
	check_refused(-ENOENT, 0, "probe stop ", "probed");
	check_refused(0, -EAGAIN, "probe prepare stop ", "prepared");
}

static void test_does_not_stop(void **state)
{
	(void)state;
	assert_int_equal(open_load(&plain), 0);
	fake.stop_err = -EBUSY;
	assert_int_equal(tw_load_close(&load, why), -EBUSY);
	assert_string_equal(why, "stuck");
	assert_null(load.shared);
	/* Without a place for the reason. */
	assert_int_equal(open_load(&plain), 0);
	assert_int_equal(tw_load_close(&load, NULL), -EBUSY);
}

static void test_progress(void **state)
{
	struct tw_load_slot sum;
	int i;

	(void)state;
	assert_int_equal(open_load(&plain), 0);
	load.prepared = 3;
	for (i = 0; i < 4; i++)
		load.shared->slots[i] = (struct tw_load_slot) {
			.done = 1 << i, .errors = 10 << i, .busy_ns = 100 << i,
		};
	sum = tw_load_progress(&load);
	assert_int_equal(sum.done, 7);
	assert_int_equal(sum.errors, 70);
	assert_int_equal(sum.busy_ns, 700);
	load.ops = &counting;
	sum = tw_load_progress(&load);
	assert_int_equal(sum.done, 4711);
	assert_int_equal(sum.errors, 70);
	assert_int_equal(tw_load_close(&load, NULL), 0);
}

static void settle(int index, const char *noted, int want)
{
	kernel.noted[0] = '\0';
	load.params = params;
	assert_int_equal(tw_load_settle(&load, index), want);
	assert_string_equal(kernel.noted, noted);
}

/* Worker k has the k-th CPU of the set, and after the last the first. */
static void test_pinned(void **state)
{
	static const int cpus[] = { 1, 4, 6 };
	int i;

	(void)state;
	for (i = 0; i < 3; i++)
		CPU_SET(cpus[i], &params.cpus);
	params.pinned = true;
	for (i = 0; i < 8; i++) {
		settle(i, "schedule pin ", 0);
		assert_int_equal(CPU_COUNT(&kernel.cpus), 1);
		assert_true(CPU_ISSET(cpus[i % 3], &kernel.cpus));
	}
	params.pinned = false;
	settle(1, "schedule pin ", 0);
	assert_true(CPU_EQUAL(&kernel.cpus, &params.cpus));
}

static void test_settings(void **state)
{
	(void)state;
	CPU_SET(0, &params.cpus);
	params.policy = SCHED_RR;
	params.priority = 23;
	params.lock_memory = true;
	settle(0, "schedule pin lock ", 0);
	/* SCHED_RESET_ON_FORK stays if the caller has it. */
	assert_int_equal(kernel.policy & 0xff, SCHED_RR);
	assert_int_equal(kernel.priority, 23);
	params.lock_memory = false;
	settle(0, "schedule pin ", 0);
}

/* After an error nothing else is tried. */
static void test_not_settled(void **state)
{
	(void)state;
	CPU_SET(0, &params.cpus);
	params.lock_memory = true;
	kernel.lock_err = ENOMEM;
	settle(0, "schedule pin lock ", -ENOMEM);
	kernel.pin_err = EINVAL;
	settle(0, "schedule pin ", -EINVAL);
	kernel.schedule_err = EPERM;
	settle(0, "schedule ", -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_open, set_up),
		cmocka_unit_test_setup(test_slots, set_up),
		cmocka_unit_test_setup(test_refused, set_up),
		cmocka_unit_test_setup(test_does_not_stop, set_up),
		cmocka_unit_test_setup(test_progress, set_up),
		cmocka_unit_test_setup(test_pinned, set_up),
		cmocka_unit_test_setup(test_settings, set_up),
		cmocka_unit_test_setup(test_not_settled, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
