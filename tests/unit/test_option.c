// SPDX-License-Identifier: GPL-2.0-or-later
/* Every option that takes a number, a name, a file or nothing. */
#include <inttypes.h>
#include <stdlib.h>

#include "report.h"
#include "base/tw_clock.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Parses @with and then one option: as --name=value, or as -l value. */
static struct parsed parse_option(const char *with, const char *name,
				  char letter, const char *value)
{
	char option[300], short_option[] = { '-', letter, '\0' };
	const char *words[] = { with, option, NULL, NULL };

	snprintf(option, sizeof(option), "--%s=%s", name, value);
	if (letter) {
		words[1] = short_option;
		words[2] = value;
	}
	return parse_words(with ? words : words + 1);
}

static void refuses(const char *name, char letter, const char *value,
		    const char *allowed)
{
	const struct parsed parsed = parse_option(NULL, name, letter, value);
	char want[TW_ERROR_MAX];

	snprintf(want, sizeof(want), "--%s=%.100s: %s", name, value, allowed);
	if (!parsed.err)
		fail_msg("--%s=%s was accepted", name, value);
	assert_string_equal(parsed.error, want);
}

static const struct number {
	const char *name;
	char letter;
	int64_t fallback, min, max;
	const char *with;	/* what makes all of min .. max possible */
	bool list;		/* commas part its values */
} numbers[] = {
	{ "breaktrace", 'b', 0, 1, 1000000000, NULL, false },
	{ "histogram", 'h', 0, 1, 1000000, NULL, false },
	{ "histofall", 'H', 0, 1, 1000000, NULL, false },
	{ "interval", 'i', 1000, 0, 1000000000, NULL, true },
	{ "latency", 0, 0, 0, INT32_MAX, NULL, false },
	{ "loops", 'l', 0, 0, INT64_C(1000000000000), NULL, false },
	{ "port", 0, 0, 0, 65535, NULL, false },
	{ "priority", 'p', 0, 3, 99, NULL, false },
	{ "size", 0, 8, 8, 65536, NULL, false },
	{ "sleep", 0, 100, 0, 10000000, "-i1000000000", false },
	{ "spike", 0, 0, 1, 1000000000, NULL, false },
	{ "warmup", 0, 2, 0, 1000000, NULL, false },
};

static void takes_number(const struct number *row, char letter, int64_t number)
{
	struct parsed parsed;
	char value[32];

	snprintf(value, sizeof(value), "%" PRId64, number);
	parsed = parse_option(row->with, row->name, letter, value);
	if (parsed.err)
		fail_msg("--%s=%s: %s", row->name, value, parsed.error);
	assert_int_equal(number_of(row->name), number);
}

static void refuses_number(const struct number *row, char letter,
			   const char *value)
{
	char allowed[140];

	snprintf(allowed, sizeof(allowed), "allowed is a whole number from %"
		 PRId64 " to %" PRId64 "%s", row->min, row->max,
		 strcmp(row->name, "priority") ? "" :
		 ", as server and parent process run one and two below");
	refuses(row->name, letter, value, allowed);
}

static void check_number(const struct number *row, char letter)
{
	static const char *const bad[] = {
		"", "x", "-", "-1", "+50", "0x32", "50x", "50 ", "50.0",
		"5e1", "50,60", "99999999999999999999",
	};
	char value[32];
	size_t i;

	takes_number(row, letter, row->min);
	takes_number(row, letter, row->max);
	for (i = 0; i < COUNT(bad); i++)
		if (!row->list || !strchr(bad[i], ','))
			refuses_number(row, letter, bad[i]);
	snprintf(value, sizeof(value), "%" PRId64, row->max + 1);
	refuses_number(row, letter, value);
	if (row->min)
		refuses_number(row, letter, "0");
	snprintf(value, sizeof(value), "%" PRId64, row->min - 1);
	refuses_number(row, letter, value);
}

static void test_numbers(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(numbers); i++) {
		const struct number *row = &numbers[i];

		accepted("");
		assert_int_equal(number_of(row->name),
				 row->fallback);
		check_number(row, 0);
		if (row->letter)
			check_number(row, row->letter);
	}
}

static void test_leading_zeros_are_decimal(void **state)
{
	(void)state;
	assert_int_equal(accepted("-i 0200").interval_us, 200);
}

/* The text of the histogram that @line asks for. */
static const char *histogram(const char *line)
{
	new_finished_run(line);
	return written(tw_part_histogram.remarks);
}

static void test_histofall(void **state)
{
	static const char *const same[] = {
		"-H 20", "--histofall=20", "-h 5 -H 20", "-H 5 -h 20",
	};
	char *plain = strdup(histogram("-h 20"));
	char *with_sums = strdup(histogram("-H 20"));
	size_t i;

	(void)state;
	assert_non_null(strstr(plain, "# Histogram"));
	assert_string_not_equal(plain, with_sums);
	for (i = 0; i < COUNT(same); i++) {
		assert_string_equal(histogram(same[i]), with_sums);
		assert_int_equal(parse_run.window_us, 20);
	}
	free(plain);
	free(with_sums);
	drop_run();
}

static const struct flag {
	const char *name;
	char letter;
} flags[] = {
	{ "check", 0 },
	{ "default-system", 0 },
	{ "force", 0 },
	{ "mlockall", 'm' },
	{ "nsecs", 'N' },
	{ "quiet", 'q' },
	{ "refresh_on_max", 'M' },
	{ "unbuffered", 'u' },
	{ "verbose", 'v' },
	{ "worst", 0 },
};

static void check_flag(const struct flag *row, const char *word)
{
	const struct parsed parsed = parse(word);
	size_t i;

	assert_int_equal(parsed.err, 0);
	for (i = 0; i < COUNT(flags); i++)
		assert_int_equal(flag_of(flags[i].name),
				 &flags[i] == row);
}

static void test_flags(void **state)
{
	char word[40], want[200];
	size_t i;

	(void)state;
	check_flag(NULL, "");
	for (i = 0; i < COUNT(flags); i++) {
		snprintf(word, sizeof(word), "--%s", flags[i].name);
		check_flag(&flags[i], word);
		snprintf(word, sizeof(word), "--%s=1", flags[i].name);
		snprintf(want, sizeof(want),
			 "%s: takes no value; --help lists the options",
			 word);
		refused(word, want);
		snprintf(word, sizeof(word), "-%c", flags[i].letter);
		if (flags[i].letter)
			check_flag(&flags[i], word);
	}
}

static void test_files(void **state)
{
	static const struct {
		const char *name;
		const char *with;
	} rows[] = {
		{ "dump", NULL },
		{ "histfile", "-h5" },
		{ "json", NULL },
		{ "trltp-log", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		accepted("");
		assert_null(text_of(rows[i].name));
		assert_int_equal(parse_option(rows[i].with, rows[i].name, 0,
					      "a b").err, 0);
		assert_string_equal(text_of(rows[i].name),
				    "a b");
		refuses(rows[i].name, 0, "", "a file name is needed");
	}
	accepted("--json -");
	assert_string_equal(text_of("json"), "-");
}

#define METRICS \
	"allowed is one of interval, send, sleep, receive, response, total, " \
	"wakeup, planned, network"

static void test_names_refused(void **state)
{
	static const struct {
		const char *name;
		char letter;
		const char *allowed;
	} rows[] = {
		{ "clock", 0, "allowed is one of monotonic, realtime, monotonic_raw, tai, boottime, tsc" },
		{ "clock", 'c', "allowed is one of monotonic, realtime, monotonic_raw, tai, boottime, tsc" },
		{ "timer", 0, "allowed is one of nanosleep, posix, timerfd" },
		{ "wait", 0, "allowed is one of poll, select, epoll, read, busy" },
		{ "policy", 0, "allowed is one of other, normal, batch, idle, fifo, rr" },
		{ "total", 0, "allowed is one of documented, trltp3" },
		{ "break-on", 0, METRICS },
		{ "metrics", 0, METRICS },
	};
	static const char *const bad[] = {
		"x", "2", "-1", "Monotonic", "mono", "posixx", "deadline",
		"FIFO", "none", "poll\t",
	};
	size_t i, j;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		for (j = 0; j < COUNT(bad); j++)
			refuses(rows[i].name, rows[i].letter, bad[j],
				rows[i].allowed);
	for (i = 0; i < COUNT(rows) - 1; i++)
		refuses(rows[i].name, rows[i].letter, "", rows[i].allowed);
}

static void test_clocks(void **state)
{
	static const char *const names[] = {
		"monotonic", "realtime", "monotonic_raw", "tai", "boottime",
		"tsc",
	};
	char line[40];
	size_t i;

	(void)state;
	assert_string_equal(accepted("").clock, "monotonic");
	for (i = 0; i < COUNT(names); i++) {
		snprintf(line, sizeof(line), "--clock=%s", names[i]);
		assert_string_equal(accepted(line).clock, names[i]);
	}
	assert_string_equal(accepted("-c 0").clock, "monotonic");
	assert_string_equal(accepted("-c1").clock, "realtime");
}

static void test_timers(void **state)
{
	(void)state;
	assert_string_equal(accepted("").timer->name, "nanosleep");
	assert_string_equal(accepted("-x").timer->name, "posix");
	assert_string_equal(accepted("--posix_timers").timer->name, "posix");
	assert_string_equal(accepted("--timer=posix").timer->name, "posix");
	assert_string_equal(accepted("--timer=nanosleep").timer->name,
			    "nanosleep");
	assert_string_equal(accepted("--timer timerfd").timer->name,
			    "timerfd");
	/* What stands behind counts. */
	assert_string_equal(accepted("-x --timer=nanosleep").timer->name,
			    "nanosleep");
	assert_string_equal(accepted("--timer=timerfd -x").timer->name,
			    "posix");
}

static void test_waits(void **state)
{
	static const char *const names[] = {
		"poll", "select", "epoll", "read", "busy",
	};
	char line[40];
	size_t i;

	(void)state;
	assert_string_equal(accepted("").wait->name, "poll");
	for (i = 0; i < COUNT(names); i++) {
		snprintf(line, sizeof(line), "--wait=%s", names[i]);
		assert_string_equal(accepted(line).wait->name, names[i]);
	}
}

static void test_policies(void **state)
{
	static const struct { const char *line; int policy; } want[] = {
		{ "", SCHED_OTHER },
		{ "--policy=other", SCHED_OTHER },
		{ "--policy=normal", SCHED_OTHER },
		{ "--policy=batch", SCHED_BATCH },
		{ "--policy=idle", SCHED_IDLE },
		{ "--policy=fifo", SCHED_FIFO },
		{ "--policy=rr", SCHED_RR },
		{ "--policy=rr --policy=fifo", SCHED_FIFO },
		{ "--priority=80", SCHED_FIFO },
		{ "--priority=80 --policy=rr", SCHED_RR },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(want); i++)
		assert_int_equal(accepted(want[i].line).policy,
				 want[i].policy);
}

static void test_total(void **state)
{
	(void)state;
	assert_false(accepted("").total);
	assert_true(accepted("--total=trltp3").total);
	assert_false(accepted("--total=trltp3 --total=documented").total);
}

static void test_duration(void **state)
{
	static const struct { const char *value; int64_t seconds; } good[] = {
		{ "0", 0 }, { "1", 1 }, { "007", 7 }, { "90s", 90 },
		{ "2m", 120 }, { "3h", 10800 }, { "1d", 86400 },
		{ "36500d", 36500 * 86400LL }, { "876000h", 3153600000LL },
		{ "3153600000", 3153600000LL },
	};
	static const char *const bad[] = {
		"", "m", "-1", "+1", "1.5", "1h30m", "1w", "1M", "1 m", "1mm",
		"36501d", "876001h", "52560001m", "3153600001",
		"9223372036854775807d", "99999999999999999999",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(good); i++) {
		assert_int_equal(parse_option(NULL, "duration", 0,
					      good[i].value).config.duration_s,
				 good[i].seconds);
		assert_int_equal(parse_option(NULL, "duration", 'D',
					      good[i].value).config.duration_s,
				 good[i].seconds);
	}
	for (i = 0; i < COUNT(bad); i++)
		refuses("duration", i % 2 ? 'D' : 0, bad[i],
			"allowed is a whole number of seconds, or with m, h or d of minutes, hours or days; at most 3153600000 s");
}

/* A long value is cut in the message, and cuts nothing off behind it. */
static void test_long_value(void **state)
{
	char value[251];

	(void)state;
	memset(value, '7', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	refuses("port", 0, value, "allowed is a whole number from 0 to 65535");
	refuses("wait", 0, value,
		"allowed is one of poll, select, epoll, read, busy");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_leading_zeros_are_decimal),
		cmocka_unit_test(test_histofall),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_names_refused),
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_timers),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_total),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_long_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
