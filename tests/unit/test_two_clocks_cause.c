// SPDX-License-Identifier: GPL-2.0-or-later
/* With two clocks: what a trace can tell of a delay, and the mark in it. */
#include <inttypes.h>
#include <unistd.h>

#include "clocks.h"
#include "trace.h"

static struct tw_metric_params two;

/* @id is late by @late_us, in the middle of its means. */
static struct tw_break late_on_two(enum tw_metric_id id, double late_us)
{
	struct tw_break brk = late_break(id, id == TW_WAKEUP ? 1010 + late_us :
					 id == TW_SEND ? 1030 + late_us :
					 id == TW_SLEEP ? 1135 + late_us :
							  1155 + late_us);

	two = trace_params;
	two.two_clocks = true;
	brk.metric = TW_PLANNED;
	brk.means_ns[TW_NETWORK] = 40000;
	brk.kept.cycle = on_two_clocks(&brk.kept.cycle, 0);
	return brk;
}

static void test_phase(void **state)
{
	static const struct { enum tw_metric_id late, want; } rows[] = {
		{ TW_WAKEUP, TW_WAKEUP }, { TW_SEND, TW_NETWORK },
		{ TW_SLEEP, TW_SLEEP }, { TW_RECEIVE, TW_NETWORK },
	};
	struct tw_break brk;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		brk = late_on_two(rows[i].late, 5000);
		assert_int_equal(tw_analysis_phase(&brk, &two), rows[i].want);
	}
	/* Of each metric, the phases that it is made of. */
	brk = late_on_two(TW_WAKEUP, 5000);
	brk.metric = TW_RESPONSE;
	assert_int_equal(tw_analysis_phase(&brk, &two), TW_NETWORK);
	brk.metric = TW_NETWORK;
	assert_int_equal(tw_analysis_phase(&brk, &two), TW_NETWORK);
	brk = late_on_two(TW_SLEEP, 5000);
	assert_int_equal(tw_analysis_phase(&brk, &two), TW_SLEEP);
	brk.metric = TW_NETWORK;
	assert_int_equal(tw_analysis_phase(&brk, &two), TW_NETWORK);
	brk.metric = TW_TOTAL;
	assert_int_equal(tw_analysis_phase(&brk, &two), TW_SLEEP);
	/* Without a timer there is no wake-up to blame. */
	brk = late_on_two(TW_WAKEUP, 5000);
	brk.metric = TW_INTERVAL;
	two.period_ns = 0;
	assert_int_equal(tw_analysis_phase(&brk, &two), TW_NETWORK);
}

static void analyse_two(const struct tw_break *brk, const char *text)
{
	memset(&analysis, 0x5a, sizeof(analysis));
	tw_analyse(&analysis, text, brk, &two, trace_pids, false,
		   TW_BYPASS_LIMIT);
	assert_identities();
}

/* The client's own start is analysed as ever; the sleep is not in its trace. */
static void test_analysis(void **state)
{
	static const char text[] =
		SWITCH("000900", "3", CLIENT, "S", IDLE)
		WAKING("001001", "3", IDLE, CLIENT, "3")
		SWITCH("001309", "3", IDLE, "R", CLIENT)
		CLIENT_SENDS;
	struct tw_break brk = late_on_two(TW_WAKEUP, 300);

	(void)state;
	analyse_two(&brk, text);
	assert_null(analysis.lacks);
	assert_int_equal(analysis.phase, TW_WAKEUP);
	assert_wakeup(1, 309);
	assert_says("wakeup +300 us: ");
	brk = late_on_two(TW_SEND, 300);
	analyse_two(&brk, text);
	assert_null(analysis.lacks);
	assert_int_equal(analysis.phase, TW_NETWORK);
	assert_int_equal(analysis.side, TW_CLIENT);
	assert_int_equal(analysis.value_ns, 445000);
	assert_int_equal(analysis.whole_ns, 340000);
	assert_string_equal(analysis.part, "from t0 to t3");
	brk = late_on_two(TW_SLEEP, 300);
	analyse_two(&brk, text);
	assert_non_null(analysis.lacks);
	assert_non_null(strstr(analysis.lacks, "client's host only"));
	assert_int_equal(analysis.phase, TW_SLEEP);
	assert_int_equal(analysis.side, TW_SERVER);
}

/* A mark has the server's stamps, and says that they are the server's. */
static void test_mark(void **state)
{
	static const struct tw_clock zero = { .name = "x" };
	struct tw_break brk = late_on_two(TW_SEND, 300);
	const struct tw_cycle cycle = brk.kept.cycle;
	struct tw_tally *tally = calloc(1, tw_tally_size(0));
	struct tw_clock clock = zero;
	char text[600] = "", want[120];
	int fds[2];

	(void)state;
	assert_non_null(tally);
	assert_int_equal(tw_clock_open(&clock, "monotonic"), 0);
	tw_tally_init(tally, &two, 0);
	assert_int_equal(pipe(fds), 0);
	memset(&brk, 0, sizeof(brk));
	brk.metric = TW_NETWORK;
	brk.limit_ns = 1000;
	brk.first = &brk.first_of_all;
	brk.traces[TW_TRACE_USER] = (struct tw_trace_fds) { fds[1], -1 };
	brk.traces[TW_TRACE_OWN] = (struct tw_trace_fds) { -1, -1 };
	assert_true(tw_break_check(&brk, tally, &clock, &cycle));
	assert_int_equal(brk.value_ns, 340000);
	assert_true(read(fds[0], text, sizeof(text) - 1) > 0);
	assert_non_null(strstr(text, ": network 340 us > 1 us: interval "));
	assert_non_null(strstr(text, " wakeup 10 network 340 sleep 105 response 445 total "));
	snprintf(want, sizeof(want), " t2 %" PRId64 " t3 %" PRId64
		 " ns, t1 and t2 of the server's clock\n", cycle.t2_ns,
		 cycle.t3_ns);
	assert_non_null(strstr(text, want));
	assert_null(strstr(text, "send"));
	assert_null(strstr(text, "receive"));
	close(fds[0]);
	close(fds[1]);
	free(tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phase),
		cmocka_unit_test(test_analysis),
		cmocka_unit_test(test_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
