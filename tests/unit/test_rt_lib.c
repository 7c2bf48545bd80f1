// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rt-error and what of rt-utils needs no file: messages, policies, times.
 *
 * The scheduling calls are replaced here, so that the user's rights do not
 * decide what is tested.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "child.h"
#include "rt-error.h"
#include "rt-utils.h"

static struct {
	int policy;
	int priority;
	int calls;
	int refuse_call;	/* counted from 1; 0: none */
} sched;

int sched_getscheduler(pid_t pid)
{
	assert_int_equal(pid, 0);
	return sched.policy;
}

int sched_getparam(pid_t pid, struct sched_param *param)
{
	assert_int_equal(pid, 0);
	param->sched_priority = sched.priority;
	return 0;
}

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
	assert_int_equal(pid, 0);
	/* Without rights the flag cannot be taken back. */
	if (++sched.calls == sched.refuse_call ||
	    (sched.policy & ~policy & SCHED_RESET_ON_FORK)) {
		errno = EPERM;
		return -1;
	}
	sched.policy = policy;
	sched.priority = param->sched_priority;
	return 0;
}

static void do_err_exit(void)
{
	err_exit(ENOENT, "open %s", "file");
}

static void do_err_exit_0(void)
{
	err_exit(0, "done %d", 5);
}

static void do_err_msg(void)
{
	err_msg("one %d,", 1);
	err_msg("two\n");
}

static void do_err_msg_n(void)
{
	err_msg_n(EACCES, "%s", "file");
	err_msg_n(0, "%s", "file");
}

static void do_err_quit(void)
{
	err_quit("bad %c\n", 'x');
}

static void do_warn(void)
{
	warn("%d%%", 50);
}

static void do_fatal(void)
{
	fatal("%ld\n", -3L);
}

static void test_messages(void **state)
{
	char text[256];

	(void)state;
	assert_outcome(do_err_msg, RETURNED, "one 1,two\n");
	snprintf(text, sizeof(text), "file: %s\nfile", strerror(EACCES));
	assert_outcome(do_err_msg_n, RETURNED, text);
	assert_outcome(do_warn, RETURNED, "WARN: 50%");
}

static void test_messages_that_exit(void **state)
{
	char text[256];

	(void)state;
	snprintf(text, sizeof(text), "open file: %s\n", strerror(ENOENT));
	assert_outcome(do_err_exit, ENOENT, text);
	assert_outcome(do_err_exit_0, 0, "done 5");
	assert_outcome(do_err_quit, 1, "bad x\n");
	assert_outcome(do_fatal, EXIT_FAILURE, "FATAL: -3\n");
}

static void test_policy_names(void **state)
{
	(void)state;
	assert_string_equal(policy_to_string(SCHED_OTHER), "SCHED_OTHER");
	assert_string_equal(policy_to_string(SCHED_FIFO), "SCHED_FIFO");
	assert_string_equal(policy_to_string(SCHED_RR), "SCHED_RR");
	assert_string_equal(policy_to_string(SCHED_BATCH), "SCHED_BATCH");
	assert_string_equal(policy_to_string(SCHED_IDLE), "SCHED_IDLE");
	assert_string_equal(policy_to_string(6), "SCHED_DEADLINE");
	assert_string_equal(policy_to_string(4), "unknown");
	assert_string_equal(policy_to_string(-1), "unknown");

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

static void set_sched(int policy, int priority, int refuse_call)
{
	sched.policy = policy;
	sched.priority = priority;
	sched.calls = 0;
	sched.refuse_call = refuse_call;
}

static void test_privileges_present(void **state)
{
	static const int started_with[] = {
		SCHED_OTHER, SCHED_BATCH, SCHED_OTHER | SCHED_RESET_ON_FORK,
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(started_with); i++) {
		set_sched(started_with[i], 0, 0);
		assert_int_equal(check_privs(), 0);
		assert_int_equal(sched.calls, 2);
		assert_int_equal(sched.policy, started_with[i]);
		assert_int_equal(sched.priority, 0);
	}
}

/* A caller that is real-time already is not touched at all. */
static void test_privileges_in_use(void **state)
{
	static const int started_with[] = {
		SCHED_FIFO, SCHED_RR, SCHED_FIFO | SCHED_RESET_ON_FORK,
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(started_with); i++) {
		set_sched(started_with[i], 7, 1);
		assert_int_equal(check_privs(), 0);
		assert_int_equal(sched.calls, 0);
	}
}

static void do_check_privs(void)
{
	exit(check_privs() ? 40 : 41);
}

static void test_privileges_absent(void **state)
{
	int refused;

	(void)state;
	for (refused = 1; refused <= 2; refused++) {
		struct outcome o;

		set_sched(SCHED_OTHER, 0, refused);
		o = run(do_check_privs);
		assert_int_equal(o.exit_code, 40);
		assert_string_equal(o.out, "");
		assert_non_null(strstr(o.err, "CAP_SYS_NICE"));
		assert_non_null(strstr(o.err, strerror(EPERM)));
	}
}

static void test_time_strings(void **state)
{
	static const struct {
		char *text;
		int seconds;
	} cases[] = {
		{ "0", 0 }, { "1", 1 }, { "90", 90 }, { "5s", 5 },
		{ "2m", 120 }, { "3h", 10800 }, { "2d", 172800 },
		{ "2M", 120 }, { "3H", 10800 }, { "2D", 172800 },
		{ "", 0 }, { "m", 0 }, { "x", 0 }, { "-2m", -120 },
		{ "2147483647", INT_MAX }, { "2147483648", INT_MAX },
		{ "99999999999999999999d", INT_MAX },
		{ "-99999999999999999999d", INT_MIN },
		{ "24855d", 2147472000 }, { "24856d", INT_MAX },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(parse_time_string(cases[i].text),
				 cases[i].seconds);
}

static struct timespec ts(time_t sec, long nsec)
{
	struct timespec t = { .tv_sec = sec, .tv_nsec = nsec };

	return t;
}

static void assert_norm(struct timespec t, time_t sec, long nsec)
{
	tsnorm(&t);
	assert_int_equal(t.tv_sec, sec);
	assert_int_equal(t.tv_nsec, nsec);
}

static void test_tsnorm(void **state)
{
	(void)state;
	assert_norm(ts(1, 0), 1, 0);
	assert_norm(ts(1, NSEC_PER_SEC - 1), 1, NSEC_PER_SEC - 1);
	assert_norm(ts(1, NSEC_PER_SEC), 2, 0);
	assert_norm(ts(1, 2L * NSEC_PER_SEC + 7), 3, 7);
}

static void test_tsgreater(void **state)
{
	struct timespec a = ts(5, 100), b = ts(5, 101), c = ts(6, 0);

	(void)state;
	assert_false(tsgreater(&a, &a));
	assert_false(tsgreater(&a, &b));
	assert_true(tsgreater(&b, &a));
	assert_false(tsgreater(&b, &c));
	assert_true(tsgreater(&c, &b));
}

static void test_differences(void **state)
{
	/* Far enough apart that 32 bits overflow in either unit. */
	struct timespec early = ts(100, 999999999), late = ts(10100, 2500);

	(void)state;
	assert_true(calcdiff_ns(late, early) == INT64_C(9999000002501));
	assert_true(calcdiff_ns(early, late) == INT64_C(-9999000002501));
	assert_true(calcdiff(late, early) == INT64_C(9999000002));
	assert_true(calcdiff(early, late) == INT64_C(-9999000002));
	assert_true(calcdiff_ns(early, early) == 0);
	assert_true(calcdiff(ts(1, 0), ts(0, 999999500)) == 0);
	assert_true(calctime(early) == INT64_C(100999999));
	assert_true(calctime(late) == INT64_C(10100000002));
}

static void test_macros(void **state)
{
	int three[3];

	(void)state;
	assert_int_equal(MSEC_PER_SEC, 1000);
	assert_int_equal(USEC_PER_SEC, 1000000);
	assert_int_equal(NSEC_PER_SEC, 1000000000);
	assert_int_equal(USEC_TO_NSEC(1 + 1), 2000);
	assert_int_equal(ARRAY_SIZE(three), 3);
	assert_int_equal(MAX_PATH, 256);
	assert_string_equal(STR(MAX_PATH), "256");
	assert_string_equal(_STR(MAX_PATH), "MAX_PATH");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_messages_that_exit),
		cmocka_unit_test(test_policy_names),
		cmocka_unit_test(test_privileges_present),
		cmocka_unit_test(test_privileges_in_use),
		cmocka_unit_test(test_privileges_absent),
		cmocka_unit_test(test_time_strings),
		cmocka_unit_test(test_tsnorm),
		cmocka_unit_test(test_tsgreater),
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_macros),
	};

	return cmocka_run_group_tests_name("rt_lib", tests, NULL, NULL);
}
