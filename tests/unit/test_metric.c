// SPDX-License-Identifier: GPL-2.0-or-later
/* The metrics: definitions, targets and histogram bases. */
#include <errno.h>
#include <string.h>

#include "measure/tw_metric.h"
#include "unit.h"

static const struct tw_metric_params usual = {
	.period_ns = 1000000, .sleep_ns = 100000,
};

static const struct tw_metric_params closed = { .sleep_ns = 100000 };

static int64_t value(enum tw_metric_id id, const struct tw_cycle *cycle,
		     const struct tw_metric_params *params)
{
	return tw_metrics[id].value_ns(cycle, params);
}

static void test_table(void **state)
{
	static const struct { const char *token, *label; } want[] = {
		{ "interval", "POSIX Timer Interval Time" },
		{ "send", "Send Time" },
		{ "sleep", "nanosleep Time" },
		{ "receive", "Receive Time" },
		{ "response", "Response Time" },
		{ "total", "Total Jitter" },
		{ "wakeup", "Wakeup Time" },
		{ "planned", "Planned Response Time" },
		{ "network", "Network Time" },
	};
	int id;

	(void)state;
	assert_int_equal(sizeof(want) / sizeof(want[0]), TW_METRICS);
	for (id = 0; id < TW_METRICS; id++) {
		const struct tw_metric *metric = &tw_metrics[id];

		assert_string_equal(metric->token, want[id].token);
		assert_string_equal(metric->label, want[id].label);
		assert_true(strlen(metric->meaning) > 0);
		assert_null(strchr(metric->meaning, '\n'));
		assert_int_equal(metric->needs_timer,
				 id == TW_WAKEUP || id == TW_PLANNED);
		assert_int_equal(metric->across,
				 id == TW_SEND || id == TW_RECEIVE);
	}
}

static void check_list(const struct tw_metric_list *list, const char *want)
{
	char names[100] = "";
	int i;

	for (i = 0; i < list->count; i++) {
		strcat(names, i ? " " : "");
		strcat(names, tw_metrics[list->id[i]].token);
	}
	assert_string_equal(names, want);
}

/* As a cycle passes, then what sums it up. */
static void test_phases(void **state)
{
	(void)state;
	check_list(&tw_phases[0],
		   "interval wakeup send sleep receive response total");
	check_list(&tw_phases[1],
		   "interval wakeup network sleep response total");
	check_list(&tw_default_metrics[0],
		   "interval send sleep receive response total wakeup");
	check_list(&tw_default_metrics[1],
		   "interval network sleep response total wakeup");
}

static void test_parts(void **state)
{
	static const char *const want[TW_METRICS][TW_CLOCKINGS] = {
		[TW_RESPONSE] = { "send sleep receive", "network sleep" },
		[TW_TOTAL] = { "send sleep receive interval",
			       "network sleep interval" },
		[TW_PLANNED] = { "wakeup send sleep receive",
				 "wakeup network sleep" },
		[TW_NETWORK] = { "send receive", "" },
	};
	struct tw_metric_params params = usual;
	int id;

	(void)state;
	for (id = 0; id < TW_METRICS; id++) {
		params.two_clocks = false;
		check_list(tw_metric_parts(id, &params),
			   want[id][0] ? want[id][0] : "");
		assert_true(tw_metric_parts(id, &params)->count <= TW_PARTS);
		params.two_clocks = true;
		check_list(tw_metric_parts(id, &params),
			   want[id][1] ? want[id][1] : "");
	}
}

/* Nothing that is defined is made of what is not. */
static void test_lacks(void **state)
{
	struct tw_metric_params params;
	int id, i, set_up;

	(void)state;
	for (set_up = 0; set_up < 4; set_up++) {
		params = set_up & 1 ? closed : usual;
		params.two_clocks = set_up & 2;
		for (id = 0; id < TW_METRICS; id++) {
			const struct tw_metric_list *parts =
				tw_metric_parts(id, &params);
			bool timer = id == TW_WAKEUP || id == TW_PLANNED;
			bool across = id == TW_SEND || id == TW_RECEIVE;
			const char *lacks = tw_metric_lacks(id, &params);

			assert_int_equal(!!lacks, (timer && set_up & 1) ||
					 (across && set_up & 2));
			if (lacks)
				assert_non_null(strstr(lacks, timer ?
						       "no timer" : "clocks"));
			for (i = 0; !lacks && i < parts->count; i++)
				assert_null(tw_metric_lacks(parts->id[i],
							    &params));
		}
	}
}

/* Worked out by hand. */
static const struct tw_cycle late = {
	.prev_t0_ns = 4001000,
	.planned_ns = 5000000,
	.t0_ns = 5003000,
	.t1_ns = 5020000,
	.t2_ns = 5121500,
	.t3_ns = 5140000,
};

/* The timer early, the sleep short: both must add to the jitter. */
static const struct tw_cycle early = {
	.prev_t0_ns = 4001000,
	.planned_ns = 4997000,
	.t0_ns = 4998000,
	.t1_ns = 5000000,
	.t2_ns = 5099000,
	.t3_ns = 5102000,
};

static void test_by_hand(void **state)
{
	(void)state;
	assert_int_equal(value(TW_INTERVAL, &late, &usual), 1002000);
	assert_int_equal(value(TW_SEND, &late, &usual), 17000);
	assert_int_equal(value(TW_SLEEP, &late, &usual), 101500);
	assert_int_equal(value(TW_RECEIVE, &late, &usual), 18500);
	assert_int_equal(value(TW_RESPONSE, &late, &usual), 137000);
	assert_int_equal(value(TW_WAKEUP, &late, &usual), 3000);
	assert_int_equal(value(TW_PLANNED, &late, &usual), 140000);
	assert_int_equal(value(TW_NETWORK, &late, &usual), 35500);
	/* 17000 + 18500 + 1500 + 2000 */
	assert_int_equal(value(TW_TOTAL, &late, &usual), 39000);
	/* 2000 + 3000 + 1000 + 3000 */
	assert_int_equal(value(TW_TOTAL, &early, &usual), 9000);
}

static void test_trltp3_by_hand(void **state)
{
	struct tw_metric_params params = usual;

	(void)state;
	params.total_trltp3 = true;
	/* 35500 + 1500 + |1019000 - 1000000| */
	assert_int_equal(value(TW_TOTAL, &late, &params), 56000);
	/* 5000 + 1000 + |999000 - 1000000| */
	assert_int_equal(value(TW_TOTAL, &early, &params), 7000);
	/* 2000 Hz, so "2000 us" */
	params.period_ns = 500000;
	assert_int_equal(value(TW_TOTAL, &late, &params),
			 37000 + 2000000 - 1019000);
	/* 3333.333 Hz */
	params.period_ns = 300000;
	assert_int_equal(value(TW_TOTAL, &late, &params),
			 37000 + 3333333 - 1019000);
}

static void test_closed_loop(void **state)
{
	struct tw_metric_params params = closed;

	(void)state;
	assert_int_equal(value(TW_INTERVAL, &late, &params), 1002000);
	assert_int_equal(value(TW_TOTAL, &late, &params), 37000);
	params.total_trltp3 = true;
	assert_int_equal(value(TW_TOTAL, &late, &params), 37000);
}

static int64_t magnitude(int64_t x)
{
	return x < 0 ? -x : x;
}

static int64_t plain_total(const struct tw_cycle *c,
			   const struct tw_metric_params *params)
{
	int64_t total = (c->t1_ns - c->t0_ns) + (c->t3_ns - c->t2_ns);

	total += magnitude(c->t2_ns - c->t1_ns - params->sleep_ns);
	if (!params->period_ns)
		return total;
	if (!params->total_trltp3)
		return total + magnitude(c->t0_ns - c->prev_t0_ns -
					 params->period_ns);
	return total + magnitude(c->t1_ns - c->prev_t0_ns -
				 1000000000000 / params->period_ns);
}

static void check_against_plain(const struct tw_cycle *c,
				const struct tw_metric_params *params)
{
	const int64_t want[TW_METRICS] = {
		[TW_INTERVAL] = c->t0_ns - c->prev_t0_ns,
		[TW_SEND] = c->t1_ns - c->t0_ns,
		[TW_SLEEP] = c->t2_ns - c->t1_ns,
		[TW_RECEIVE] = c->t3_ns - c->t2_ns,
		[TW_RESPONSE] = c->t3_ns - c->t0_ns,
		[TW_TOTAL] = plain_total(c, params),
		[TW_WAKEUP] = c->t0_ns - c->planned_ns,
		[TW_PLANNED] = c->t3_ns - c->planned_ns,
		[TW_NETWORK] = (c->t3_ns - c->t0_ns) - (c->t2_ns - c->t1_ns),
	};
	int id;

	for (id = 0; id < TW_METRICS; id++)
		assert_int_equal(value(id, c, params), want[id]);
}

/* In no order at all, as after a clock was set. */
static void test_random_cycles(void **state)
{
	const int64_t far = INT64_C(2000000000000000000);
	uint64_t seed = 1;
	int i;

	(void)state;
	for (i = 0; i < 100000; i++) {
		const struct tw_metric_params params = {
			.period_ns = i % 3 ? unit_between(&seed, 1,
							  1000000000) : 0,
			.sleep_ns = unit_between(&seed, 0, 1000000),
			.total_trltp3 = i & 1,
		};
		int64_t reach = i % 5 ? 10000000 : far;
		const struct tw_cycle cycle = {
			.prev_t0_ns = unit_between(&seed, 0, reach),
			.planned_ns = unit_between(&seed, 0, reach),
			.t0_ns = unit_between(&seed, 0, reach),
			.t1_ns = unit_between(&seed, 0, reach),
			.t2_ns = unit_between(&seed, 0, reach),
			.t3_ns = unit_between(&seed, 0, reach),
		};

		check_against_plain(&cycle, &params);
	}
}

/* What a broken peer may send must wrap; the sanitizer watches, too. */
static void test_absurd_times(void **state)
{
	const struct tw_cycle cycle = {
		.t0_ns = 5, .t1_ns = INT64_MIN, .t2_ns = INT64_MAX,
		.t3_ns = 7, .prev_t0_ns = 3, .planned_ns = 4,
	};

	(void)state;
	assert_int_equal(value(TW_SEND, &cycle, &usual), INT64_MAX - 4);
	assert_int_equal(value(TW_SLEEP, &cycle, &usual), -1);
	assert_int_equal(value(TW_RESPONSE, &cycle, &usual), 2);
	assert_int_equal(value(TW_NETWORK, &cycle, &usual), 3);
	/* 2 + 1 + |-1 - 100000| + |2 - 1000000| */
	assert_int_equal(value(TW_TOTAL, &cycle, &usual), 1100002);
}

static void test_targets(void **state)
{
	int64_t target_ns;
	int id;

	(void)state;
	for (id = 0; id < TW_METRICS; id++) {
		const struct tw_metric *metric = &tw_metrics[id];

		if (id != TW_INTERVAL && id != TW_SLEEP) {
			assert_true(!metric->target ||
				    !metric->target(&usual, &target_ns));
			continue;
		}
		assert_true(metric->target(&usual, &target_ns));
		assert_int_equal(target_ns,
				 id == TW_SLEEP ? 100000 : 1000000);
	}
	assert_false(tw_metrics[TW_INTERVAL].target(&closed, &target_ns));
	assert_true(tw_metrics[TW_SLEEP].target(&closed, &target_ns));
	assert_int_equal(target_ns, 100000);
}

static int64_t base(enum tw_metric_id id,
		    const struct tw_metric_params *params, int64_t width_us)
{
	const struct tw_metric *metric = &tw_metrics[id];

	return metric->base_us ? metric->base_us(params, width_us) : 0;
}

static void test_bases(void **state)
{
	int id;

	(void)state;
	for (id = 0; id < TW_METRICS; id++) {
		bool slept = id == TW_SLEEP || id == TW_RESPONSE ||
			     id == TW_PLANNED;

		if (id != TW_INTERVAL)
			assert_int_equal(base(id, &usual, 400),
					 slept ? 100 : 0);
	}
	assert_int_equal(base(TW_INTERVAL, &usual, 400), 800);
	assert_int_equal(base(TW_INTERVAL, &usual, 401), 800);
	assert_int_equal(base(TW_INTERVAL, &usual, 2000), 0);
	assert_int_equal(base(TW_INTERVAL, &usual, 3500), 0);
	assert_int_equal(base(TW_INTERVAL, &closed, 400), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_lacks),
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_trltp3_by_hand),
		cmocka_unit_test(test_closed_loop),
		cmocka_unit_test(test_random_cycles),
		cmocka_unit_test(test_absurd_times),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_bases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
