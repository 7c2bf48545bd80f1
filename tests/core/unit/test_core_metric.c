// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Metrics of given cycles; of random ones, as formulas written by hand have
 * them; which mean something in which run, and what consists of what.
 */
#include <string.h>

#include "unit.h"
#include "tw_kept.h"
#include "tw_metric.h"
#include "tw_part.h"

#define NONE	TW_NO_VALUE
#define MOST	1000000		/* between two clocks that agree */

static const char no_server[] = "no server";
static const char two_clocks[] = "two clocks";
static const char no_timer[] = "needs a timer, so an --interval above 0";

static struct given {
	const char *name;
	struct tw_metric_params params;		/* period, sleep */
	int64_t of[8];		/* planned t0 t1 t2 t3 t0' t3' cut */
	int64_t expected[TW_METRICS];	/* as in the enum */
} given[] = {
	{ "in time", { 1000, 100 },
	  { 5000, 5010, 5017, 5120, 5125, 4013, 4200, 0 },
	  { 15, 10, 7, 103, 5, 115, 997, 18, 125, 12 } },
	{ "the first", { 1000, 100 },
	  { 5000, 5010, 5017, 5117, 5125, 4010, 0, 0 },
	  { 15, 10, 7, 100, 8, 115, 1000, 15, 125, 15 } },
	{ "after a late reply", { 1000, 100 },
	  { 6000, 25150, 25160, 25265, 25270, 5010, 25130, 0 },
	  { 20, 20, 10, 105, 5, 120, 20140, 19160, 19270, 15 } },
	{ "late by itself, too", { 1000, 100 },
	  { 6000, 9000, 9010, 9110, 9115, 5010, 6300, 0 },
	  { 15, 2700, 10, 100, 5, 115, 3990, 3005, 3115, 15 } },
	{ "reply at the expiry", { 1000, 100 },
	  { 6000, 6001, 6002, 6102, 6103, 5010, 6000, 0 },
	  { 2, 1, 1, 100, 1, 102, 991, 11, 103, 2 } },
	{ "interval too short", { 1000, 0 },
	  { 6000, 6001, 6003, 6004, 6008, 5501, 5600, 0 },
	  { 7, 1, 2, 1, 4, 7, 500, 507, 8, 6 } },
	{ "closed loop", { 0, 100 },
	  { 6002, 6002, 6012, 6113, 6116, 5010, 6000, 0 },
	  { 14, 0, 10, 101, 3, 114, 992, 14, 114, 13 } },
	{ "shorter sleep", { 1000, 100 },
	  { 6000, 6001, 6011, 6101, 6106, 5001, 5200, 0 },
	  { 5, 1, 10, 90, 5, 105, 1000, 25, 106, 15 } },
	{ "cut short: no reply", { 1000, 100 },
	  { 6000, 6010, 0, 0, 9510, 5010, 5200, 9510 },
	  { 3400, 10, NONE, NONE, NONE, 3500, 1000, NONE, 3510, NONE } },
	{ "cut short: no reply yet", { 1000, 100 },
	  { 6000, 9000, 0, 0, 0, 5010, 5200, 9010 },
	  { NONE, 3000, NONE, NONE, NONE, NONE, 3990, NONE, 3010, NONE } },
	{ "cut short: not woken", { 1000, 100 },
	  { 6000, 0, 0, 0, 0, 5010, 6300, 9300 },
	  { NONE, 3000, NONE, NONE, NONE, NONE, 4290, NONE, 3300, NONE } },
};

/* As the client does it: what was planned is known last. */
static struct tw_cycle cycle_of(const int64_t of[8])
{
	struct tw_cycle cycle = {
		.seq = 2, .t0_ns = of[1], .t1_ns = of[2], .t2_ns = of[3],
		.t3_ns = of[4], .prev_t0_ns = of[5], .ready_ns = of[6],
		.cut_ns = of[7],
	};

	tw_cycle_plan(&cycle, of[0]);
	return cycle;
}

TEST_EACH(values, given)
{
	const struct tw_cycle cycle = cycle_of(of->of);
	int id;

	for (id = 0; id < TW_METRICS; id++)
		assert_int_equal(tw_metric_ns(id, &cycle, &of->params),
				 of->expected[id]);
}

enum clocks { ONE, TWO, AGREE, NO_SERVER };

/* Of runs: which metrics lack what. */
static struct of_run {
	const char *name;
	enum clocks clocks;
	int64_t period_ns;
	const char *lacks[TW_METRICS];
} runs[] = {
	{ "one host", ONE, 1000, { NULL } },
	{ "one host, closed loop", ONE, 0,
	  { [TW_WAKEUP] = no_timer, [TW_PLANNED] = no_timer } },
	{ "two hosts", TWO, 1000,
	  { [TW_SEND] = two_clocks, [TW_RECEIVE] = two_clocks } },
	{ "two hosts, closed loop", TWO, 0,
	  { [TW_WAKEUP] = no_timer, [TW_PLANNED] = no_timer,
	    [TW_SEND] = two_clocks, [TW_RECEIVE] = two_clocks } },
	{ "two hosts, one time", AGREE, 1000, { NULL } },
	{ "a device", NO_SERVER, 1000,
	  { [TW_SEND] = no_server, [TW_SLEEP] = no_server,
	    [TW_RECEIVE] = no_server, [TW_TOTAL] = no_server,
	    [TW_NETWORK] = no_server } },
	{ "a device, closed loop", NO_SERVER, 0,
	  { [TW_WAKEUP] = no_timer, [TW_PLANNED] = no_timer,
	    [TW_SEND] = no_server, [TW_SLEEP] = no_server,
	    [TW_RECEIVE] = no_server, [TW_TOTAL] = no_server,
	    [TW_NETWORK] = no_server } },
};

/* Nothing is bounded, either, by the first of these. */
static void say(enum clocks clocks)
{
	tw_metric_two_clocks(NULL, INT64_MAX);
	if (clocks == TWO)
		tw_metric_two_clocks(two_clocks, 0);
	if (clocks == AGREE)
		tw_metric_two_clocks(NULL, MOST);
	if (clocks == NO_SERVER)
		tw_metric_no_server(no_server);
}

AFTER_EACH
{
	say(ONE);
}

TEST_EACH(lacks, runs)
{
	const struct tw_metric_params params = { of->period_ns, 100 };
	enum tw_metric_id id;

	say(of->clocks);
	assert_int_equal(tw_metric_has_server(), of->clocks != NO_SERVER);
	for (id = 0; id < TW_METRICS; id++) {
		const char *lacks = tw_metric_lacks(id, &params);

		assert_true(!lacks == !of->lacks[id]);
		if (lacks)
			assert_string_equal(lacks, of->lacks[id]);
		assert_int_equal(tw_metric_is_phase(id, &params), !lacks &&
			id != TW_LATENCY && id != TW_PLANNED &&
			(id != TW_NETWORK || of->clocks == TWO));
	}
}

/* Modulo 2^64. */
static int64_t sum(int64_t a_ns, int64_t b_ns, int64_t c_ns, int64_t d_ns)
{
	return (int64_t)((uint64_t)a_ns - (uint64_t)b_ns + (uint64_t)c_ns -
			 (uint64_t)d_ns);
}

static int64_t distance(int64_t ns)
{
	return ns < 0 ? -ns : ns;
}

/* Each metric as the manual page has it. */
static void compute(int64_t to[TW_METRICS], const struct of_run *run,
		    const struct tw_cycle *of, int64_t waited_ns,
		    const struct tw_metric_params *params)
{
	int64_t begin_ns = of->planned_ns > waited_ns ? of->planned_ns :
			   waited_ns;
	bool apart = run->clocks == TWO, none = run->clocks == NO_SERVER;
	int64_t send_ns = sum(of->t1_ns, of->t0_ns, 0, 0);
	int64_t receive_ns = sum(of->t3_ns, of->t2_ns, 0, 0);
	int64_t slept_ns = sum(of->t2_ns, of->t1_ns, 0, 0);
	int64_t network_ns = sum(of->t3_ns, of->t0_ns, of->t1_ns, of->t2_ns);

	if (run->clocks == AGREE) {
		send_ns = send_ns > MOST ? MOST : send_ns;
		send_ns = send_ns < -MOST ? -MOST : send_ns;
		receive_ns = receive_ns > MOST ? MOST : receive_ns;
		receive_ns = receive_ns < -MOST ? -MOST : receive_ns;
	}
	to[TW_LATENCY] = of->t3_ns - of->t0_ns - params->sleep_ns;
	to[TW_WAKEUP] = of->t0_ns - begin_ns;
	to[TW_SEND] = apart || none ? 0 : send_ns;
	to[TW_SLEEP] = none ? 0 : slept_ns;
	to[TW_RECEIVE] = apart || none ? 0 : receive_ns;
	to[TW_RESPONSE] = of->t3_ns - of->t0_ns;
	to[TW_INTERVAL] = of->t0_ns - of->prev_t0_ns;
	to[TW_TOTAL] = none ? 0 : network_ns +
		       distance(slept_ns - params->sleep_ns);
	if (params->period_ns && !none)
		to[TW_TOTAL] += distance(to[TW_INTERVAL] - params->period_ns);
	to[TW_PLANNED] = of->t3_ns - of->planned_ns;
	to[TW_NETWORK] = none ? 0 : network_ns;
}

TEST_EACH(random_cycles, runs)
{
	const int64_t most = INT64_C(1) << 32;
	/* Another host's clock shows any time. */
	const int64_t far = of->clocks == ONE ? most : INT64_C(1) << 60;
	int64_t values_ns[TW_SPANS], expected_ns[TW_METRICS];
	uint64_t state = 1;
	int i, id;

	say(of->clocks);
	for (i = 0; i < 2000; i++) {
		const struct tw_metric_params params = {
			of->period_ns ? unit_between(&state, 1, most) : 0,
			unit_between(&state, 0, most)
		};
		struct tw_cycle cycle = {
			.seq = 1, .prev_t0_ns = unit_between(&state, 0, most),
			.ready_ns = unit_between(&state, 0, most),
			.t0_ns = unit_between(&state, 1, most),
			.t1_ns = unit_between(&state, 1, far),
			.t3_ns = unit_between(&state, 1, most),
		};
		int64_t waited_ns = cycle.ready_ns;

		cycle.t2_ns = cycle.t1_ns + unit_between(&state, 0, most);
		tw_cycle_plan(&cycle, unit_between(&state, 0, most));
		tw_metric_values(values_ns, &cycle, &params);
		compute(expected_ns, of, &cycle, waited_ns, &params);
		for (id = 0; id < TW_METRICS; id++) {
			assert_int_equal(values_ns[id], expected_ns[id]);
			assert_int_equal(tw_metric_ns(id, &cycle, &params),
					 expected_ns[id]);
		}
	}
}

/* Runs with --stamps: which stamps there are, and which rows have values. */
static struct stamped {
	const char *name, *which;
	enum clocks clocks;
	const char *times, *rows;	/* in the order of the enums */
} stamped[] = {
	{ "off", "off", ONE, "......", ".........N..R" },
	{ "rx", "rx", TWO, "..x..x", "..x..x...N.xR" },
	{ "all", "all", ONE, "xxxxxx", "xxxxxxxxxNxxR" },
	{ "all of two hosts", "all", TWO, "xxxxxx", "xxxxxxxxxNxxR" },
	{ "rx of a device", "rx", NO_SERVER, ".....x", "..x........xR" },
	{ "all of a device", "all", NO_SERVER, "xx...x", "xxx...x...xxR" },
};

/* Each row as the manual page has it. */
static void compute_rows(int64_t to[TW_SPANS], const struct tw_cycle *of)
{
	const int64_t *at = of->at_ns;
	int64_t csched = at[TW_CLIENT_SCHED], csnd = at[TW_CLIENT_SND];
	int64_t ssched = at[TW_SERVER_SCHED], ssnd = at[TW_SERVER_SND];
	int64_t crx = at[TW_CLIENT_RX], srx = at[TW_SERVER_RX];

	to[TW_CLIENT_APP_OUT] = sum(csched, of->t0_ns, 0, 0);
	to[TW_CLIENT_STACK_OUT] = sum(csnd, csched, 0, 0);
	to[TW_CLIENT_WAKE_IN] = sum(of->t3_ns, crx, 0, 0);
	to[TW_SERVER_APP_OUT] = sum(ssched, of->t2_ns, 0, 0);
	to[TW_SERVER_STACK_OUT] = sum(ssnd, ssched, 0, 0);
	to[TW_SERVER_WAKE_IN] = sum(of->t1_ns, srx, 0, 0);
	to[TW_CLIENT_STACK] = sum(csnd, of->t0_ns, of->t3_ns, crx);
	to[TW_WIRE] = sum(crx, csnd, srx, ssnd);
	to[TW_SERVER_STACK] = sum(of->t1_ns, srx, ssnd, of->t2_ns);
	to[TW_STAMPED_NETWORK] = sum(of->t3_ns, of->t0_ns, of->t1_ns,
				     of->t2_ns);
	to[TW_WIRE_AND_DEVICE] = sum(crx, csnd, 0, 0);
	to[TW_RESPONSE_TO_RX] = sum(crx, of->t0_ns, 0, 0);
	to[TW_STAMPED_RESPONSE] = sum(of->t3_ns, of->t0_ns, 0, 0);
}

/* With a time that is missing, or has not come, no row has a value. */
static void check_rows(const struct stamped *of, const struct tw_cycle *cycle,
		       bool whole)
{
	const struct tw_metric_params params = { 1000, 100 };
	int64_t values_ns[TW_SPANS], expected_ns[TW_SPANS];
	int id;

	compute_rows(expected_ns, cycle);
	tw_metric_known(values_ns, cycle, &params);
	for (id = TW_METRICS; id < TW_SPANS; id++)
		assert_int_equal(values_ns[id], whole &&
				 of->rows[id - TW_METRICS] != '.' ?
				 expected_ns[id] : NONE);
}

TEST_EACH(stamps, stamped)
{
	const struct tw_metric_params params = { 1000, 100 };
	uint64_t state = 1;
	int i, id, time, none = tw_metric_count;

	say(of->clocks);
	tw_metric_stamps = of->which;
	for (id = TW_METRICS; id < TW_SPANS; id++) {
		bool has = of->rows[id - TW_METRICS] != '.';

		assert_int_equal(tw_metric_valid(id, &params), has);
		assert_int_equal(tw_metric_ideal_ns(id, &params),
				 id == TW_WIRE_AND_DEVICE ||
				 id == TW_RESPONSE_TO_RX ||
				 id == TW_STAMPED_RESPONSE ? 100 : 0);
	}
	assert_int_equal(none, TW_METRICS);
	tw_metric_divide();
	assert_int_equal(tw_metric_count, TW_SPANS);
	for (i = 0; i < 200; i++) {
		struct tw_cycle cycle = { .seq = 1 };

		for (time = TW_T0; time < TW_TIMES; time++)
			cycle.at_ns[time] = unit_between(&state, 1, 1 << 30);
		check_rows(of, &cycle, true);
		time = unit_between(&state, TW_CLIENT_SCHED, TW_CLIENT_RX);
		cycle.at_ns[time] = i % 2 ? 0 : TW_NO_VALUE;
		assert_int_equal(tw_metric_is_stamped(time),
				 of->times[time - TW_CLIENT_SCHED] == 'x');
		check_rows(of, &cycle, !tw_metric_is_stamped(time));
	}
	tw_metric_stamps = "off";
	tw_metric_count = TW_METRICS;
}

/* What an ideal system would show, and how long a timer is to take. */
TEST(ideal)
{
	const struct tw_metric_params params = { 1000, 100 };
	const int64_t ideal_ns[TW_METRICS] = {
		[TW_SLEEP] = 100, [TW_RESPONSE] = 100, [TW_INTERVAL] = 1000,
		[TW_PLANNED] = 100,
	};
	enum tw_metric_id id;

	for (id = 0; id < TW_METRICS; id++) {
		assert_int_equal(tw_metric_ideal_ns(id, &params),
				 ideal_ns[id]);
		assert_int_equal(tw_metric_target_ns(id, &params),
				 id == TW_SLEEP || id == TW_INTERVAL ?
				 ideal_ns[id] : 0);
	}
}

/* Far from 0, far from the target, in two parts or in one: the same digits. */
static const struct far {
	const char *name;
	int64_t base_ns;
	int64_t target_ns;
	double rms_ns;
} fars[] = {
	{ "near", 0, 0, 3.5 }, { "target", 1000, 996, 8.276472678623424 },
	{ "longest", 1000000000000, 999999999960, 43.64057744805859 },
};

TEST_EACH(deviation_from_the_mean, fars)
{
	static const int64_t off_ns[] = { 0, 0, 7, 7, 0, 7 };
	struct tw_results all = { .missed = 0 }, part = all;
	struct tw_stats whole = { .count = 0 }, *now = &all.stats[TW_SLEEP];
	int i;

	assert_true(tw_stats_deviation(&whole) == 0);
	assert_true(tw_stats_rms(&whole, of->target_ns) == 0);
	for (i = 0; i < 6; i++) {
		if (i == 2)
			now = &part.stats[TW_SLEEP];
		tw_stats_add(&whole, of->base_ns + off_ns[i], 1. / (i + 1));
		tw_stats_add(now, of->base_ns + off_ns[i],
			     1. / (double)(now->count + 1));
	}
	tw_tally_merge(&all, &part);
	for (now = &whole; now; now = now == &whole ? &all.stats[TW_SLEEP] :
						      NULL) {
		assert_float_equal(tw_stats_deviation(now), 3.8340579025361627,
				   1e-3);
		assert_float_equal(tw_stats_rms(now, of->target_ns),
				   of->rms_ns, 1e-3);
	}
	tw_stats_add(&part.stats[TW_SEND], of->base_ns, 1);
	assert_true(tw_stats_deviation(&part.stats[TW_SEND]) == 0);
}

/* By what a metric is divided; a phase is by nothing. */
static struct divided {
	const char *name;
	enum clocks clocks;
	bool apart, cut;
	enum tw_metric_id parts[TW_METRICS][5];	/* 0: no more */
} divided[] = {
	{ "of one host", ONE, false, false, {
		[TW_LATENCY] = { TW_SEND, TW_SLEEP, TW_RECEIVE },
		[TW_RESPONSE] = { TW_SEND, TW_SLEEP, TW_RECEIVE },
		[TW_INTERVAL] = { TW_WAKEUP },
		[TW_TOTAL] = { TW_SEND, TW_SLEEP, TW_RECEIVE, TW_INTERVAL },
		[TW_PLANNED] = { TW_SEND, TW_SLEEP, TW_RECEIVE, TW_WAKEUP },
		[TW_NETWORK] = { TW_SEND, TW_RECEIVE } } },
	{ "of two hosts", TWO, true, false, {
		[TW_LATENCY] = { TW_SLEEP, TW_NETWORK },
		[TW_RESPONSE] = { TW_SLEEP, TW_NETWORK },
		[TW_INTERVAL] = { TW_WAKEUP },
		[TW_TOTAL] = { TW_SLEEP, TW_NETWORK, TW_INTERVAL },
		[TW_PLANNED] = { TW_SLEEP, TW_NETWORK, TW_WAKEUP } } },
	{ "of a device", NO_SERVER, true, false, {
		[TW_LATENCY] = { TW_RESPONSE },
		[TW_INTERVAL] = { TW_WAKEUP },
		[TW_PLANNED] = { TW_RESPONSE, TW_WAKEUP } } },
	{ "cut short", ONE, false, true, {
		[TW_LATENCY] = { TW_RESPONSE },
		[TW_INTERVAL] = { TW_WAKEUP },
		[TW_PLANNED] = { TW_RESPONSE, TW_WAKEUP } } },
};

TEST_EACH(parts, divided)
{
	enum tw_metric_id id;
	int i;

	say(of->clocks);
	tw_part_worst.begin(NULL);
	for (id = 0; id < TW_METRICS; id++) {
		const enum tw_metric_id *parts =
			tw_kept_parts(id, of->apart, of->cut);

		for (i = 0; of->parts[id][i]; i++)
			assert_int_equal(parts[i], of->parts[id][i]);
		assert_int_equal(parts[i], 0);
	}
}

TEST(names)
{
	char text[400] = "allowed are ";
	enum tw_metric_id id;

	for (id = 0; id < TW_SPANS; id++) {
		/* What has the name of a metric is not to be named. */
		if (id == TW_STAMPED_NETWORK || id == TW_STAMPED_RESPONSE) {
			assert_true(tw_metric_find(tw_metrics[id].name) <
				    TW_METRICS);
			continue;
		}
		assert_int_equal(tw_metric_find(tw_metrics[id].name), id);
		strcat(text, !id ? "" : id == TW_METRICS ?
		       "; with --stamps=all also " : ", ");
		strcat(text, tw_metrics[id].name);
	}
	assert_int_equal(tw_metric_find("none"), TW_SPANS);
	assert_string_equal(text, TW_METRIC_NAMES);
}
