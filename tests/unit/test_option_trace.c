// SPDX-License-Identifier: GPL-2.0-or-later
/* --trace, --trace-file and --tracemark: what they take, and what not. */
#include "report.h"
#include "cause/tw_part_cause.h"
#include "cause/tw_trace_own.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

#define NO_BREAK	"there is no value to break at; give -b too"

static const char *events_of(const char *line)
{
	accepted(line);
	return *(const char *const *)set_by("trace");
}

static const char *file_of(const char *line)
{
	accepted(line);
	return *(const char *const *)set_by("trace-file");
}

/* The settings as the results tell them. */
static void assert_settings(const char *line, const char *mark,
			    const char *events)
{
	char want[1200];

	new_run(line);
	snprintf(want, sizeof(want), "    \"tracemark\": %s,\n"
		 "    \"trace\": %s%s%s\n", mark, events ? "\"" : "",
		 events ? events : "null", events ? "\"" : "");
	assert_string_equal(written_json(tw_part_trace.json_settings), want);
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
	assert_settings("-b9", "false", NULL);
	assert_settings("-b9 --tracemark", "true", NULL);
	assert_settings("-b9 --trace", "false", TW_TRACE_EVENTS);
	assert_null(events_of("-b9 --trace"));
	for (i = 0; i < COUNT(good); i++) {
		snprintf(line, sizeof(line), "-b9 --trace=%s", good[i]);
		assert_settings(line, "false", good[i]);
		assert_string_equal(events_of(line), good[i]);
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
	assert_int_equal(strlen(events_of(longest)), 1000);
	snprintf(longest, sizeof(longest), "-b9 --trace=%.1001s", events);
	assert_int_equal(parse(longest).err, -EINVAL);
}

static void test_alone(void **state)
{
	static const char *const together[] = {
		"-b5 --tracemark", "-b5 --trace", "--trace=irq -b5",
		"-b5 --trace --tracemark --trace-file=f",
	};
	size_t i;

	(void)state;
	refused("--tracemark", "--tracemark: " NO_BREAK);
	refused("--trace", "--trace: " NO_BREAK);
	refused("--trace=irq", "--trace: " NO_BREAK);
	refused("--trace-file=f",
		"--trace-file: there is no trace; give --trace too");
	refused("-b5 --tracemark --trace-file=f",
		"--trace-file: there is no trace; give --trace too");
	for (i = 0; i < COUNT(together); i++)
		accepted(together[i]);
}

/* The trace has a file of its own, also where nobody has named it. */
static void test_file(void **state)
{
	(void)state;
	assert_string_equal(file_of("-b5 --trace"), "twowaytest-trace.txt");
	assert_string_equal(file_of("-b9 --trace --trace-file=a"), "a");
	assert_null(file_of("-b5"));
	assert_null(file_of("-b9 --tracemark"));
	refused("-b9 --trace --trace-file=",
		"--trace-file=: a file name is needed");
	refused("-b5 --trace --trace-file=-",
		"--trace-file=-: only --json can go to standard output; name a file");
	accepted("-b5 --json=twowaytest-trace.txt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_trace_refused),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_file),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
