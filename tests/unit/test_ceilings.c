// SPDX-License-Identifier: GPL-2.0-or-later
/* What a client may have of a server's host. */
#include <errno.h>
#include <string.h>

#include "host/tw_ceilings.h"
#include "unit.h"

static struct tw_ceilings ceilings;
static struct tw_asked asked;
static struct tw_granted granted;
static char why[TW_REFUSAL_TEXT];

static int set_up(void **state)
{
	(void)state;
	ceilings = (struct tw_ceilings) {
		.priority = 50, .pairs = 4, .rate = 10000, .size = 1000,
		.time_s = 60,
	};
	asked = (struct tw_asked) {
		.pairs = 1, .size = 1000, .policy = "fifo", .priority = 51,
		.wait = "poll", .lock_memory = true,
	};
	asked.each[0].interval_us = 1000;
	return 0;
}

static int check(void)
{
	memset(&granted, 0x5a, sizeof(granted));
	memset(why, 'x', sizeof(why));
	return tw_ceilings_check(&ceilings, &asked, &granted, why);
}

static void allowed(const char *policy, int64_t priority)
{
	if (check())
		fail_msg("refused: %s", why);
	assert_string_equal(why, "");
	assert_string_equal(granted.policy, policy);
	assert_int_equal(granted.priority, priority);
	assert_int_equal(granted.lock_memory, asked.lock_memory);
	assert_false(granted.unsynchronised);
}

static void refused(const char *reason)
{
	assert_int_equal(check(), -EPERM);
	assert_string_equal(why, reason);
}

static void other(void)
{
	asked.priority = 0;
	strcpy(asked.policy, "other");
}

/* Its server has one less: the ceiling. */
static void test_all_that_is_allowed(void **state)
{
	(void)state;
	asked.pairs = 4;
	asked.each[0].interval_us = asked.each[1].interval_us = 400;
	asked.each[2].interval_us = asked.each[3].interval_us = 400;
	allowed("fifo", 51);
	strcpy(asked.policy, "rr");
	asked.priority = 3;
	asked.lock_memory = false;
	allowed("rr", 3);
	other();
	allowed("other", 0);
}

static void test_pairs(void **state)
{
	(void)state;
	asked.pairs = 5;
	refused("--threads=5 is more than it allows: up to 4 (--max-pairs there)");
	asked.accept = true;
	assert_int_equal(check(), -EPERM);
}

static void test_size(void **state)
{
	(void)state;
	asked.size = 1001;
	refused("--size=1001 is more than it allows: up to 1000 (--max-size there)");
	asked.accept = true;
	assert_int_equal(check(), -EPERM);
}

static void test_busy(void **state)
{
	(void)state;
	strcpy(asked.wait, "busy");
	refused("--wait=busy takes a whole CPU there, which only its operator can allow, by --wait=busy");
	ceilings.busy = true;
	allowed("fifo", 51);
}

static void test_rate(void **state)
{
	(void)state;
	asked.each[0].interval_us = 100;
	allowed("fifo", 51);
	asked.each[0].interval_us = 99;
	refused("10102 requests a second are more than it allows: up to 10000 (--max-rate there); give a longer --interval or fewer pairs");
	/* All pairs together. */
	asked.pairs = 2;
	asked.each[0].interval_us = asked.each[1].interval_us = 200;
	allowed("fifo", 51);
	asked.each[1].interval_us = 199;
	refused("10026 requests a second are more than it allows: up to 10000 (--max-rate there); give a longer --interval or fewer pairs");
}

/* A closed loop gets what timers leave, if they do. */
static void test_rate_of_closed_loops(void **state)
{
	(void)state;
	asked.pairs = 2;
	asked.each[0].interval_us = 0;
	asked.each[1].interval_us = 200;
	allowed("fifo", 51);
	asked.each[1].interval_us = 100;
	refused("10001 requests a second are more than it allows: up to 10000 (--max-rate there); give a longer --interval or fewer pairs");
	ceilings.rate = 1;
	asked.pairs = 1;
	allowed("fifo", 51);
}

static int64_t burst_ns(unsigned int pair)
{
	return tw_ceilings_burst_ns(&ceilings, &asked, pair, 256);
}

/* None is ended for what it was granted, not even if the first is late. */
static void test_burst(void **state)
{
	(void)state;
	asked.pairs = 2;
	asked.each[0].interval_us = 150;
	asked.each[1].interval_us = 1000;
	allowed("fifo", 51);
	assert_true(burst_ns(0) <= 255 * INT64_C(150000));
	assert_true(burst_ns(0) > 252 * INT64_C(150000));
	assert_true(burst_ns(1) <= 255 * INT64_C(1000000));
	assert_true(burst_ns(1) > 252 * INT64_C(1000000));
	/* The longest one does not overflow. */
	asked.each[0].interval_us = 1000000000;
	assert_true(burst_ns(0) > 250 * INT64_C(1000000000000));
}

static void test_burst_of_closed_loops(void **state)
{
	(void)state;
	asked.each[0].interval_us = 0;
	assert_int_equal(burst_ns(0), 25600000);
	asked.pairs = 3;
	asked.each[1].interval_us = 0;
	asked.each[2].interval_us = 1000;
	allowed("fifo", 51);
	/* 9,000 are left for two. */
	assert_int_equal(burst_ns(0), INT64_C(256000000000) / 4500);
	assert_int_equal(burst_ns(1), burst_ns(0));
	ceilings.rate = 1;
	asked.pairs = 1;
	assert_int_equal(burst_ns(0), INT64_C(256000000000));
}

static void test_priority(void **state)
{
	(void)state;
	asked.priority = 52;
	refused("with --priority=52 its server would have 51, more than it allows: up to 50 (--priority there); give --priority=51, or --accept");
	asked.accept = true;
	allowed("fifo", 51);
	asked.priority = 51;
	allowed("fifo", 51);
	asked.priority = 4;
	allowed("fifo", 4);
}

static void test_no_realtime(void **state)
{
	(void)state;
	ceilings.priority = 0;
	asked.priority = 4;
	refused("it gives no real-time priorities; give --accept to measure without, or start the server there with --priority=3");
	asked.accept = true;
	allowed("other", 0);
	other();
	asked.accept = false;
	allowed("other", 0);
	strcpy(asked.policy, "batch");
	allowed("batch", 0);
}

/* A client's lowest priority is 3. */
static void test_low_ceiling(void **state)
{
	(void)state;
	asked.accept = true;
	ceilings.priority = 1;
	allowed("other", 0);
	ceilings.priority = 2;
	allowed("fifo", 3);
}

/* It means the lowest priority, which the ceiling is held against. */
static void test_policy_without_its_priority(void **state)
{
	(void)state;
	asked.priority = 0;
	allowed("fifo", 3);
	ceilings.priority = 2;
	allowed("fifo", 3);
	ceilings.priority = 1;
	assert_int_equal(check(), -EPERM);
	ceilings.priority = 0;
	refused("it gives no real-time priorities; give --accept to measure without, or start the server there with --priority=2");
	asked.accept = true;
	strcpy(asked.policy, "rr");
	allowed("other", 0);
}

#define TEST(test)	cmocka_unit_test_setup(test, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all_that_is_allowed),
		TEST(test_pairs),
		TEST(test_size),
		TEST(test_busy),
		TEST(test_rate),
		TEST(test_rate_of_closed_loops),
		TEST(test_burst),
		TEST(test_burst_of_closed_loops),
		TEST(test_priority),
		TEST(test_no_realtime),
		TEST(test_low_ceiling),
		TEST(test_policy_without_its_priority),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
