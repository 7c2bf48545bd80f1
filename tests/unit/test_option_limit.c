// SPDX-License-Identifier: GPL-2.0-or-later
/* --limit, --break-on, --trace: what they take, and what they refuse. */
#include "parse.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

#define LIMIT \
	"allowed is METRIC:US, METRIC:avg:US, METRIC:pPERCENT:US, missed:N or throttled:N, as in response:500, total:p99.9:200, missed:0; the number up to 1000000000"

static void test_limits(void **state)
{
	static const struct {
		const char *value;
		int about;
		double percent;
		int64_t most;
		bool average;
	} rows[] = {
		{ "response:500", TW_RESPONSE, 0, 500000, false },
		{ "response:avg:450", TW_RESPONSE, 0, 450000, true },
		{ "total:p99.9:200", TW_TOTAL, 99.9, 200000, false },
		{ "missed:0", TW_METRICS, 0, 0, false },
		{ "missed:1000000000", TW_METRICS, 0, 1000000000, false },
		{ "throttled:7", TW_LIMIT_THROTTLED, 0, 7, false },
		{ "interval:0", TW_INTERVAL, 0, 0, false },
		{ "send:1000000000", TW_SEND, 0, INT64_C(1000000000000), false },
		{ "sleep:007", TW_SLEEP, 0, 7000, false },
		{ "receive:p0.001:1", TW_RECEIVE, 0.001, 1000, false },
		{ "wakeup:p50:1", TW_WAKEUP, 50, 1000, false },
		{ "planned:p99.999:30", TW_PLANNED, 99.999, 30000, false },
		{ "planned:p.5:30", TW_PLANNED, 0.5, 30000, false },
	};
	char line[60];
	size_t i;

	(void)state;
	assert_int_equal(accepted("").limit_count, 0);
	for (i = 0; i < COUNT(rows); i++) {
		struct tw_config config;

		snprintf(line, sizeof(line), "--limit=%s", rows[i].value);
		config = accepted(line);
		assert_int_equal(config.limit_count, 1);
		assert_string_equal(config.limits[0].text, rows[i].value);
		assert_int_equal(config.limits[0].about, rows[i].about);
		assert_true(config.limits[0].percent == rows[i].percent);
		assert_int_equal(config.limits[0].average, rows[i].average);
		assert_int_equal(config.limits[0].most, rows[i].most);
	}
}

static void test_limits_refused(void **state)
{
	static const char *const bad[] = {
		"", ":", "5", "response", "response:", ":5", "p99:5",
		"response:5us", "response:-1", "response:+1", "response:0x5",
		"response:5.5", "response:1e3", "response:5:", "response:5:6",
		"response:1000000001", "response:99999999999999999999",
		"Response:5", "responses:5", "resp:5", "latency:5",
		"response:avg", "response:avg:", "response:avg:x",
		"response:avg:-1", "response:avg99:5", "response:avg:p99:5",
		"response:mean:5", "missed:avg:5",
		"response:p", "response:p99", "response:p99:", "response:p:5",
		"response:p0:5", "response:p0.0:5", "response:p100:5",
		"response:p100.1:5", "response:p-1:5", "response:p+50:5",
		"response:p99.9.9:5", "response:p.:5", "response:p9,9:5",
		"response:p1e1:5", "response:pnan:5", "response:pinf:5",
		"response:p0x1:5", "response:p99:5us", "response:p99:-5",
		"response:99:5", "response:P99:5", "response:p99:p99:5",
		"missed", "missed:", "missed:x", "missed:-1", "missed:1.5",
		"missed:p99:5", "throttled:p99:5", "throttled:avg:5",
		"throttled:", "throttle:5", "miss:5", "missed:1000000001", "missed:0:0", "Missed:0",
		"response:500,total:600", "response=500",
		"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz:5",
	};
	char line[120], want[400];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		snprintf(line, sizeof(line), "--limit=%s", bad[i]);
		snprintf(want, sizeof(want), "%s: " LIMIT, line);
		refused(line, want);
	}
	refused("--limit=response: 5", "--limit=response:: " LIMIT);
	refused("--limit", "--limit: a value is needed: LIMIT");
}

/* In the order in which they are given, and the same twice if need be. */
static void test_several(void **state)
{
	const struct tw_config config =
		accepted("--limit=send:9 -q --limit missed:3 --limit=send:9");

	(void)state;
	assert_int_equal(config.limit_count, 3);
	assert_string_equal(config.limits[0].text, "send:9");
	assert_string_equal(config.limits[1].text, "missed:3");
	assert_string_equal(config.limits[2].text, "send:9");
}

static void test_too_many(void **state)
{
	const char *words[TW_LIMITS_MAX + 2] = { NULL };
	struct parsed parsed;
	int i;

	(void)state;
	for (i = 0; i < TW_LIMITS_MAX; i++)
		words[i] = "--limit=total:5";
	parsed = parse_words(words);
	assert_string_equal(parsed.error, "");
	assert_int_equal(parsed.config.limit_count, TW_LIMITS_MAX);
	assert_string_equal(parsed.config.limits[TW_LIMITS_MAX - 1].text,
			    "total:5");
	words[i] = "--limit=missed:0";
	assert_string_equal(parse_words(words).error,
			    "--limit=missed:0: allowed are up to 64 limits");
}

static void test_break_on(void **state)
{
	char line[60];
	int id;

	(void)state;
	assert_int_equal(accepted("-b9").break_on, TW_RESPONSE);
	assert_false(accepted("-b9").break_on_given);
	for (id = 0; id < TW_METRICS; id++) {
		snprintf(line, sizeof(line), "-b9 --break-on=%s",
			 tw_metrics[id].token);
		assert_int_equal(accepted(line).break_on, id);
		assert_true(accepted(line).break_on_given);
	}
	/* That it is asked for is no reason to report it. */
	assert_int_equal(accepted("-b9 --break-on=send --metrics=total")
			 .metric_count, 1);
}

static void test_trace(void **state)
{
	static const char *const good[] = {
		"irq", "sched_switch", "sched:sched_switch", "irq,sched:*",
		"sched:sched_*,net,irq:irq_handler_e????", "irq_vectors,a-b",
		"+timer", "+net,sched:sched_wakeup",
	};
	char line[80];
	size_t i;

	(void)state;
	assert_false(accepted("-b9").trace);
	assert_true(accepted("-b9 --trace").trace);
	assert_null(accepted("-b9 --trace").trace_events);
	for (i = 0; i < COUNT(good); i++) {
		snprintf(line, sizeof(line), "-b9 --trace=%s", good[i]);
		assert_true(accepted(line).trace);
		assert_string_equal(accepted(line).trace_events, good[i]);
	}
}

/* They go into a file of the kernel's: nothing but names. */
static void test_trace_refused(void **state)
{
	static const char *const bad[] = {
		"", "a;b", "a/b", "../events", "a\tb", "a\"b", "!irq", "a=1",
		"+", "++irq", "irq+net", "a\\b", "\xc3\xa4", "$PATH", "a|b", "irq>0",
	};
	char line[80], want[256], events[1001], longest[1016];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		snprintf(line, sizeof(line), "--trace=%s", bad[i]);
		snprintf(want, sizeof(want), "%s: allowed is a list of systems (irq), events (sched_switch) or system:event, separated by commas, with + before it for those beside the usual ones",
			 line);
		refused(line, want);
	}
	/* It need not be endless. */
	memset(events, 'e', sizeof(events));
	snprintf(longest, sizeof(longest), "-b9 --trace=%.1000s", events);
	assert_int_equal(strlen(accepted(longest).trace_events), 1000);
	snprintf(longest, sizeof(longest), "-b9 --trace=%.1001s", events);
	assert_int_equal(parse(longest).err, -EINVAL);
}

static void test_trace_file(void **state)
{
	(void)state;
	assert_string_equal(accepted("-b9 --trace --trace-file=a").trace_file,
			    "a");
	assert_null(accepted("-b9 --tracemark").trace_file);
	refused("-b9 --trace --trace-file=",
		"--trace-file=: a file name is needed");
}

static void test_spike(void **state)
{
	static const char *const bad[] = {
		"", ":", ":5", "send", "send:", "send:0", "send:-5",
		"send:1000000001", "send:5:6", "Send:5", "sen:5", "missed:5",
		"5:send", "0", "1000000001",
	};
	char line[60];
	size_t i;
	int id;

	(void)state;
	assert_int_equal(accepted("--spike=9").spike_on, TW_RESPONSE);
	for (id = 0; id < TW_METRICS; id++) {
		snprintf(line, sizeof(line), "--spike=%s:%d",
			 tw_metrics[id].token, id + 1);
		assert_int_equal(accepted(line).spike_on, id);
		assert_int_equal(accepted(line).spike_us, id + 1);
	}
	/* What stands behind counts, as a whole. */
	assert_int_equal(accepted("--spike=send:9 --spike=7").spike_on,
			 TW_RESPONSE);
	for (i = 0; i < COUNT(bad); i++) {
		const char *const words[] = { line, NULL };

		snprintf(line, sizeof(line), "--spike=%s", bad[i]);
		assert_int_equal(parse_words(words).err, -EINVAL);
	}
	refused("--spike=sen:5", "--spike=sen: allowed is one of interval, send, sleep, receive, response, total, wakeup, planned");
	refused("--spike=send:0", "--spike=0: allowed is a whole number from 1 to 1000000000");
}

static void test_spike_nodes(void **state)
{
	static const char *const bad[] = { "0", "-1", "x", "", "10000001" };
	char line[60], want[120];
	size_t i;

	(void)state;
	assert_int_equal(accepted("--spike=9 --spike-nodes=1").spike_nodes, 1);
	assert_int_equal(accepted("--spike-nodes=77 --spike=9").spike_nodes,
			 77);
	for (i = 0; i < COUNT(bad); i++) {
		snprintf(line, sizeof(line), "--spike-nodes=%s", bad[i]);
		snprintf(want, sizeof(want), "%s: allowed is a whole number from 1 to 10000000",
			 line);
		refused(line, want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_limits_refused),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_break_on),
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_trace_refused),
		cmocka_unit_test(test_trace_file),
		cmocka_unit_test(test_spike),
		cmocka_unit_test(test_spike_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
