// SPDX-License-Identifier: GPL-2.0-or-later
/* What is asked of the kernel for a process, and what it says. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"
#include "child.h"
#include "base/tw_system.h"
#include "run/tw_side.h"

/* Not the superuser's right to do what it likes. */
static void drop_rights(void)
{
	if (!getuid() && setresuid(65534, 65534, 65534))
		_exit(90);
}

/* As `chrt --reset-on-fork` leaves it, and without a right to clear it. */
static void do_keep_flag(void)
{
	const struct sched_param none = { .sched_priority = 0 };
	const int flag = SCHED_RESET_ON_FORK;

	if (sched_setscheduler(0, SCHED_OTHER | flag, &none))
		_exit(91);
	drop_rights();
	if (tw_system_schedule(SCHED_OTHER, 0) ||
	    sched_getscheduler(0) != (SCHED_OTHER | flag))
		_exit(92);
	if (tw_system_schedule(SCHED_BATCH, 0) ||
	    sched_getscheduler(0) != (SCHED_BATCH | flag))
		_exit(93);
}

static void do_no_flag(void)
{
	drop_rights();
	if (tw_system_schedule(SCHED_BATCH, 0) ||
	    sched_getscheduler(0) != SCHED_BATCH)
		_exit(92);
	if (tw_system_schedule(SCHED_OTHER, 5) != -EINVAL)
		_exit(93);
}

static void test_reset_on_fork(void **state)
{
	(void)state;
	assert_int_equal(run(do_keep_flag).exit_code, RETURNED);
	assert_int_equal(run(do_no_flag).exit_code, RETURNED);
}

static void *own;

/* Here is nothing of it. */
static void do_touch_own(void)
{
	unsigned char there;

	if (mincore(own, 1, &there) != -1 || errno != ENOMEM)
		_exit(91);
}

/* Whether children lack what they are not to inherit. */
static bool kernel_keeps_own(void)
{
	int exit_code;

	own = mmap(NULL, 100, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(own != MAP_FAILED);
	madvise(own, 100, MADV_DONTFORK);
	exit_code = run(do_touch_own).exit_code;
	munmap(own, 100);
	return exit_code == RETURNED;
}

static void test_own_memory(void **state)
{
	(void)state;
	if (!kernel_keeps_own()) {
		print_message("children have all memory here: an emulator\n");
		skip();
	}
	own = tw_system_map_own(100);
	assert_non_null(own);
	assert_int_equal(*(char *)own, 0);
	memset(own, 1, 100);
	assert_int_equal(run(do_touch_own).exit_code, RETURNED);
	assert_int_equal(munmap(own, 100), 0);
	errno = 0;
	assert_null(tw_system_map_own(SIZE_MAX - 0xffff));
	assert_int_equal(errno, ENOMEM);
}

static struct tw_settings settings_of(int policy, int priority, int cpu)
{
	struct tw_settings settings = {
		.policy = policy, .priority = priority,
	};

	CPU_ZERO(&settings.cpus);
	if (cpu >= 0)
		CPU_SET(cpu, &settings.cpus);
	return settings;
}

static void test_changed(void **state)
{
	const struct tw_settings one = settings_of(SCHED_FIFO, 5, 1);
	const struct { struct tw_settings end; bool changed; } rows[] = {
		{ settings_of(SCHED_FIFO, 5, 1), false },
		{ settings_of(SCHED_RR, 5, 1), true },
		{ settings_of(SCHED_FIFO, 6, 1), true },
		{ settings_of(SCHED_FIFO, 5, 2), true },
		/* Killed before it could look. */
		{ settings_of(0, 0, -1), false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(tw_system_changed(&one, &rows[i].end),
				 rows[i].changed);
}

/* Of several steps the last side is told, and a change in any of them. */
static void test_merge(void **state)
{
	struct tw_side sum = { .child.pid = 0 };
	struct tw_side steps[] = {
		{ .child.pid = 11, .settings = settings_of(SCHED_FIFO, 5, 1),
		  .left = settings_of(SCHED_FIFO, 5, 1) },
		{ .child.pid = 12, .settings = settings_of(SCHED_FIFO, 5, 1),
		  .left = settings_of(SCHED_FIFO, 5, 7) },
		{ .child.pid = 13, .settings = settings_of(SCHED_FIFO, 5, 1),
		  .left = settings_of(SCHED_FIFO, 5, 1) },
	};
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		tw_side_merge(&sum, &steps[i]);
		assert_int_equal(sum.child.pid, 11 + i);
		assert_int_equal(tw_system_changed(&sum.settings, &sum.left),
				 i > 0);
	}
	assert_true(CPU_ISSET(7, &sum.left.cpus));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reset_on_fork),
		cmocka_unit_test(test_own_memory),
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
