// SPDX-License-Identifier: GPL-2.0-or-later
/* The display of many pairs: a line for each, and at the end all there is. */
#include "terminal.h"
#include "three.h"

/* Below the line of the policy, and the empty one. */
static const char *lines(const char *text)
{
	text = strchr(text, '\n');
	assert_non_null(text);
	text = strchr(text + 1, '\n');
	assert_non_null(text);
	return text + 1;
}

#define SEND(number, pid, pair) \
	"T: " #number " ( " #pid ") P: 0 I:1000 C:      2 Min:     10 Act:   12 Avg:   11 Max:      12 Std:     1.1 send " #pair
#define TOTAL_0 \
	"T: 1 ( 1234) P: 0 I:1000 C:      2 Min:     30 Act:   30 Avg:   34 Max:      39 Std:     6.4 total 0"
#define TOTAL_1 \
	"T: 3 ( 1235) P: 0 I:1000 C:      2 Min:     31 Act:   31 Avg:   45 Max:      59 Std:    19.8 total 1"
#define TOTAL_2 \
	"T: 5 ( 1236) P: 0 I:1000 C:      1 Min:     35 Act:   35 Avg:   35 Max:      35 Std:     0.0 total 2"
#define SEND_2 \
	"T: 4 ( 1236) P: 0 I:1000 C:      1 Min:     12 Act:   12 Avg:   12 Max:      12 Std:     0.0 send 2"

/* The total of each; at the end every column. */
static void test_headlines(void **state)
{
	(void)state;
	set_size(200, 50);
	new_three("-t3 -d0 --metrics=send,total");
	assert_string_equal(lines(written(draw)),
			    TOTAL_0 CLEAR TOTAL_1 CLEAR TOTAL_2 CLEAR);
	assert_string_equal(lines(written(draw_last)),
			    SEND(0, 1234, 0) CLEAR TOTAL_0 CLEAR
			    SEND(2, 1235, 1) CLEAR TOTAL_1 CLEAR
			    SEND_2 CLEAR TOTAL_2 CLEAR);
}

/* Without a total the first metric that the user wants. */
static void test_no_total(void **state)
{
	(void)state;
	set_size(200, 50);
	new_three("-t3 -d0 --metrics=receive,send");
	assert_string_equal(lines(written(draw)),
		"T: 0 ( 1234) P: 0 I:1000 C:      2 Min:      8 Act:   10 Avg:    9 Max:      10 Std:     1.1 receive 0" CLEAR
		"T: 2 ( 1235) P: 0 I:1000 C:      2 Min:     11 Act:   11 Avg:   19 Max:      28 Std:    12.4 receive 1" CLEAR
		"T: 4 ( 1236) P: 0 I:1000 C:      1 Min:     15 Act:   15 Avg:   15 Max:      15 Std:     0.0 receive 2" CLEAR);
}

/* One pair leaves room for all of its metrics. */
static void test_one_pair(void **state)
{
	const char *text;

	(void)state;
	set_size(200, 50);
	new_finished_run("--metrics=send,total");
	text = lines(written(draw));
	assert_non_null(strstr(text, " send" CLEAR));
	assert_non_null(strstr(text, " total" CLEAR));
}

/* As many pairs as there is room for, the first ones; at the end all. */
static void test_low(void **state)
{
	(void)state;
	new_three("-t3 -d0 --metrics=send,total");
	set_size(200, 6);
	assert_string_equal(lines(written(draw)),
			    TOTAL_0 CLEAR TOTAL_1 CLEAR TOTAL_2 CLEAR);
	set_size(200, 5);
	assert_string_equal(lines(written(draw)),
			    TOTAL_0 CLEAR TOTAL_1 CLEAR "\033[J");
	set_size(200, 4);
	assert_string_equal(lines(written(draw)), TOTAL_0 CLEAR "\033[J");
	assert_non_null(strstr(written(draw_last), TOTAL_2 CLEAR));
}

/* A short line has its pair behind the name. */
static void test_narrow(void **state)
{
	(void)state;
	new_three("-t3 -d0 --metrics=send,total");
	set_size(78, 50);
	assert_string_equal(lines(written(draw)),
		"total.0  C:      2 Min:     30 Act:   30 Avg:   34 Max:      39 Std:     6.4" CLEAR
		"total.1  C:      2 Min:     31 Act:   31 Avg:   45 Max:      59 Std:    19.8" CLEAR
		"total.2  C:      1 Min:     35 Act:   35 Avg:   35 Max:      35 Std:     0.0" CLEAR);
	set_size(43, 50);
	tw_live_leave(&live);
	assert_string_equal(lines(written(draw)),
		"total.0  Avg:   34 Max:      39" CLEAR
		"total.1  Avg:   45 Max:      59" CLEAR
		"total.2  Avg:   35 Max:      35" CLEAR);
}

/* Any pair's new maximum is one. */
static void test_refresh_on_max(void **state)
{
	(void)state;
	set_size(200, 50);
	new_three("-t3 -d0 -M --metrics=send,total");
	assert_true(*written(draw));
	assert_false(*written(draw));
	measure_late(2, 1, 6000);
	assert_true(*written(draw));
	measure_late(1, 1, 6000);
	assert_false(*written(draw));
}

#define ON_TERMINAL(test) \
	cmocka_unit_test_setup_teardown(test, open_terminal, close_terminal)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TERMINAL(test_headlines),
		ON_TERMINAL(test_no_total),
		ON_TERMINAL(test_one_pair),
		ON_TERMINAL(test_low),
		ON_TERMINAL(test_narrow),
		ON_TERMINAL(test_refresh_on_max),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
