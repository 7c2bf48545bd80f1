// SPDX-License-Identifier: GPL-2.0-or-later
/* What a client makes of the replies of another host, and of none. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "unit.h"
#include "tw_config.h"
#include "tw_transport.h"
#include "tw_loop.h"
#include "tw_time.h"

#define SEQ	5
#define BIG	(INT64_C(1) << 60)

static struct tw_cycle next;	/* as it comes */
static int result;
static int64_t now_ns;		/* CLOCK_MONOTONIC */
static int64_t asked_ns = TW_NS_PER_S / 2;	/* the sleep */

int __wrap_clock_gettime(clockid_t clockid, struct timespec *now);
int __wrap_clock_gettime(clockid_t clockid, struct timespec *now)
{
	assert_int_equal(clockid, CLOCK_MONOTONIC);
	*now = tw_ns_to_ts(now_ns);
	return 0;
}

static int fake_exchange(const struct tw_loop *loop, struct tw_cycle *cycle)
{
	assert_int_equal(cycle->seq, SEQ);
	cycle->t1_ns = next.t1_ns;
	cycle->t2_ns = next.t2_ns;
	cycle->t3_ns = next.t3_ns;
	return result;
}

static int exchange(struct tw_cycle *cycle, int64_t t3_ns, int err)
{
	const struct tw_loop loop = {
		.period_ns = TW_NS_PER_S, .sleep_ns = asked_ns,
	};
	struct tw_link_ops link = { .exchange = fake_exchange };

	tw_link_far(&link);
	next.t3_ns = t3_ns;
	result = err;
	*cycle = (struct tw_cycle) { .seq = SEQ };
	return link.exchange(&loop, cycle);
}

/* In seconds. A reply ends the silence; two cycles take 3 s. */
TEST(silence)
{
	static const struct {
		int at_s, err, result;
	} rows[] = {
		{ 1, TW_LINK_LOST, TW_LINK_LOST },
		{ 12, TW_LINK_LOST, TW_LINK_LOST },
		{ 12, 0, 0 },
		{ 23, TW_LINK_LOST, TW_LINK_LOST },
		{ 24, -ECANCELED, -ECANCELED },
		{ 24, TW_LINK_LOST, -ETIMEDOUT },
	};
	struct tw_cycle cycle;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		now_ns = rows[i].at_s * TW_NS_PER_S;
		assert_int_equal(exchange(&cycle, 0, rows[i].err),
				 rows[i].result);
	}
}

static struct times {
	const char *name;
	int64_t t1_ns, t2_ns, t3_ns;
	bool possible;
} times[] = {
	{ "a sleep within the response", 10, 90, 100, true },
	{ "no sleep", 10, 10, 100, true },
	{ "of another clock", BIG, BIG + 100, 100, true },
	{ "clocks of other rates", 0, 1002000, 1000000, true },
	{ "backwards", 11, 10, 100, false },
	{ "before 0", -1, 10, 100, false },
	{ "too long", 0, 1002001, 1000000, false },
	{ "late", INT64_MAX / 2 - 1, INT64_MAX / 2 - 1, 100, true },
	{ "too late", INT64_MAX / 2, INT64_MAX / 2, 100, false },
};

TEST_EACH(looked_at, times)
{
	struct tw_cycle cycle;

	next.t1_ns = of->t1_ns;
	next.t2_ns = of->t2_ns;
	assert_int_equal(exchange(&cycle, of->t3_ns, 0),
			 of->possible ? 0 : -EPROTO);
	assert_int_equal(cycle.t1_ns, of->t1_ns);
	assert_int_equal(cycle.t2_ns, of->t2_ns);
}

/* Of a clock that can be set, this is no wrong answer. */
static struct setting {
	const char *name, *clock;
	int64_t t1_ns, t2_ns, t3_ns;
	int result;
} settings[] = {
	{ "not at all", "realtime", 500, 900, 1000, 0 },
	{ "a little", "realtime", 500, 850, 1000, 0 },
	{ "back", "realtime", 500, 849, 1000, TW_LINK_SET },
	{ "far back", "tai", BIG, 0, 1000, TW_LINK_SET },
	{ "forward", "boottime", 0, BIG, 1000, TW_LINK_SET },
	{ "a clock that nobody can set", "monotonic_raw", 500, 849, 1000, 0 },
	{ "nor far", "monotonic_raw", BIG, 0, 1000, -EPROTO },
};

TEST_EACH(set_on_the_far_host, settings)
{
	struct tw_cycle cycle;

	asked_ns = 400;
	tw_settings.clock = tw_clock_find(of->clock);
	next.t1_ns = of->t1_ns;
	next.t2_ns = of->t2_ns;
	assert_int_equal(exchange(&cycle, of->t3_ns, 0), of->result);
}
