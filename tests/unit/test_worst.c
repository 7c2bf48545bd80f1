// SPDX-License-Identifier: GPL-2.0-or-later
/* --worst on a terminal, to the letter. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "report_ramp.h"
#include "result/tw_part_result.h"

#define PLACES	"# Worst cycles, in us; s: since the first cycle; CPUs: of client/server\n"
#define PHASES	"# Their phases; %: each one's share of the excess over the mean\n"

static int terminal;

/* No line may be wrapped. */
static const char *shown(void)
{
	struct tw_flow *flow = &session.run.output.text.flow;
	const char *text, *line;

	if (terminal < 0) {
		print_message("there is no pseudoterminal here\n");
		skip();
	}
	flow->stream = stdout;
	flow->fd = terminal;
	text = written(tw_part_kept.text);
	for (line = text; *line; line += strcspn(line, "\n") + 1)
		assert_in_range(strcspn(line, "\n"), 1, 80);
	return text;
}

static void test_all(void **state)
{
	(void)state;
	new_finished_run("--worst");
	assert_string_equal(shown(),
		PLACES
		"# worst            max     cycle           s         time    CPUs missed\n"
		"# interval        1004         0    0.000000 05:30:00.002     3/2      0\n"
		"# send              12         1    0.000998 05:30:00.003     5/4      2\n"
		"# sleep            116         0    0.000000 05:30:00.002     3/2      0\n"
		"# receive           10         1    0.000998 05:30:00.003     5/4      2\n"
		"# response         135         0    0.000000 05:30:00.002     3/2      0\n"
		"# total             39         0    0.000000 05:30:00.002     3/2      0\n"
		"# wakeup             4         0    0.000000 05:30:00.002     3/2      0\n"
		PHASES
		"# worst        interval   wakeup     send    sleep  receive response    total\n"
		"# (mean)           1001        3       11      111        9      131       34\n"
		"# interval         1004        4       10      116        8      135       39\n"
		"# send              998        2       12      106       10      128       30\n"
		"# sleep            1004        4       10      116        8      135       39\n"
		"# receive           998        2       12      106       10      128       30\n"
		"# response         1004        4       10      116        8      135       39\n"
		"#            %        -        -      -21      143      -21        -        -\n"
		"# total            1004        4       10      116        8      135       39\n"
		"#            %       22        -      -17      111      -17        -        -\n"
		"# wakeup           1004        4       10      116        8      135       39\n");
}

static void test_pairs(void **state)
{
	(void)state;
	new_finished_run("-t2 -d0 --worst --metrics=send,total,sleep");
	pair.tally->worst[TW_SEND].cycle.client_cpu = 127;
	more_pairs[0].tally->series.row[TW_TOTAL].stats.max_ns = 88000;
	assert_string_equal(shown(),
		PLACES
		"# worst            max     cycle           s         time    CPUs missed\n"
		"# send.0            12         1    0.000998 05:30:00.003   127/4      2\n"
		"# total.1           88         0    0.000000 05:30:00.002     3/2      0\n"
		"# sleep.0          116         0    0.000000 05:30:00.002     3/2      0\n"
		PHASES
		"# worst        interval   wakeup     send    sleep  receive response    total\n"
		"# (mean)           1001        3       11      111        9      131       34\n"
		"# send.0            998        2       12      106       10      128       30\n"
		"# (mean)           1001        3       11      111        9      131       34\n"
		"# total.1          1004        4       10      116        8      135       39\n"
		"#            %       22        -      -17      111      -17        -        -\n"
		"# (mean)           1001        3       11      111        9      131       34\n"
		"# sleep.0          1004        4       10      116        8      135       39\n");
}

static void test_ramp(void **state)
{
	(void)state;
	new_ramp("--load=fft --steps=2 -l5 -N --worst --metrics=planned");
	finish_ramp();
	merged.tally->worst[TW_PLANNED].throttled = true;
	assert_string_equal(shown(),
		"# Worst cycles, in ns; s: since the first cycle; CPUs: of client/server\n"
		"# worst            max step     cycle           s         time    CPUs missed\n"
		"# planned       139000    1         0    0.000000 05:30:00.002     3/2      0 t\n"
		"# t: real-time throttling explains the cycle\n"
		PHASES
		"# worst        interval   wakeup     send    sleep  receive response    total\n"
		"# (mean)        1002000     3333    11000   112666     9000   132666    36000\n"
		"# planned       1004000     4000    10500   116000     8500   135000    39000\n"
		"#            %        -       22      -17      111      -17        -        -\n");
}

static void test_closed_loop(void **state)
{
	(void)state;
	new_finished_run("-i0 --worst --metrics=total");
	assert_string_equal(shown(),
		PLACES
		"# worst            max     cycle           s         time    CPUs missed\n"
		"# total             35         0    0.000000 05:30:00.002     3/2      0\n"
		PHASES
		"# worst        interval     send    sleep  receive response    total\n"
		"# (mean)           1001       11      111        9      131       31\n"
		"# total            1004       10      116        8      135       35\n"
		"#            %        0      -21      143      -21        -        -\n");
}

static void test_nothing(void **state)
{
	(void)state;
	new_run("--worst");
	assert_string_equal(shown(), "");
	new_finished_run("--metrics=total");
	assert_string_equal(shown(), "");
}

/* A file or a pipe gets lines, for programs. */
static void test_no_terminal(void **state)
{
	int pty = terminal;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	terminal = ends[1];
	new_finished_run("--worst --metrics=total");
	session.run.output.text.flow.stream = stdout;
	session.run.output.text.flow.fd = terminal;
	assert_memory_equal(written(tw_part_kept.text), "# Worst total: ", 15);
	terminal = pty;
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_ramp),
		cmocka_unit_test(test_closed_loop),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_no_terminal),
	};
	int failed;

	terminal = posix_openpt(O_RDWR | O_NOCTTY);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	drop_ramp();
	return failed;
}
