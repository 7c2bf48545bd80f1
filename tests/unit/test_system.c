// SPDX-License-Identifier: GPL-2.0-or-later
/* What is asked of the kernel for a process: its scheduling. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"
#include "child.h"
#include "tw_system.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reset_on_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
