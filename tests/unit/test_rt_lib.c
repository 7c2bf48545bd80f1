// SPDX-License-Identifier: GPL-2.0-or-later
/* rt-error and what of rt-utils needs no file: messages, policies. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>
#include <time.h>

#include "child.h"
#include "rt-error.h"
#include "rt-utils.h"

static void do_err_msg(void)
{
	err_msg("one %d,", 1);
	err_msg("two\n");
}

static void test_messages(void **state)
{
	(void)state;
	assert_outcome(do_err_msg, RETURNED, "one 1,two\n");
}

static void test_policies(void **state)
{
	(void)state;
	assert_int_equal(string_to_policy("other"), SCHED_OTHER);
	assert_int_equal(string_to_policy("normal"), SCHED_OTHER);
	assert_int_equal(string_to_policy("fifo"), SCHED_FIFO);
	assert_int_equal(string_to_policy("rr"), SCHED_RR);
	assert_int_equal(string_to_policy("batch"), SCHED_BATCH);
	assert_int_equal(string_to_policy("idle"), SCHED_IDLE);
	assert_int_equal(string_to_policy("deadline"), 6);
	assert_int_equal(string_to_policy("fif"), SCHED_OTHER);
	assert_int_equal(string_to_policy(""), SCHED_OTHER);
}

static void test_macros(void **state)
{
	int three[3];

	(void)state;
	assert_int_equal(ARRAY_SIZE(three), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_macros),
	};

	return cmocka_run_group_tests_name("rt_lib", tests, NULL, NULL);
}
