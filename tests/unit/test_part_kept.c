// SPDX-License-Identifier: GPL-2.0-or-later
/* Cycles that are kept, to the letter: the worst of each metric, spikes. */
#include "json.h"
#include "report_ramp.h"
#include "result/tw_part_result.h"

#define FIRST \
	"cycle 0, 0.000000 s after start, 05:30:00.002004: interval 1004 (1001), wakeup 4 (3), send 10 (11), sleep 116 (111), receive 8 (9), response 135 (131), total 39 (34); excess: "
#define FIRST_WHERE	"; CPU client 3, server 2; missed 0"

static void test_worst(void **state)
{
	(void)state;
	new_finished_run("--worst --metrics=response,total,wakeup,planned");
	assert_string_equal(written(tw_part_kept.text),
		"# Worst response: 135 (mean 131): " FIRST "send -21 %, sleep 143 %, receive -21 %" FIRST_WHERE "\n"
		"# Worst total: 39 (mean 34): " FIRST "send -17 %, sleep 111 %, receive -17 %, interval 22 %" FIRST_WHERE "\n"
		"# Worst wakeup: 4 (mean 3): " FIRST "wakeup 100 %" FIRST_WHERE "\n"
		"# Worst planned: 139 (mean 134): " FIRST "wakeup 22 %, send -17 %, sleep 111 %, receive -17 %" FIRST_WHERE "\n");
}

static void test_worst_in_ns(void **state)
{
	(void)state;
	new_finished_run("-N --worst --metrics=sleep");
	pair.tally->worst[TW_SLEEP].throttled = true;
	assert_string_equal(written(tw_part_kept.text),
		"# Worst sleep: 116000 (mean 111000): cycle 0, 0.000000 s after start, 05:30:00.002004: interval 1004000 (1001000), wakeup 4000 (3000), send 10500 (11250), sleep 116000 (111000), receive 8500 (9250), response 135000 (131500), total 39000 (34500); excess: sleep 100 %; CPU client 3, server 2; missed 0, throttled\n");
}

/* No timer: no wake-up, and total does without the interval. */
static void test_worst_of_closed_loop(void **state)
{
	(void)state;
	new_finished_run("-i0 --worst --metrics=send,total");
	assert_string_equal(written(tw_part_kept.text),
		"# Worst send: 12 (mean 11): cycle 1, 0.000998 s after start, 05:30:00.003002: interval 998 (1001), send 12 (11), sleep 106 (111), receive 10 (9), response 128 (131), total 28 (31); excess: send 100 %; CPU client 5, server 4; missed 2\n"
		"# Worst total: 35 (mean 31): cycle 0, 0.000000 s after start, 05:30:00.002004: interval 1004 (1001), send 10 (11), sleep 116 (111), receive 8 (9), response 135 (131), total 35 (31); excess: send -21 %, sleep 143 %, receive -21 %, interval 0 %; CPU client 3, server 2; missed 0\n");
}

/* Steps are numbered as their own lines are: from 1. */
static void test_worst_of_ramp(void **state)
{
	const struct tw_cycle slow = {
		.seq = 4, .prev_t0_ns = 2004000, .planned_ns = 3000000,
		.t0_ns = 3002000, .t1_ns = 3015000, .t2_ns = 3120000,
		.t3_ns = 3129500, .client_cpu = 1,
	};

	(void)state;
	new_ramp("--load=fft --steps=2 -l5 --worst --metrics=send,receive");
	tw_tally_add(second.tally, &slow);
	finish_ramp();
	assert_string_equal(written(tw_part_kept.text),
		"# Worst send: 13 (mean 11): step 2, cycle 1, 0.000998 s after start, 05:30:00.003002: interval 998 (1001), wakeup 2 (3), send 13 (11), sleep 105 (110), receive 9 (9), response 127 (131), total 29 (34); excess: send 100 %; CPU client 1, server 0; missed 0\n"
		"# Worst receive: 10 (mean 9): step 1, cycle 1, 0.000998 s after start, 05:30:00.003002: interval 998 (1001), wakeup 2 (3), send 12 (11), sleep 106 (110), receive 10 (9), response 128 (131), total 30 (34); excess: receive 100 %; CPU client 5, server 4; missed 2\n");
}

/* The one cycle of a run is its own mean: nothing is in excess. */
static void test_worst_of_one(void **state)
{
	(void)state;
	new_run("--worst --metrics=response");
	tw_tally_add(pair.tally, &run_cycles[0]);
	assert_string_equal(written(tw_part_kept.text),
		"# Worst response: 135 (mean 135): cycle 0, 0.000000 s after start, 05:30:00.002004: interval 1004 (1004), wakeup 4 (4), send 10 (10), sleep 116 (116), receive 8 (8), response 135 (135), total 39 (39); excess: send 0 %, sleep 0 %, receive 0 %; CPU client 3, server 2; missed 0\n");
}

/* A share that is a little below 0 is printed as 0. */
static void test_share_below_zero(void **state)
{
	struct tw_cycle cycle = run_cycles[0];
	const char *text;

	(void)state;
	new_run("--worst --metrics=response");
	tw_tally_add(pair.tally, &cycle);
	cycle.t1_ns -= 20;
	cycle.t2_ns += 1000000;
	cycle.t3_ns += 1000000;
	tw_tally_add(pair.tally, &cycle);
	text = written(tw_part_kept.text);
	assert_non_null(strstr(text, "; excess: send 0 %, sleep 100 %, receive 0 %; "));
}

static void test_not_asked_for(void **state)
{
	(void)state;
	new_finished_run("");
	assert_string_equal(written(tw_part_kept.text), "");
	new_run("--worst --spike=5");
	assert_string_equal(written(tw_part_kept.text),
		"# Spikes: cycles whose response exceeds 5\n"
		"spikes = 0\n");
}

static void test_spikes(void **state)
{
	(void)state;
	new_finished_run("--spike=total:29");
	assert_string_equal(written(tw_part_kept.text),
		"# Spikes: cycles whose total exceeds 29\n"
		"T: 5 Spike:      39: TS:         2004 C:       0 interval 1004 wakeup 4 send 10 sleep 116 receive 8\n"
		"T: 5 Spike:      30: TS:         3002 C:       1 interval 998 wakeup 2 send 12 sleep 106 receive 10\n"
		"spikes = 2\n");
	/* Above it, not at it. */
	new_finished_run("--spike=total:30 --metrics=send,total");
	pair.tally->spikes.kept[0].throttled = true;
	assert_string_equal(written(tw_part_kept.text),
		"# Spikes: cycles whose total exceeds 30\n"
		"T: 1 Spike:      39: TS:         2004 C:       0 interval 1004 wakeup 4 send 10 sleep 116 receive 8 throttled\n"
		"spikes = 1\n");
	/* Where total is not shown, it would be the column behind. */
	new_finished_run("-N --spike=total:30 --metrics=send,sleep");
	assert_string_equal(written(tw_part_kept.text),
		"# Spikes: cycles whose total exceeds 30000\n"
		"T: 2 Spike:   39000: TS:         2004 C:       0 interval 1004000 wakeup 4000 send 10500 sleep 116000 receive 8500\n"
		"spikes = 1\n");
	new_finished_run("-i0 --spike=total:30");
	assert_string_equal(written(tw_part_kept.text),
		"# Spikes: cycles whose total exceeds 30\n"
		"T: 5 Spike:      35: TS:         2004 C:       0 interval 1004 send 10 sleep 116 receive 8\n"
		"spikes = 1\n");
}

static void test_spikes_of_ramp(void **state)
{
	(void)state;
	new_ramp("--load=fft --steps=2 -l5 --spike=total:30");
	finish_ramp();
	assert_string_equal(written(tw_part_kept.text),
		"# Spikes: cycles whose total exceeds 30\n"
		"T: 5 Spike:      39: TS:         2004 C:       0 step 1 interval 1004 wakeup 4 send 10 sleep 116 receive 8\n"
		"T: 5 Spike:      39: TS:         2004 C:       0 step 2 interval 1004 wakeup 4 send 10 sleep 116 receive 8\n"
		"spikes = 2\n");
	new_ramp("--load=fft --steps=2 -l5 --spike=total:29 --spike-nodes=2");
	finish_ramp();
	assert_string_equal(written(tw_part_kept.text),
		"# Spikes: cycles whose total exceeds 29\n"
		"T: 5 Spike:      39: TS:         2004 C:       0 step 1 interval 1004 wakeup 4 send 10 sleep 116 receive 8\n"
		"T: 5 Spike:      30: TS:         3002 C:       1 step 1 interval 998 wakeup 2 send 12 sleep 106 receive 10\n"
		"spikes = 3\n"
		"# Spikes not kept: 1; give more --spike-nodes\n");
}

#define WHEN_FIRST \
	"\"since_start_ns\": 0, \"time\": \"2026-01-01T05:30:00.002004+0530\", \"missed\": 0, \"throttled\": false, \"client_cpu\": 3, \"server_cpu\": 2, "
#define WHEN_SECOND \
	"\"since_start_ns\": 998000, \"time\": \"2026-01-01T05:30:00.003002+0530\", \"missed\": 2, \"throttled\": true, \"client_cpu\": 5, \"server_cpu\": 4, "

/* In ns whatever -N says; no wake-up without a timer. */
static void test_json(void **state)
{
	const char *text;

	(void)state;
	new_finished_run("-i0 --metrics=send --spike=total:30");
	pair.tally->worst[TW_SEND].throttled = true;
	text = written_json(tw_part_kept.json);
	assert_members(text);
	assert_string_equal(text,
		"    \"worst\": {\n"
		"      \"send\": {\"pair\": 0, \"cycle\": 1, \"step\": 0, " WHEN_SECOND "\"interval_ns\": 998000, \"send_ns\": 12000, \"sleep_ns\": 106000, \"receive_ns\": 10000, \"response_ns\": 128000, \"total_ns\": 28000, \"parts\": [{\"phase\": \"send\", \"ns\": 12000, \"mean_ns\": 11250.0, \"share\": 1.0000}]}\n"
		"    },\n"
		"    \"spikes\": {\n"
		"      \"metric\": \"total\",\n"
		"      \"limit_us\": 30,\n"
		"      \"seen\": 1,\n"
		"      \"kept\": [\n"
		"        {\"pair\": 0, \"cycle\": 0, \"step\": 0, " WHEN_FIRST "\"interval_ns\": 1004000, \"send_ns\": 10500, \"sleep_ns\": 116000, \"receive_ns\": 8500, \"response_ns\": 135000, \"total_ns\": 35000}\n"
		"      ]\n"
		"    }\n");
}

/* Here steps count from 0, as those of "steps" do. */
static void test_json_of_ramp(void **state)
{
	const char *text;

	(void)state;
	new_ramp("--load=fft --steps=2 -l5 --metrics=response,total --spike=total:30 --spike-nodes=9");
	second.tally->spikes.seen = 7;
	finish_ramp();
	text = written_json(tw_part_kept.json);
	assert_members(text);
	text = strstr(text, "    \"spikes\": {\n");
	assert_non_null(text);
	assert_string_equal(text,
		"    \"spikes\": {\n"
		"      \"metric\": \"total\",\n"
		"      \"limit_us\": 30,\n"
		"      \"seen\": 8,\n"
		"      \"kept\": [\n"
		"        {\"pair\": 0, \"cycle\": 0, \"step\": 0, " WHEN_FIRST "\"interval_ns\": 1004000, \"wakeup_ns\": 4000, \"send_ns\": 10500, \"sleep_ns\": 116000, \"receive_ns\": 8500, \"response_ns\": 135000, \"total_ns\": 39000},\n"
		"        {\"pair\": 0, \"cycle\": 0, \"step\": 1, " WHEN_FIRST "\"interval_ns\": 1004000, \"wakeup_ns\": 4000, \"send_ns\": 10500, \"sleep_ns\": 116000, \"receive_ns\": 8500, \"response_ns\": 135000, \"total_ns\": 39000}\n"
		"      ]\n"
		"    }\n");
}

static void test_json_of_nothing(void **state)
{
	const char *text;

	(void)state;
	new_run("--spike=total:30");
	text = written_json(tw_part_kept.json);
	assert_members(text);
	assert_string_equal(text,
		"    \"worst\": {},\n"
		"    \"spikes\": {\n"
		"      \"metric\": \"total\",\n"
		"      \"limit_us\": 30,\n"
		"      \"seen\": 0,\n"
		"      \"kept\": []\n"
		"    }\n");
	new_run("");
	assert_string_equal(written_json(tw_part_kept.json),
		"    \"worst\": {},\n"
		"    \"spikes\": null\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worst),
		cmocka_unit_test(test_worst_in_ns),
		cmocka_unit_test(test_worst_of_closed_loop),
		cmocka_unit_test(test_worst_of_ramp),
		cmocka_unit_test(test_worst_of_one),
		cmocka_unit_test(test_share_below_zero),
		cmocka_unit_test(test_not_asked_for),
		cmocka_unit_test(test_spikes),
		cmocka_unit_test(test_spikes_of_ramp),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_of_ramp),
		cmocka_unit_test(test_json_of_nothing),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_ramp();
	return failed;
}
