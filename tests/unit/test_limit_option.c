// SPDX-License-Identifier: GPL-2.0-or-later
/* --limit: what it takes, and what it refuses. */
#include "parse.h"
#include "result/tw_limit.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

#define LIMIT \
	"allowed is METRIC:US, METRIC:avg:US, METRIC:pPERCENT:US, missed:N, throttled:N or lost:N, as in response:500, total:p99.9:200, missed:0; the number up to 1000000000; METRIC@LIST for the pairs of a list, as response@0,2-4:500"
#define HINT "; what cyclictest calls latency is wakeup here"
#define NO_TIMER \
	"with --interval=0 there is no timer, so there is no such metric"
#define MORE \
	"give more loops, a longer duration, or a lower percentile"

static const struct tw_limit *limits(void)
{
	return set_by("limit");
}

static int count_limits(void)
{
	int count = 0;

	while (count < TW_LIMITS_MAX && limits()[count].text)
		count++;
	return count;
}

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
	accepted("");
	assert_int_equal(count_limits(), 0);
	for (i = 0; i < COUNT(rows); i++) {
		snprintf(line, sizeof(line), "--limit=%s", rows[i].value);
		accepted(line);
		assert_int_equal(count_limits(), 1);
		assert_string_equal(limits()[0].text, rows[i].value);
		assert_int_equal(limits()[0].about, rows[i].about);
		assert_true(limits()[0].percent == rows[i].percent);
		assert_int_equal(limits()[0].average, rows[i].average);
		assert_int_equal(limits()[0].most, rows[i].most);
	}
}

static void test_limits_refused(void **state)
{
	static const char *const bad[] = {
		"", ":", "5", "response", "response:", ":5", "p99:5",
		"response:5us", "response:-1", "response:+1", "response:0x5",
		"response:5.5", "response:1e3", "response:5:", "response:5:6",
		"response:1000000001", "response:99999999999999999999",
		"Response:5", "responses:5", "resp:5",
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
	char line[120], want[500];
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
	(void)state;
	accepted("--limit=send:9 -q --limit missed:3 --limit=send:9");
	assert_int_equal(count_limits(), 3);
	assert_string_equal(limits()[0].text, "send:9");
	assert_string_equal(limits()[1].text, "missed:3");
	assert_string_equal(limits()[2].text, "send:9");
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
	assert_int_equal(count_limits(), TW_LIMITS_MAX);
	assert_string_equal(limits()[TW_LIMITS_MAX - 1].text, "total:5");
	words[i] = "--limit=missed:0";
	assert_string_equal(parse_words(words).error,
			    "--limit=missed:0: allowed are up to 64 limits");
}

/* Limits of what there is without a timer, and of what there is not. */
static void test_closed_loop(void **state)
{
	static const char *const lines[] = {
		"-i0 --limit=interval:5", "-i0 --limit=response:p50:5",
		"-i0 --limit=missed:0", "-i0 --limit=throttled:0",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(lines); i++)
		accepted(lines[i]);
	refused("-i0 --limit=wakeup:5", "--limit=wakeup:5: " NO_TIMER);
	refused("-i0 --limit=send:5 --limit=planned:p50:5",
		"--limit=planned:p50:5: " NO_TIMER);
	accepted("--limit=wakeup:5 --limit=planned:p50:5");
}

/* A user of cyclictest looks for it. */
static void test_latency(void **state)
{
	(void)state;
	refused("--limit=latency:5", "--limit=latency:5: " LIMIT HINT);
}

/* The measured cycles of all steps, as far as they can be known before. */
static void test_percentiles(void **state)
{
	static const struct {
		const char *line;	/* without the limit */
		int64_t expected;
	} rows[] = {
		{ "-l99", 99 },
		{ "-l99 --warmup=50", 99 },
		{ "-l99 -i0", 99 },
		{ "-l33 --load=fft --steps=3", 99 },
		{ "-i100000 -D9", 85 },
		{ "-i100000 -D9 -l99", 85 },
		{ "-i100000 -D10 -l99", 95 },
		{ "-i100000 -D10", 95 },
		{ "-i0 -D10 -l99", 99 },
		{ "-i100000 -D3 --load=fft --steps=3", 84 },
		/* Hardly one expiry, and none. */
		{ "-i1000000 -D2", 1 },
		{ "-i10000000 -D9", 0 },
	};
	char line[120], want[300];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		snprintf(line, sizeof(line), "%s --limit=send:p90:5",
			 rows[i].line);
		snprintf(want, sizeof(want), "--limit=send:p90:5: this percentile needs at least 100 cycles, and only %lld can be counted on%s; " MORE,
			 (long long)rows[i].expected, rows[i].expected == 99 ?
			 "" : ", 95 % of those expected in the duration");
		refused(line, want);
		/* A maximum, or a lower percentile, is no matter. */
		snprintf(line, sizeof(line), "%s --limit=send:5 --limit=missed:0",
			 rows[i].line);
		accepted(line);
		snprintf(line, sizeof(line), "%s --limit=send:p50:5",
			 rows[i].line);
		if (rows[i].expected > 20)
			accepted(line);
	}
}

static void test_percentiles_supported(void **state)
{
	static const char *const lines[] = {
		"-l100", "-l50 --load=fft --steps=2", "-i100000 -D11",
		"-i100000 -D11 -l100", "-i0 -l100",
		/* Nobody knows how many: told at the end. */
		"", "-i0 -D1", "-i0",
	};
	char line[120];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(lines); i++) {
		snprintf(line, sizeof(line), "--limit=send:p90:5 %s",
			 lines[i]);
		if (!*lines[i])
			strcpy(line, "--limit=send:p90:5");
		accepted(line);
	}
	/* Of several, the first that is not. */
	refused("-l500 --limit=send:p90:5 --limit=send:p99:6 --limit=send:p99.9:7",
		"--limit=send:p99:6: this percentile needs at least 1000 cycles, and only 500 can be counted on; " MORE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_limits_refused),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_closed_loop),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_percentiles_supported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
