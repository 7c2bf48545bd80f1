// SPDX-License-Identifier: GPL-2.0-or-later
/* What is known of numbers seen before, and the sums of the counts. */
#include <stdbool.h>
#include <string.h>

#include "unit.h"
#include "measure/tw_datagram.h"

static struct tw_datagrams counts;

static int set_up(void **state)
{
	(void)state;
	memset(&counts, 0, sizeof(counts));
	return 0;
}

/* A warm-up's request under way at the end is not subtracted. */
static void test_stop_in_warmup(void **state)
{
	(void)state;
	counts.client.last = 2;
	counts.server.seen.newest = 3;
	assert_int_equal(tw_datagram_count(&counts).lost_reply, 0);
	assert_int_equal(tw_datagram_count(&counts).lost_request, 0);
}

static void test_merge(void **state)
{
	struct tw_datagram_counts got;
	struct tw_datagrams sum;

	(void)state;
	memset(&sum, 0, sizeof(sum));
	counts.client = (__typeof__(counts.client)) {
		.sent = 10, .answered = 6, .lost = 4, .late = 2,
		.duplicate = 3, .strangers = 5, .last = 12,
	};
	counts.server = (__typeof__(counts.server)) {
		.taken = 7, .duplicate = 11, .reordered = 13, .strangers = 17,
		.seen.newest = 12,
	};
	tw_datagram_merge(&sum, &counts);
	tw_datagram_merge(&sum, &counts);
	got = tw_datagram_count(&sum);
	assert_int_equal(got.sent, 20);
	assert_int_equal(got.answered, 12);
	assert_int_equal(got.lost, 8);
	assert_int_equal(got.lost_request, 6);
	assert_int_equal(got.lost_reply, 2);
	assert_int_equal(got.late, 4);
	assert_int_equal(got.duplicate, 28);
	assert_int_equal(got.reordered, 26);
	assert_int_equal(got.strangers, 44);
}

/* Against a set of all numbers. */
static void test_seen(void **state)
{
	struct tw_seen seen = { .newest = 0 };
	static bool there[4096];
	uint64_t seed = 42, newest = 0, seq;
	int i, expected;

	(void)state;
	for (i = 0; i < 5000; i++) {
		seq = newest + unit_between(&seed, 0, i % 50 ? 3 : 70);
		/* Every other one goes back, also further than the mask. */
		if (i % 2 && newest > 80)
			seq = newest - unit_between(&seed, 0, 75);
		if (!seq || seq >= 4096)
			continue;
		expected = seq > newest ? 1 :
			   newest - seq < 64 && there[seq] ? -1 : 0;
		assert_int_equal(tw_seen_add(&seen, seq), expected);
		there[seq] = true;
		newest = seq > newest ? seq : newest;
		assert_int_equal(seen.newest, newest);
	}
	assert_true(newest > 2000);
	assert_int_equal(tw_seen_add(&seen, newest + 1), 1);
	assert_int_equal(tw_seen_add(&seen, newest + 64), 1);
	assert_int_equal(tw_seen_add(&seen, newest + 1), -1);
	assert_int_equal(tw_seen_add(&seen, newest + 2), 0);
	assert_int_equal(tw_seen_add(&seen, newest + 65), 1);
	assert_int_equal(tw_seen_add(&seen, newest + 1), 0);
}

/* Main reads while they run: never more replies lost than cycles. */
static void test_moments(void **state)
{
	struct tw_datagram_counts got;

	(void)state;
	counts.client.sent = 4;
	counts.client.answered = 2;
	counts.client.lost = 1;
	counts.server.taken = 7;
	got = tw_datagram_count(&counts);
	assert_int_equal(got.lost_reply, 1);
	assert_int_equal(got.lost_request, 0);
	counts.server.taken = 0;
	got = tw_datagram_count(&counts);
	assert_int_equal(got.lost_reply + got.lost_request, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_stop_in_warmup, set_up),
		cmocka_unit_test_setup(test_merge, set_up),
		cmocka_unit_test_setup(test_seen, set_up),
		cmocka_unit_test_setup(test_moments, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
