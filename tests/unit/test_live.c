// SPDX-License-Identifier: GPL-2.0-or-later
/* The live display, to the letter, on a terminal and without one. */
#include "terminal.h"
#include "clocks.h"

#define BEGINNING	"policy: fifo: loadavg: "
#define LINE \
	"T: 0 ( 1234) P:80 I:1000 C:      2 Min:     30 Act:   30 Avg:   34 Max:      39 Std:     6.4 total"

/* What stands below the policy, and the empty line after it. */
static const char *below(const char *text, const char *end_of_line)
{
	char head[20];

	assert_int_equal(strncmp(text, BEGINNING, strlen(BEGINNING)), 0);
	snprintf(head, sizeof(head), "%s%s", end_of_line, end_of_line);
	text = strstr(text, head);
	assert_non_null(text);
	return text + strlen(head);
}

/* Over what was drawn before, from the second time on. */
static void test_terminal(void **state)
{
	const char *text;
	int i;

	(void)state;
	new_finished_run("-p80 --metrics=total");
	set_size(200, 50);
	for (i = 0; i < 4; i++) {
		if (i == 3)
			tw_live_leave(&live);
		text = written(draw);
		if (i == 1 || i == 2) {
			assert_int_equal(strncmp(text, "\033[3A", 4), 0);
			text += 4;
		}
		assert_string_equal(below(text, CLEAR), LINE CLEAR);
	}
}

/* Nobody looks: only what it comes to, and no control codes. */
static void test_no_terminal(void **state)
{
	int i;

	(void)state;
	tw_live_open(&live, -1);
	new_finished_run("-p80 --metrics=total");
	assert_false(tw_live_is_seen(&live));
	for (i = 0; i < 2; i++) {
		tw_live_leave(&live);
		assert_string_equal(below(written(draw_last), "\n"),
				    LINE "\n");
	}
	tw_live_close(&live);
}

static const char *third_line(const char *text)
{
	text = strchr(text, '\n');
	assert_non_null(text);
	text = strchr(text + 1, '\n');
	assert_non_null(text);
	return text + 1;
}

/* A line needs one column more than it has characters. */
static void test_narrow(void **state)
{
	static const struct {
		int columns;
		const char *want;
	} rows[] = {
		{ (int)sizeof(LINE), LINE },
		{ (int)sizeof(LINE) - 1,
		  "total    C:      2 Min:     30 Act:   30 Avg:   34 Max:      39 Std:     6.4" },
		{ 77, "total    C:      2 Min:     30 Act:   30 Avg:   34 Max:      39 Std:     6.4" },
		{ 76, "total    C:      2 Min:     30 Act:   30 Avg:   34 Max:      39" },
		{ 63, "total    C:      2 Min:     30 Avg:   34 Max:      39" },
		{ 53, "total    Min:     30 Avg:   34 Max:      39" },
		{ 43, "total    Avg:   34 Max:      39" },
		{ 31, "total    Max:      39" },
		{ 22, "total    Max:      39" },
		{ 10, "total    " },
		{ 1, "" },
		{ 0, "total    C:      2 Min:     30 Act:   30 Avg:   34 Max:      39 Std:     6.4" },
	};
	char want[200];
	size_t i;

	(void)state;
	new_finished_run("-p80 --metrics=total");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		set_size(rows[i].columns, 50);
		snprintf(want, sizeof(want), "%s" CLEAR, rows[i].want);
		tw_live_leave(&live);
		assert_string_equal(third_line(written(draw)), want);
	}
}

/* A dash where there is no valid value, as wide as a value. */
static void test_void(void **state)
{
	(void)state;
	use_clocks(2);
	new_finished_run("-p80 --oneway=bound --metrics=network,send");
	set_size(200, 50);
	contains(third_line(written(draw)),
		 "C:      0 Min:      - Act:    - Avg:    - Max:       - Std:       - send" CLEAR);
	set_size(80, 50);
	tw_live_leave(&live);
	assert_string_equal(third_line(written(draw)),
		"network  C:      2 Min:     19 Act:   22 Avg:   20 Max:      22 Std:     2.1" CLEAR
		"send     C:      0 Min:      - Act:    - Avg:    - Max:       - Std:       -" CLEAR);
	use_clocks(1);
}

/* What one metric needs, all others go without as well. */
static void test_narrow_alike(void **state)
{
	(void)state;
	new_finished_run("-N --metrics=send,interval");
	set_size(80, 50);
	assert_string_equal(third_line(written(draw)),
		"send     C:      2 Min:  10500 Act:   12000 Avg:   11250 Max:   12000" CLEAR
		"interval C:      2 Min: 998000 Act:  998000 Avg: 1001000 Max: 1004000" CLEAR);
}

static int lines_of(const char *text)
{
	int count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* As many lines as there is room for, and in the end all. */
static void test_low(void **state)
{
	const char *text;

	(void)state;
	new_finished_run("--metrics=send,interval,total");
	set_size(120, 6);
	assert_int_equal(lines_of(written(draw)), 5);
	set_size(120, 5);
	text = written(draw);
	assert_int_equal(strncmp(text, "\033[5A", 4), 0);
	assert_int_equal(lines_of(text), 4);
	assert_string_equal(text + strlen(text) - 3, "\033[J");
	set_size(120, 1);
	assert_int_equal(lines_of(written(draw)), 2);
	text = written(draw_last);
	assert_int_equal(strncmp(text, "\033[2A", 4), 0);
	assert_int_equal(lines_of(text), 5);
	assert_null(strstr(text, "\033[J"));
}

static void test_refresh_on_max(void **state)
{
	struct tw_cycle cycle = run_cycles[1];

	(void)state;
	new_run("-M --metrics=total");
	assert_true(*written(draw));
	assert_false(*written(draw));
	tw_tally_add(pair.tally, &cycle);
	assert_true(*written(draw));
	tw_tally_add(pair.tally, &cycle);
	assert_false(*written(draw));
	assert_true(*written(draw_last));
	/* Not what is shown: interval is not asked for. */
	cycle.prev_t0_ns -= 4000;
	cycle.t3_ns -= 10000;
	tw_tally_add(pair.tally, &cycle);
	assert_false(*written(draw));
	cycle.t3_ns += 20000;
	tw_tally_add(pair.tally, &cycle);
	assert_true(*written(draw));
}

#define ON_TERMINAL(test) \
	cmocka_unit_test_setup_teardown(test, open_terminal, close_terminal)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TERMINAL(test_terminal),
		ON_TERMINAL(test_narrow),
		ON_TERMINAL(test_void),
		ON_TERMINAL(test_narrow_alike),
		ON_TERMINAL(test_low),
		ON_TERMINAL(test_refresh_on_max),
		cmocka_unit_test(test_no_terminal),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
