// SPDX-License-Identifier: GPL-2.0-or-later
/* --oneway and --sync-limit, as users see them. */
#include <sys/timex.h>

#include "report.h"
#include "cause/tw_break.h"
#include "cause/tw_part_cause.h"
#include "chosen.h"
#include "clocks.h"
#include "json.h"
#include "result/tw_part_oneway.h"
#include "result/tw_part_result.h"
#include "two_clocks.h"

#define WINDOW	TW_ONEWAY_WINDOW
#define WAITS	((uint64_t)TW_ONEWAY_PROOF * WINDOW)

#define SYNC	"--oneway=sync -c realtime"
#define BOUND	"--oneway=bound"

/* What the kernel says. */
static struct {
	int status, result;
	unsigned int asked;
} kernel;

int adjtimex(struct timex *timex)
{
	assert_int_equal(timex->modes, 0);
	kernel.asked++;
	timex->status = kernel.status;
	return kernel.result;
}

static int two_hosts(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.result = TIME_OK;
	use_clocks(2);
	return 0;
}

static int one_again(void **state)
{
	(void)state;
	use_clocks(1);
	drop_run();
	return 0;
}

/* The cycles of pair @number, that are measured. */
static void measure(unsigned int number, struct two_clocks *two,
		    uint64_t cycles)
{
	int64_t true_t1, true_t2;

	while (cycles--) {
		const struct tw_cycle cycle = next_cycle(two, &true_t1,
							 &true_t2);

		tw_tally_add(run_pair(number)->tally, &cycle);
	}
}

/* A run whose warm-up has told nothing. */
static void new_hosts(const char *line)
{
	unsigned int k;

	new_run(line);
	for (k = 0; config.oneway && k < config.pairs.count; k++)
		tw_oneway_init(run_pair(k)->tally->oneway, config.oneway);
}

static struct two_clocks measured(const char *line, struct two_clocks two,
				  uint64_t cycles)
{
	new_hosts(line);
	measure(0, &two, cycles);
	return two;
}

static const struct tw_column *column(enum tw_metric_id id)
{
	const struct tw_columns all = tw_session_columns(&session.run);
	int i;

	for (i = 0; i < all.count; i++)
		if (!strcmp(all.column[i].token, tw_metrics[id].token))
			return &all.column[i];
	fail_msg("there is no %s", tw_metrics[id].token);
	return NULL;
}

static const char *remarks(void)
{
	return written(tw_part_oneway.remarks);
}

static void test_refused(void **state)
{
	(void)state;
	refused("--oneway=sync", "--oneway=sync: the clock monotonic of two hosts never shows one time; give --clock=realtime or tai, or --oneway=bound");
	refused(SYNC " -c tsc", "--oneway=sync: the clock tsc of two hosts never shows one time; give --clock=realtime or tai, or --oneway=bound");
	refused(SYNC " -c 0", "--oneway=sync: the clock monotonic of two hosts never shows one time; give --clock=realtime or tai, or --oneway=bound");
	refused("--sync-limit=9", "--sync-limit=9: nothing is proven about a common time with --oneway=off; give --oneway=sync too");
	refused(BOUND " --sync-limit=9", "--sync-limit=9: nothing is proven about a common time with --oneway=bound; give --oneway=sync too");
	refused("--oneway=half", "--oneway=half: allowed is one of off, sync, bound");
	refused("--oneway=", "--oneway=: allowed is one of off, sync, bound");
	refused(SYNC " --sync-limit=0", "--sync-limit=0: allowed is a whole number from 1 to 1000000000");
	refused(SYNC " --sync-limit=1000000001", "--sync-limit=1000000001: allowed is a whole number from 1 to 1000000000");
	use_clocks(1);
	refused("--oneway=sync -c 1", "--oneway=sync: client and server have one clock, so send and receive are one-way times anyway; leave it out");
	refused("--oneway=bound", "--oneway=bound: client and server have one clock, so send and receive are one-way times anyway; leave it out");
	accepted("--oneway=off");
}

static void test_accepted(void **state)
{
	(void)state;
	assert_int_equal(accepted(SYNC).oneway, TW_ONEWAY_SYNC);
	assert_int_equal(accepted("--oneway=sync -c tai").oneway,
			 TW_ONEWAY_SYNC);
	assert_int_equal(accepted("--oneway=sync -c 1").oneway,
			 TW_ONEWAY_SYNC);
	assert_int_equal(accepted("-c realtime --oneway=bound").oneway,
			 TW_ONEWAY_BOUND);
	assert_int_equal(accepted(BOUND).oneway, TW_ONEWAY_BOUND);
	assert_int_equal(accepted("--oneway=off").oneway, TW_ONEWAY_OFF);
	assert_int_equal(accepted("").oneway, TW_ONEWAY_OFF);
	accepted(SYNC " --sync-limit=1");
	accepted(SYNC " --sync-limit=1000000000");
}

#define UNFIT	"with --oneway=bound it is an estimate that may be wrong by half the time of the network, so nothing is to be decided by it; take network, which is both ways together"
#define LACKS	"client and server have clocks of their own, so there is no such metric; network is both ways together"

static void test_nothing_is_decided_by_estimates(void **state)
{
	(void)state;
	refused(BOUND " --limit=send:9", "--limit=send:9: " UNFIT);
	refused(BOUND " --limit=receive:p50:9 -l100",
		"--limit=receive:p50:9: " UNFIT);
	refused(BOUND " -b9 --break-on=send", "--break-on=send: " UNFIT);
	refused(BOUND " --spike=receive:9", "--spike=receive:9: " UNFIT);
	accepted(BOUND " --metrics=send,receive --limit=network:9 -b9 --break-on=response --spike=network:9");
	accepted(SYNC " --metrics=send,receive --limit=send:9 -b9 --break-on=receive --spike=network:9");
	refused(SYNC " --spike=send:9", "--spike=send:9: client and server have clocks of their own, so a cycle that is kept has no such metric; take network, which is both ways together");
	refused("--metrics=send", "--metrics=send: " LACKS);
	refused("--limit=send:9", "--limit=send:9: " LACKS);
	refused(SYNC " --total=trltp3", "--total=trltp3: client and server have clocks of their own, and this formula compares them; allowed is documented");
}

static void test_default_metrics(void **state)
{
	(void)state;
	chooses(SYNC, "interval network sleep response total wakeup send receive ");
	chooses(BOUND, "interval network sleep response total wakeup send receive ");
	chooses("", "interval network sleep response total wakeup ");
	chooses(SYNC " --metrics=response", "response ");
	chooses(SYNC " -i0", "interval network sleep response total send receive ");
}

static void test_kernel_is_asked(void **state)
{
	(void)state;
	new_run(SYNC);
	assert_int_equal(tw_part_oneway.open(&session.run), 0);
	assert_int_equal(kernel.asked, 1);
	kernel.result = TIME_ERROR;
	assert_int_equal(tw_part_oneway.open(&session.run), 0);
	kernel.status = STA_PLL | STA_UNSYNC;
	assert_int_equal(tw_part_oneway.open(&session.run), -EINVAL);
	assert_string_equal(session.run.error, "--oneway=sync: the kernel says that its clock is not synchronised (adjtimex, STA_UNSYNC); start chronyd, or ptp4l and phc2sys, and wait for them; or give --oneway=bound");

	new_run(SYNC);
	kernel.status = STA_PLL;
	kernel.result = -1;
	assert_int_equal(tw_part_oneway.open(&session.run), -EINVAL);

	kernel.status = STA_UNSYNC;
	kernel.asked = 0;
	new_run(BOUND);
	assert_int_equal(tw_part_oneway.open(&session.run), 0);
	tw_part_oneway.end(&session.run);
	new_run("");
	assert_int_equal(tw_part_oneway.open(&session.run), 0);
	tw_part_oneway.end(&session.run);
	assert_int_equal(kernel.asked, 0);
}

/* As simulated: 20 us there and 30 us back, each up to 10 us more. */
static void test_sync_is_as_measured(void **state)
{
	struct two_clocks two = lan;
	const struct tw_column *send, *receive, *network;

	(void)state;
	two.offset_ns = 5000;
	measured(SYNC, two, WAITS + 20 * WINDOW);
	send = column(TW_SEND);
	receive = column(TW_RECEIVE);
	network = column(TW_NETWORK);
	assert_int_equal(network->status.count, WAITS + 20 * WINDOW);
	assert_int_equal(send->status.count, 20 * WINDOW);
	assert_int_equal(receive->status.count, 20 * WINDOW);
	assert_false(send->is_void || receive->is_void || network->is_void);
	assert_in_range(send->status.min_ns, 25000, 26000);
	assert_in_range(send->status.max_ns, 34000, 35000);
	assert_in_range(receive->status.min_ns, 25000, 26000);
	assert_in_range(receive->status.max_ns, 34000, 35000);
	assert_true(send->status.mean_ns > 29000 &&
		    send->status.mean_ns < 31000);
	assert_true(send->status.deviation_ns > 2000 &&
		    send->status.deviation_ns < 4000);
	contains(remarks(), "# One-way: +-25.");
	contains(remarks(), " us\n# One-way: 192 of 1472 cycles have no one-way times\n");
}

static void test_warmup_is_used(void **state)
{
	struct two_clocks two = lan;
	int64_t true_t1, true_t2;
	struct tw_cycle cycle;
	uint64_t i;

	(void)state;
	new_hosts(SYNC);
	for (i = 0; i < WAITS; i++) {
		cycle = next_cycle(&two, &true_t1, &true_t2);
		tw_tally_warmup(run_pair(0)->tally, &cycle);
	}
	measure(0, &two, WINDOW);
	assert_int_equal(column(TW_SEND)->status.count, WINDOW);
	assert_null(strstr(remarks(), "have no one-way times"));
}

static void test_bound_takes_the_line_off(void **state)
{
	struct two_clocks two = lan;
	const struct tw_column *send, *receive;
	const char *text;

	(void)state;
	two.offset_ns = INT64_C(12400000000);
	two.ppm = 3.1;
	measured(BOUND, two, 100 * WINDOW);
	send = column(TW_SEND);
	receive = column(TW_RECEIVE);
	assert_int_equal(send->status.count, 95 * WINDOW);
	assert_int_equal(send->status.count, receive->status.count);
	assert_in_range(send->status.mean_ns, 24000, 36000);
	assert_in_range(receive->status.mean_ns, 24000, 36000);
	text = remarks();
	contains(text, "# One-way: +-2");
	contains(text, " us, server 12.4 s ahead, +3.");
	contains(text, " ppm\n");
	assert_null(strstr(text, "void"));
}

static void test_behind(void **state)
{
	struct two_clocks two = lan;

	(void)state;
	two.offset_ns = -INT64_C(8000000);
	measured(BOUND, two, 100 * WINDOW);
	contains(remarks(), "server 8.0 ms behind, ");
	two.offset_ns = -100000;
	measured(BOUND, two, 100 * WINDOW);
	contains(remarks(), " us behind, ");
	two.offset_ns = -100;
	two.send_ns = two.receive_ns = 40;
	two.jitter_ns = 1;
	measured(BOUND, two, 10 * WINDOW);
	/* No less than what is proven: it is rounded up. */
	contains(remarks(), "# One-way: +-0.1 us, server 0.1 us behind, +0.0 ppm\n");
	run_pair(0)->tally->oneway->result.ppm = -0.04;
	contains(remarks(), ", +0.0 ppm\n");
	run_pair(0)->tally->oneway->result.ppm = -0.06;
	contains(remarks(), ", -0.1 ppm\n");
}

/* In text, JSON and verdicts. */
static void test_void_is_no_value(void **state)
{
	struct two_clocks two;
	const char *text;
	char line[TW_STATUS_MAX];
	struct tw_columns all;

	(void)state;
	two = measured(SYNC " --metrics=network,send --limit=send:1000 --limit=network:1000 --limit=missed:0",
		       lan, WAITS + 5 * WINDOW + 20);
	assert_false(tw_part_limit.exceeded(&session.run));
	step(&two, TW_NS_PER_MS);
	measure(0, &two, 100);
	assert_true(column(TW_SEND)->is_void);
	assert_false(column(TW_NETWORK)->is_void);
	all = tw_session_columns(&session.run);
	tw_status_line(line, &all, 1);
	contains(line, " C:    340 Min:      - Act:    - Avg:    - Max:       - Std:       - send");
	tw_status_line(line, &all, 0);
	assert_null(strstr(line, " - "));

	text = remarks();
	/* Counted from 0, as all cycles are. */
	contains(text, "# One-way: void from cycle 532 on, 0.532 s after the first: the clocks do not show one time; server at least 9");
	contains(text, " us ahead and at most 2");
	assert_null(strstr(text, "+-"));

	assert_true(tw_part_limit.exceeded(&session.run));
	text = written(tw_part_limit.text);
	contains(text, "# Limit send:1000: undecided: its one-way times are void\n");
	contains(text, "# Limit network:1000: met");
	contains(text, "# Limit missed:0: met");
}

static void test_void_in_json(void **state)
{
	struct two_clocks two;
	const char *text;

	(void)state;
	two = measured(SYNC, lan, WAITS + WINDOW);
	step(&two, -TW_NS_PER_MS);
	measure(0, &two, 100);
	text = written_json(tw_part_oneway.json);
	contains(text, "\"mode\": \"sync\"");
	contains(text, "\"valid\": false");
	contains(text, "\"uncertainty_us\": null");
	contains(text, "\"without\": 292");
	contains(text, "\"cycles\": 64");
	contains(text, "\"empty\": 0");
	contains(text, "\"void_at\": {");
	contains(text, "\"pair\": 0");
	contains(text, "\"cycle\": 256");
	contains(text, "\"seconds\": 0.25");
	contains(text, "\"distrust\": null");
	contains(text, "\"verdict\": null");

	text = written_json(tw_part_all.json);
	contains(text, "\"send\": {\n");
	contains(text, "\"max\": null");
}

static void test_json(void **state)
{
	struct two_clocks two = lan;
	const char *text;

	(void)state;
	measured("", two, 10);
	assert_string_equal(written_json(tw_part_oneway.json),
			    "    \"oneway\": null\n");
	assert_string_equal(written_json(tw_part_oneway.json_settings),
			    "    \"oneway\": \"off\",\n    \"sync_limit_us\": null\n");
	measured(SYNC " --sync-limit=1000", two, WAITS + 10 * WINDOW);
	assert_string_equal(written_json(tw_part_oneway.json_settings),
			    "    \"oneway\": \"sync\",\n    \"sync_limit_us\": 1000\n");
	text = written_json(tw_part_oneway.json);
	contains(text, "\"valid\": true");
	contains(text, "\"uncertainty_us\": 30.");
	contains(text, "\"windows\": 13");
	contains(text, "\"broken\": 0");
	contains(text, "\"longest_us\": 63");
	contains(text, "\"void_at\": null");
	contains(text, "\"verdict\": \"met\"");

	two.offset_ns = INT64_C(12400000000);
	measured(BOUND, two, 20 * WINDOW);
	text = written_json(tw_part_oneway.json);
	contains(text, "\"mode\": \"bound\"");
	contains(text, "\"offset_us\": 12399");
	contains(text, "\"ppm\": ");
}

static void test_why_there_is_nothing(void **state)
{
	struct two_clocks two = lan;

	(void)state;
	measured(SYNC, lan, WINDOW - 1);
	assert_string_equal(remarks(), "# One-way: void: 3 windows of 64 cycles in a row have to show that the clocks may be one\n");
	assert_true(column(TW_SEND)->is_void);
	two.offset_ns = -INT64_C(12400000000);
	measured(SYNC, two, 100 * WINDOW);
	contains(remarks(), "# One-way: void: 3 windows of 64 cycles in a row have to show that the clocks may be one, server 12.4 s behind, ");
	assert_int_equal(column(TW_SEND)->status.count, 0);
	assert_true(column(TW_SEND)->is_void);
	measured(BOUND, two, TW_ONEWAY_WARMUP);
	contains(remarks(), "# One-way: void: 320 cycles in a row, without a step of a clock, have to come first, server 12.4 s behind, ");
	measured(BOUND, two, TW_ONEWAY_WARMUP + 1);
	contains(remarks(), "# One-way: unknown uncertainty: no window of 64 cycles was complete, server 12.4 s behind, ");
	assert_false(column(TW_SEND)->is_void);
	measured("", two, 100);
	assert_string_equal(remarks(), "");
	/* A run that failed before it had a pair. */
	new_run(SYNC);
	session.pairs = NULL;
	assert_string_equal(remarks(), "");
	assert_string_equal(written_json(tw_part_oneway.json),
			    "    \"oneway\": null\n");
}

static void test_steps_of_a_clock_are_told(void **state)
{
	struct two_clocks two;

	(void)state;
	two = measured(BOUND, lan, TW_ONEWAY_WARMUP + WINDOW);
	step(&two, TW_NS_PER_S);
	measure(0, &two, 1 + TW_ONEWAY_WARMUP + WINDOW);
	contains(remarks(), "# One-way: 641 of 769 cycles have no one-way times; a clock was stepped, or its rate changed: 1\n");
	contains(remarks(), "server 1.0 s ahead");
	assert_int_equal(column(TW_SEND)->status.count, 2 * WINDOW);
	/* Neither the step nor what came after it is in there. */
	assert_true(column(TW_SEND)->status.max_ns < 100000);
	assert_true(column(TW_RECEIVE)->status.max_ns < 100000);
}

/* Else a histogram would be no histogram of the values. */
static void test_no_value_is_in_no_histogram(void **state)
{
	const struct tw_window *window;
	struct two_clocks two = lan;
	uint64_t sum = 0;
	int i;

	(void)state;
	two.offset_ns = TW_NS_PER_S;
	measured(BOUND " -h 100 --percentiles", two,
		 TW_ONEWAY_WARMUP + 2 * WINDOW);
	window = tw_column_window(column(TW_SEND));
	for (i = 0; i < 100; i++)
		sum += window->counts[i];
	assert_int_equal(sum, 2 * WINDOW);
	assert_int_equal(tw_window_overflows(window), 0);
}

static void test_percentiles_are_void_too(void **state)
{
	struct two_clocks two;
	int64_t value_ns;

	(void)state;
	two = measured(SYNC, lan, WAITS + 20 * WINDOW);
	assert_true(tw_column_percentile(column(TW_SEND), 50, &value_ns));
	assert_in_range(value_ns, 20000, 30000);
	step(&two, TW_NS_PER_MS);
	measure(0, &two, 1);
	assert_false(tw_column_percentile(column(TW_SEND), 50, &value_ns));
	assert_true(tw_column_percentile(column(TW_RESPONSE), 50, &value_ns));
}

/* Raw times of the server's clock are nobody's worst. */
static void test_worst(void **state)
{
	struct two_clocks two = lan;
	const char *text;

	(void)state;
	two.offset_ns = TW_NS_PER_S;
	measured(BOUND " --worst --metrics=send,response", two, WINDOW);
	text = written(tw_part_kept.text);
	assert_null(strstr(text, "# Worst send"));
	contains(text, "# Worst response");
	assert_null(strstr(written_json(tw_part_kept.json), "\"send\""));
	contains(written_json(tw_part_kept.json), "\"response\": {");
	measured(BOUND " --worst --metrics=send,response", two, 10 * WINDOW);
	contains(written(tw_part_kept.text), "# Worst send: ");
	/* A cycle by itself does not have it, so it is not kept as such. */
	assert_null(strstr(written_json(tw_part_kept.json), "\"send\""));
	assert_null(strstr(written_json(tw_part_all.json),
			   "\"send\": {\"pair\""));
	contains(written_json(tw_part_all.json), "\"response\": {\"pair\"");
	measured(SYNC " --worst --metrics=send", lan, 10 * WINDOW);
	contains(written(tw_part_kept.text), "# Worst send: ");
}

static void verdict(const char *want, bool exceeded)
{
	contains(remarks(), want);
	assert_int_equal(tw_part_oneway.exceeded(&session.run), exceeded);
}

static void test_sync_limit(void **state)
{
	struct two_clocks two;

	(void)state;
	measured(SYNC, lan, 10 * WINDOW);
	assert_false(tw_part_oneway.exceeded(&session.run));
	assert_null(strstr(remarks(), "Sync limit"));
	two = measured(SYNC " --sync-limit=32", lan, 10 * WINDOW);
	verdict("# Sync limit 32 us: met: 30.", false);
	session.run.interrupted = 2;
	verdict("# Sync limit 32 us: met: 30.", false);
	measured(SYNC " --sync-limit=30", lan, 10 * WINDOW);
	verdict("# Sync limit 30 us: exceeded: 30.", true);
	contains(written_json(tw_part_oneway.json), "\"verdict\": \"exceeded\"");

	measured(SYNC " -l1000 --sync-limit=32", lan, 10 * WINDOW);
	session.run.interrupted = 2;
	verdict("# Sync limit 32 us: undecided: the run was ended before it was complete\n", true);
	measured(SYNC " -l1000 --sync-limit=30", lan, 10 * WINDOW);
	session.run.interrupted = 2;
	verdict("# Sync limit 30 us: exceeded: 30.", true);

	measured(SYNC " --sync-limit=32", lan, WAITS + WINDOW - 1);
	verdict("# Sync limit 32 us: undecided: nothing is proven\n", true);
	two = measured(SYNC " --sync-limit=32", lan, 10 * WINDOW);
	step(&two, TW_NS_PER_S);
	measure(0, &two, 1);
	verdict("# Sync limit 32 us: undecided: nothing is proven\n", true);
}

static void test_kernel_may_change_its_mind(void **state)
{
	(void)state;
	measured(SYNC " --sync-limit=32", lan, 10 * WINDOW);
	tw_part_oneway.end(&session.run);
	verdict("met", false);
	kernel.status = STA_UNSYNC;
	tw_part_oneway.end(&session.run);
	verdict("# One-way: void: the client's kernel says that its clock is no longer synchronised (adjtimex, STA_UNSYNC)\n", true);
	assert_true(column(TW_SEND)->is_void);
	assert_false(column(TW_RESPONSE)->is_void);
	contains(written_json(tw_part_oneway.json), "\"distrust\": \"the client's kernel says");
	contains(written_json(tw_part_oneway.json), "\"valid\": false");

	/* The first reason is the one that is told; it is of this run only. */
	tw_oneway_distrust(&session.run, "another");
	contains(remarks(), "void: the client's kernel");
	kernel.status = 0;
	measured(SYNC, lan, 10 * WINDOW);
	assert_null(strstr(remarks(), "void"));
	tw_oneway_distrust(&session.run, "the server says so");
	assert_string_equal(remarks(), "# One-way: void: the server says so\n");
}

static void test_pairs(void **state)
{
	struct two_clocks two = lan, other = lan;

	(void)state;
	new_hosts(SYNC " -t2 --limit=send:1000");
	other.receive_ns = 70000;
	measure(0, &two, 10 * WINDOW);
	measure(1, &other, 10 * WINDOW);
	contains(remarks(), "# One-way: +-70.");
	contains(remarks(), "# One-way: 384 of 1280 cycles");
	step(&other, TW_NS_PER_MS);
	measure(1, &other, 1);
	contains(remarks(), "# One-way: void from cycle 640 of pair 1 on, ");
	contains(written_json(tw_part_oneway.json), "\"pair\": 1");
	contains(written(tw_part_limit.text), "# Limit send:1000: undecided: pair 1: its one-way times are void\n");
	contains(written_json(tw_part_all.json), "\"max\": null");
	assert_false(column(TW_SEND)->is_void);
}

/* As the sum over the steps of a ramp does. */
static void test_steps_are_summed_up(void **state)
{
	struct tw_oneway_result result;
	struct two_clocks two = lan;

	(void)state;
	new_hosts(SYNC " -t3");
	measure(0, &two, 10 * WINDOW);
	two.receive_ns = 70000;
	measure(1, &two, 10 * WINDOW);
	/* The sum has no cycle before the first step, as this has none. */
	tw_oneway_init(run_pair(2)->tally->oneway, TW_ONEWAY_SYNC);
	tw_tally_merge(run_pair(2)->tally, run_pair(0)->tally);
	tw_oneway_read(run_pair(2)->tally->oneway, &result);
	assert_int_equal(result.phase, TW_ONEWAY_COUNTS);
	assert_true(result.known);
	tw_tally_merge(run_pair(0)->tally, run_pair(1)->tally);
	tw_oneway_read(run_pair(0)->tally->oneway, &result);
	assert_int_equal(result.windows, 20);
	assert_in_range(result.uncertainty_ns, 70000, 72000);
	assert_int_equal(column(TW_SEND)->status.count, 14 * WINDOW);
}

/* What does not count does not break the run. */
static void test_break_only_by_what_counts(void **state)
{
	struct two_clocks two = lan;
	struct tw_break brk = {
		.metric = TW_SEND, .limit_ns = 100000,
	};
	_Atomic unsigned int first = 0;
	int64_t true_t1, true_t2;
	struct tw_cycle late;
	const struct tw_clock clock = { .name = "test" };
	struct tw_tally *tally;

	(void)state;
	brk.first = &first;
	new_hosts(SYNC);
	tally = run_pair(0)->tally;
	late = next_cycle(&two, &true_t1, &true_t2);
	late.t1_ns += 200000;
	late.t2_ns += 200000;
	late.t3_ns += 200000;
	assert_false(tw_break_check(&brk, tally, &clock, &late));
	brk.metric = TW_NETWORK;
	brk.limit_ns = 1000000000;
	assert_false(tw_break_check(&brk, tally, &clock, &late));
	brk.metric = TW_SEND;
	brk.limit_ns = 100000;
	measure(0, &two, WAITS);
	late.t2_ns += TW_NS_PER_S;
	assert_false(tw_break_check(&brk, tally, &clock, &late));
	late.t2_ns -= TW_NS_PER_S;
	assert_true(tw_oneway_accepts(tally->oneway, &late));
	brk.limit_ns = 1000000;
	assert_false(tw_break_check(&brk, tally, &clock, &late));
	step(&two, TW_NS_PER_S);
	measure(0, &two, 1);
	brk.limit_ns = 1000;
	assert_false(tw_break_check(&brk, tally, &clock, &late));
}

#define TEST(function) \
	cmocka_unit_test_setup_teardown(function, two_hosts, one_again)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_refused),
		TEST(test_accepted),
		TEST(test_nothing_is_decided_by_estimates),
		TEST(test_default_metrics),
		TEST(test_kernel_is_asked),
		TEST(test_sync_is_as_measured),
		TEST(test_warmup_is_used),
		TEST(test_bound_takes_the_line_off),
		TEST(test_behind),
		TEST(test_void_is_no_value),
		TEST(test_void_in_json),
		TEST(test_json),
		TEST(test_why_there_is_nothing),
		TEST(test_steps_of_a_clock_are_told),
		TEST(test_no_value_is_in_no_histogram),
		TEST(test_percentiles_are_void_too),
		TEST(test_worst),
		TEST(test_sync_limit),
		TEST(test_kernel_may_change_its_mind),
		TEST(test_pairs),
		TEST(test_steps_are_summed_up),
		TEST(test_break_only_by_what_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
