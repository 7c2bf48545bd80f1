// SPDX-License-Identifier: GPL-2.0-or-later
/* A server that ends a client which sends more than it may. */
#include <errno.h>
#include <string.h>

#include "base/tw_time.h"
#include "host/tw_limited.h"
#include "measure/tw_datagram.h"
#include "measure/tw_wire.h"
#include "run/tw_side.h"
#include "unit.h"

#define COOKIE	"0123456789abcdef"

static struct tw_far_limit limit;
static struct tw_pair pair;
static struct tw_server server;
static struct tw_reply reply;
static struct tw_wait waiting;
static int64_t now_ns;
static atomic_int stop;
static int result;
static int junk;	/* datagrams before the next request */
static int64_t junk_each_ns;
static const char *junk_text;	/* NULL: it is no stranger's */
static struct tw_datagrams counts;
static char request[40];

static int take(const struct tw_server *from, struct tw_wait *wait,
		struct tw_reply *to)
{
	assert_ptr_equal(from, &server);
	assert_ptr_equal(wait, &waiting);
	if (junk)
		now_ns += junk_each_ns;
	to->t1_ns = now_ns;
	if (junk) {
		junk--;
		if (junk_text) {
			memcpy(request, junk_text, server.size <
			       strlen(junk_text) ? server.size :
						   strlen(junk_text));
			counts.server.strangers++;
		}
		return -EAGAIN;
	}
	return result;
}

static int set_up(void **state)
{
	(void)state;
	limit = (struct tw_far_limit) {
		.burst_ns = 256 * TW_NS_PER_US, .take = take,
		.junk_ns = 256 * TW_NS_PER_US,
	};
	pair.limit = &limit;
	server = (struct tw_server) { .fd = -1, .sink = &pair,
				       .stop = &stop,
				       .datagrams = &counts,
				       .request = request, .size = 8 };
	memcpy(limit.cookie, COOKIE, TW_COOKIE);
	memset(&counts, 0, sizeof(counts));
	memset(request, 0, sizeof(request));
	junk_text = NULL;
	atomic_store(&stop, 0);
	now_ns = 5 * TW_NS_PER_S;
	result = 1;
	junk = 0;
	return 0;
}

static int take_one(int64_t later_ns)
{
	now_ns += later_ns;
	return tw_limited_take(&server, &waiting, &reply);
}

static uint64_t requests(void)
{
	return atomic_load(&limit.requests);
}

static void take_many(int count, int64_t each_ns)
{
	while (count--)
		assert_int_equal(take_one(each_ns), 1);
}

static void test_as_fast_as_allowed(void **state)
{
	(void)state;
	take_many(2000, 1000);
	assert_int_equal(requests(), 2000);
}

/* Judged at the end of a burst, and of each. */
static void test_too_fast(void **state)
{
	int later;

	(void)state;
	for (later = 0; later < 3; later++) {
		set_up(state);
		take_many(TW_BURST * (later + 1), later ? 1000 : 999);
		if (later)
			take_many(TW_BURST, 1000);
		now_ns -= later ? 1 : 0;
		assert_int_equal(take_one(999), -EDQUOT);
	}
}

/* Each burst has its own time: a long wait gives no credit. */
static void test_no_credit(void **state)
{
	(void)state;
	take_many(10, TW_NS_PER_S);
	take_many(TW_BURST - 10, 10);
	assert_int_equal(take_one(10), 1);
	take_many(TW_BURST - 1, 999);
	assert_int_equal(take_one(999), -EDQUOT);
	assert_int_equal(requests(), 2 * TW_BURST + 1);
}

/* The first of all begins a burst at any time, zero included. */
static void test_first(void **state)
{
	(void)state;
	now_ns = 0;
	assert_int_equal(take_one(0), 1);
	assert_int_equal(limit.begin_ns, 0);
	take_many(TW_BURST - 1, 0);
	assert_int_equal(take_one(0), -EDQUOT);
}

static void test_clock_set_back(void **state)
{
	(void)state;
	take_many(TW_BURST, 1000);
	assert_int_equal(take_one(-TW_NS_PER_S), 1);
	assert_int_equal(limit.begin_ns, now_ns);
	take_many(TW_BURST - 1, 999);
	assert_int_equal(take_one(999), -EDQUOT);
}

static void test_no_limit(void **state)
{
	(void)state;
	limit.burst_ns = 0;
	take_many(3 * TW_BURST, 0);
}

/* What ends the server passes, and is no request. */
static void test_end(void **state)
{
	static const int ends[] = { 0, -EPROTO, -ECONNRESET };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		set_up(state);
		take_many(3, 1000);
		result = ends[i];
		assert_int_equal(take_one(1000), ends[i]);
		assert_int_equal(requests(), 3);
	}
}

/* Datagrams that are no requests have a limit of their own. */
static void test_junk(void **state)
{
	(void)state;
	junk_each_ns = 1000;
	junk = 2000;
	assert_int_equal(take_one(0), 1);
	assert_int_equal(junk, 0);
	assert_int_equal(requests(), 1);
	set_up(state);
	junk_each_ns = 999;
	junk = 2000;
	assert_int_equal(take_one(0), -EDQUOT);
	assert_int_equal(junk, 2000 - TW_BURST - 1);
	assert_int_equal(requests(), 0);
}

/* A few between many requests are none too many. */
static void test_some_junk(void **state)
{
	int i;

	(void)state;
	junk_each_ns = 0;
	for (i = 0; i < 2000; i++) {
		junk = i % 3 == 0;
		assert_int_equal(take_one(1000), 1);
	}
	assert_int_equal(requests(), 2000);
}

/* A client that sends on cannot hold up the end. */
/* Returns how many strangers have been counted by now. */
static uint64_t take_junk(int count, const char *text)
{
	junk = count;
	junk_text = text;
	take_many(1, 0);
	assert_int_equal(junk, 0);
	return counts.server.strangers;
}

/* As much of the cookie as a request has room for. */
static void test_greetings(void **state)
{
	static const struct {
		size_t size;
		uint64_t strangers;	/* of those that differ at the end */
	} sizes[] = { { 8, 0 }, { 15, 0 }, { 16, 5 }, { 24, 5 }, { 40, 5 } };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(&counts, 0, sizeof(counts));
		server.size = sizes[i].size;
		assert_int_equal(take_junk(9, COOKIE "pairpair"), 0);
		/* No rest of the one before. */
		assert_int_equal(take_junk(1, "0"), 1);
		assert_int_equal(take_junk(2, "x123456789abcdefpairpair"), 3);
		assert_int_equal(take_junk(1, COOKIE), 3);
		assert_int_equal(take_junk(5, "0123456789abcdexpairpair"),
				 3 + sizes[i].strangers);
	}
	/* What is no stranger's is in no count that this changes. */
	junk_text = NULL;
	junk = 3;
	counts.server.strangers = 7;
	memcpy(request, COOKIE, TW_COOKIE);
	take_many(1, 0);
	assert_int_equal(counts.server.strangers, 7);
}

static void test_stop(void **state)
{
	(void)state;
	take_many(3, 1000);
	atomic_store(&stop, 1);
	assert_int_equal(take_one(1000), 0);
	assert_int_equal(requests(), 3);
}

#define TEST(test)	cmocka_unit_test_setup(test, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_as_fast_as_allowed),
		TEST(test_too_fast),
		TEST(test_no_credit),
		TEST(test_first),
		TEST(test_clock_set_back),
		TEST(test_no_limit),
		TEST(test_end),
		TEST(test_junk),
		TEST(test_some_junk),
		TEST(test_greetings),
		TEST(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
