// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Client and server with clocks of their own, as users see it: what is refused,
 * and that no result compares the clocks.
 */
#include <fcntl.h>
#include <unistd.h>

#include "report.h"
#include "cause/tw_part_break.h"
#include "cause/tw_part_cause.h"
#include "chosen.h"
#include "clocks.h"
#include "json.h"
#include "result/tw_part_result.h"
#include "throttle.h"

#define OWN	"client and server have clocks of their own, "
#define NONE	OWN "so there is no such metric; network is both ways together"

static const struct tw_throttle fifty = {
	.known = true, .runtime_us = 950000, .period_us = 1000000,
	.stall_ns = 50000000,
};

static int set_up(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.throttle = fifty;
	return 0;
}

static int one_again(void **state)
{
	(void)state;
	use_clocks(1);
	drop_run();
	return 0;
}

static void test_refused(void **state)
{
	(void)state;
	use_clocks(2);
	refused("--metrics=send", "--metrics=send: " NONE);
	refused("--metrics=total,receive", "--metrics=receive: " NONE);
	refused("--limit=send:9", "--limit=send:9: " NONE);
	refused("--limit=network:9 --limit=receive@0:p50:9 -l100",
		"--limit=receive@0:p50:9: " NONE);
	refused("-b9 --break-on=receive", "--break-on=receive: " NONE);
	refused("--spike=send:9", "--spike=send:9: " NONE);
	refused("--total=trltp3", "--total=trltp3: " OWN "and this formula compares them; allowed is documented");
	refused("--trltp", "--trltp: " OWN "and the reference program has one for both; leave it out");
	refused("--trltp-log=f", "--trltp-log: " OWN "and the reference program has one for both; leave it out");
	/* The timer is asked for first, as with one clock. */
	refused("-i0 --metrics=wakeup", "--metrics=wakeup: with --interval=0 there is no timer, so there is no such metric");
}

static void test_accepted(void **state)
{
	static const char line[] =
		"--metrics=network,planned --limit=network:9 --limit=missed:1 --limit=response:p50:9 -l100 -b9 --break-on=network --spike=network:9 --total=documented";

	(void)state;
	use_clocks(2);
	assert_true(accepted(line).two_clocks);
	use_clocks(1);
	assert_false(accepted(line).two_clocks);
	accepted("--metrics=send,receive --limit=send:9 --spike=receive:9 -b9 --break-on=send");
	accepted("--trltp --trltp-log=f --total=trltp3");
}

static void test_default_metrics(void **state)
{
	(void)state;
	use_clocks(1);
	chooses("", "interval send sleep receive response total wakeup ");
	chooses("-i0", "interval send sleep receive response total ");
	use_clocks(2);
	chooses("", "interval network sleep response total wakeup ");
	chooses("-i0", "interval network sleep response total ");
}

/* Both cycles of a run, as the server's own clock tells them. */
static void record_both(void)
{
	struct tw_cycle cycle;
	size_t i;

	for (i = 0; i < sizeof(run_cycles) / sizeof(run_cycles[0]); i++) {
		cycle = on_two_clocks(&run_cycles[i], 0);
		if (pair.record)
			pair.record(&pair, &cycle);
		else
			tw_tally_add(pair.tally, &cycle);
	}
}

static void measure_on_two(const char *line)
{
	use_clocks(2);
	new_run(line);
	record_both();
}

#define FIRST \
	"cycle 0, 0.000000 s after start, 05:30:00.002004: interval 1004 (1001), wakeup 4 (3), network 19 (20), sleep 116 (111), response 135 (131), total 39 (34); excess: "
#define FIRST_WHERE	"; CPU client 3, server 2; missed 0"

static void test_worst(void **state)
{
	(void)state;
	measure_on_two("--worst --metrics=response,total,planned");
	assert_string_equal(written(tw_part_kept.text),
		"# Worst response: 135 (mean 131): " FIRST "network -43 %, sleep 143 %" FIRST_WHERE "\n"
		"# Worst total: 39 (mean 34): " FIRST "network -33 %, sleep 111 %, interval 22 %" FIRST_WHERE "\n"
		"# Worst planned: 139 (mean 134): " FIRST "wakeup 22 %, network -33 %, sleep 111 %" FIRST_WHERE "\n");
}

static void lacks(const char *text, const char *word)
{
	if (strstr(text, word))
		print_message("%s has:\n", word);
	assert_null(strstr(text, word));
}

static void test_kept_json(void **state)
{
	const char *text;

	(void)state;
	measure_on_two("--spike=network:1");
	text = written_json(tw_part_kept.json);
	assert_members(text);
	contains(text, "\"wakeup_ns\": 4000, \"network_ns\": 19000, \"sleep_ns\": 116000, \"response_ns\": 135000, ");
	contains(text, "{\"phase\": \"network\", \"ns\": 19000, ");
	contains(text, "\"metric\": \"network\"");
	contains(text, "\"seen\": 2,");
	lacks(text, "send");
	lacks(text, "receive");
	measure_on_two("-i0");
	text = written_json(tw_part_kept.json);
	contains(text, "\"network_ns\": 19000, ");
	lacks(text, "wakeup");
}

static void test_spikes(void **state)
{
	(void)state;
	measure_on_two("--spike=network:20");
	assert_string_equal(written(tw_part_kept.text),
		"# Spikes: cycles whose network exceeds 20\n"
		"T: 1 Spike:      22: TS:         3002 C:       1 interval 998 wakeup 2 network 22 sleep 106\n"
		"spikes = 1\n");
}

static void test_histogram(void **state)
{
	const char *text;

	(void)state;
	measure_on_two("-h40");
	text = written(tw_output_remarks);
	contains(text, "# Metrics: interval network sleep response total wakeup\n");
	contains(text, "000019 000000\t000001\t000000\t000000\t000000\t000000\n");
	contains(text, "000022 000000\t000001\t000000\t000000\t000000\t000000\n");
	contains(text, "# Histogram Overflows: 00000 00000 00000 00000 00000 00000\n");
}

static void test_limits(void **state)
{
	(void)state;
	measure_on_two("--limit=network:22 --limit=network:21");
	assert_string_equal(written(tw_part_limit.text),
		"# Limit network:22: met: 22.000 us in cycle 1\n"
		"# Limit network:21: exceeded: 22.000 us in cycle 1\n");
}

static void test_settings(void **state)
{
	const char *text;

	(void)state;
	measure_on_two("");
	text = written_json(tw_part_session_json.json_settings);
	contains(text, "    \"clocks\": \"two\",\n");
	contains(text, "\"metrics\": [\"interval\", \"network\", \"sleep\", \"response\", \"total\", \"wakeup\"]");
	use_clocks(1);
	new_finished_run("");
	contains(written_json(tw_part_session_json.json_settings),
		 "    \"clocks\": \"one\",\n");
}

/* The columns stay; whose clock they are of, their names tell. */
static void check_dump(int clocks, const char *want)
{
	const struct tw_result *result = tw_part_dump.result;
	char path[] = "/tmp/test_two_clocks.XXXXXX", got[200];
	ssize_t len;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	use_clocks(clocks);
	new_run("--dump=f");
	assert_int_equal(tw_file_open(result->file, path), 0);
	assert_int_equal(tw_part_dump.open(&session.run), 0);
	assert_int_equal(tw_file_commit(result->file, -1), 0);
	fd = open(path, O_RDONLY);
	len = read(fd, got, sizeof(got) - 1);
	assert_true(len >= 0);
	got[len] = '\0';
	assert_string_equal(got, want);
	close(fd);
	unlink(path);
}

static void test_dump(void **state)
{
	(void)state;
	check_dump(1, "pair,cycle,planned_ns,t0_ns,t1_ns,t2_ns,t3_ns,missed\n");
	check_dump(2, "pair,cycle,planned_ns,t0_ns,server_t1_ns,server_t2_ns,t3_ns,missed\n");
}

static void test_break(void **state)
{
	const char *text;

	(void)state;
	use_clocks(2);
	new_run("-b21 --break-on=network");
	assert_int_equal(tw_clock_open(&pair.task.clock, "monotonic"), 0);
	record_both();
	assert_true(pair.brk->broken);
	tw_part_break.finish(&session.run);
	text = written(tw_part_break.text);
	contains(text, "# Break: network 22 > 21: cycle 1, ");
	contains(text, ": interval 998 (1004), wakeup 2 (4), network 22 (19), sleep 106 (116), response 128 (135), total 30 (39); excess: network 100 %; CPU ");
	text = written_json(tw_part_break.json);
	contains(text, "\"network_ns\": 22000");
	lacks(text, "send");
	lacks(text, "receive");
}

static bool may_throttle(const char *line, int clocks, int load)
{
	cpu_set_t *cpus;

	use_clocks(clocks);
	new_run(line);
	cpus = (cpu_set_t *)set_by("load-affinity");
	CPU_ZERO(cpus);
	CPU_SET(load, cpus);
	CPU_ZERO(&config.role_set[TW_SERVER]);
	CPU_SET(1, &config.role_set[TW_SERVER]);
	CPU_ZERO(&config.role_set[TW_CLIENT]);
	CPU_SET(2, &config.role_set[TW_CLIENT]);
	assert_int_equal(tw_part_throttle.open(&session.run), 0);
	tw_part_throttle.attach(&session.run, &pair, NULL);
	tw_part_throttle.finish(&session.run);
	tw_part_throttle.close(&session.run);
	return pair.tally->stall_max_ns;
}

/* A load beside the server, and a server that spins, are another host's. */
static void test_may_throttle(void **state)
{
	(void)state;
	assert_true(may_throttle("-p80 --load=fft", 1, 1));
	assert_false(may_throttle("-p80 --load=fft", 2, 1));
	assert_true(may_throttle("-p80 --load=fft", 2, 2));
	assert_true(may_throttle("-p80 --wait=busy --force", 1, 3));
	assert_false(may_throttle("-p80 --wait=busy --force", 2, 3));
	assert_false(may_throttle("-p80 -i0 --sleep=0 --force", 2, 3));
}

/* What is said of a cycle whose start and reply were late by this. */
static const char *throttling(int64_t start_ns, int64_t reply_ns)
{
	struct tw_cycle cycle = on_two_clocks(&run_cycles[0], 0);

	assert_true(may_throttle("-p80 --load=fft", 2, 2));
	cycle.t0_ns += start_ns;
	cycle.t2_ns += 30000000;
	cycle.t3_ns += reply_ns;
	tw_tally_add(pair.tally, &cycle);
	return written(tw_part_throttle.remarks);
}

static void test_throttling(void **state)
{
	(void)state;
	/* Neither a way nor the server's sleep is this kernel's. */
	assert_string_equal(throttling(0, 50000000), "");
	assert_string_equal(throttling(12000000, 50000000), "");
	contains(throttling(12600000, 50000000),
		 "# Throttling may have stopped ");
	contains(throttling(50000000, 50000000), "# Throttled: 1\n");
}

#define CLOCKS(test) \
	cmocka_unit_test_setup_teardown(test, set_up, one_again)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLOCKS(test_refused),
		CLOCKS(test_accepted),
		CLOCKS(test_default_metrics),
		CLOCKS(test_worst),
		CLOCKS(test_kept_json),
		CLOCKS(test_spikes),
		CLOCKS(test_histogram),
		CLOCKS(test_limits),
		CLOCKS(test_settings),
		CLOCKS(test_dump),
		CLOCKS(test_break),
		CLOCKS(test_may_throttle),
		CLOCKS(test_throttling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
