// SPDX-License-Identifier: GPL-2.0-or-later
/* The names of scheduling policies. */
#include <string.h>

#include "tw_policy.h"
#include "unit.h"

static const struct policy {
	const char *name;
	int policy;
	bool simple, realtime;
} policies[] = {
	{ "other", SCHED_OTHER, true, false },
	{ "batch", SCHED_BATCH, true, false },
	{ "idle", SCHED_IDLE, true, false },
	{ "fifo", SCHED_FIFO, true, true },
	{ "rr", SCHED_RR, true, true },
	{ "deadline", SCHED_DEADLINE, false, false },
};

static bool is_among(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names;
}

TEST_EACH(both_ways, policies)
{
	assert_true(is_among(tw_policy_names, of->name));
	assert_int_equal(is_among(TW_POLICY_SIMPLE, of->name), of->simple);
	assert_int_equal(tw_policy_find(of->name), of->policy);
	assert_string_equal(tw_policy_name(of->policy), of->name);
	assert_int_equal(tw_policy_is_realtime(of->policy), of->realtime);
}

/* Another word, which no result has. */
TEST(normal)
{
	assert_true(is_among(TW_POLICY_SIMPLE, "normal"));
	assert_int_equal(tw_policy_find("normal"), SCHED_OTHER);
}

TEST(unknown)
{
	assert_string_equal(tw_policy_name(-1), "unknown");
	assert_string_equal(tw_policy_name(4), "unknown");
}
