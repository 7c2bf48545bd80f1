// SPDX-License-Identifier: GPL-2.0-or-later
/* -b and --break-on: how a run ends, and what is said of its last cycle. */
#include <errno.h>

#include "json.h"
#include "report.h"
#include "cause/tw_part_break.h"
#include "cause/tw_part_cause.h"
#include "measure/tw_ring.h"
#include "result/tw_kept.h"

#define NO_TIMER \
	"with --interval=0 there is no timer, so there is no such metric"

static enum tw_metric_id break_on(const char *line)
{
	accepted(line);
	return *(const enum tw_metric_id *)set_by("break-on");
}

static void test_options(void **state)
{
	char line[60];
	int id;

	(void)state;
	accepted("");
	assert_int_equal(*(const int64_t *)set_by("breaktrace"), 0);
	accepted("--breaktrace=17");
	assert_int_equal(*(const int64_t *)set_by("breaktrace"), 17);
	refused("-b0", "--breaktrace=0: allowed is a whole number from 1 to 1000000000");
	refused("-b1000000001", "--breaktrace=1000000001: allowed is a whole number from 1 to 1000000000");
	assert_int_equal(break_on("-b9"), TW_RESPONSE);
	assert_false(tw_option_given(&parse_run, "break-on"));
	for (id = 0; id < TW_METRICS; id++) {
		snprintf(line, sizeof(line), "-b9 --break-on=%s",
			 tw_metrics[id].token);
		assert_int_equal(break_on(line), id);
		assert_true(tw_option_given(&parse_run, "break-on"));
	}
	/* That it is asked for is no reason to report it. */
	assert_int_equal(accepted("-b9 --break-on=send --metrics=total")
			 .metric_count, 1);
}

static void test_alone(void **state)
{
	static const char no_break[] =
		"--break-on: there is no value to break at; give -b too";

	(void)state;
	refused("--break-on=send", no_break);
	refused("--break-on=total", no_break);
	accepted("-b5 --break-on=send");
	accepted("--break-on=send -b5");
	accepted("-b5 --spike=5 --worst --limit=total:5");
}

static void test_closed_loop(void **state)
{
	(void)state;
	accepted("-i0 -b5");
	accepted("-i0 -b5 --break-on=send");
	refused("-i0 -b5 --break-on=wakeup", "--break-on=wakeup: " NO_TIMER);
	refused("-b5 --break-on=planned -i0", "--break-on=planned: " NO_TIMER);
}

static void test_settings(void **state)
{
	(void)state;
	new_run("");
	assert_string_equal(written_json(tw_part_break.json_settings),
			    "    \"break_us\": null,\n"
			    "    \"break_on\": \"response\"\n");
	new_run("-b12 --break-on=send");
	assert_string_equal(written_json(tw_part_break.json_settings),
			    "    \"break_us\": 12,\n"
			    "    \"break_on\": \"send\"\n");
}

/* Nothing of it is in the way of other runs. */
static void test_attach(void **state)
{
	int i;

	(void)state;
	new_run("");
	assert_int_equal(tw_part_break.room(&session.run), 0);
	assert_null(pair.brk);
	assert_null(pair.record);
	assert_false(pair.prompt);
	new_run("-b12 --break-on=send");
	assert_non_null(pair.brk);
	assert_int_equal(pair.brk->limit_ns, 12000);
	assert_int_equal(pair.brk->metric, TW_SEND);
	/* Also where no other part knows of traces. */
	memset(pair.brk, 0, sizeof(*pair.brk));
	tw_part_break.attach(&session.run, &pair, pair.brk);
	for (i = 0; i < TW_TRACES; i++) {
		assert_int_equal(pair.brk->traces[i].mark, -1);
		assert_int_equal(pair.brk->traces[i].stop, -1);
	}
	assert_true(pair.prompt);
}

/* The cycle that ends the run is counted as every other. */
static void test_record(void **state)
{
	struct tw_ring *ring = aligned_alloc(TW_CACHE_LINE,
					     tw_ring_size(TW_RING_LEAST));
	struct tw_cycle cycle;
	int both;

	(void)state;
	assert_non_null(ring);
	for (both = 0; both < 2; both++) {
		new_run("-b128 --break-on=response");
		assert_int_equal(tw_clock_open(&pair.task.clock, "monotonic"),
				 0);
		memset(ring, 0, tw_ring_size(TW_RING_LEAST));
		tw_ring_init(ring, TW_RING_LEAST);
		pair.ring = both ? ring : NULL;
		pair.record(&pair, &run_cycles[1]);
		assert_false(pair.brk->broken);
		assert_int_equal(atomic_load(&pair.stop), 0);
		pair.record(&pair, &run_cycles[0]);
		assert_true(pair.brk->broken);
		assert_int_equal(atomic_load(&pair.stop), 1);
		assert_int_equal(pair.brk->number, 1);
		assert_int_equal(pair.tally->cycles, 2);
		if (!both)
			continue;
		assert_true(tw_ring_get(ring, &cycle));
		assert_int_equal(cycle.seq, run_cycles[1].seq);
		assert_true(tw_ring_get(ring, &cycle));
		assert_int_equal(cycle.seq, run_cycles[0].seq);
	}
	free(ring);
}

/* No further step; and the exit status, once the run is over. */
static void test_end(void **state)
{
	(void)state;
	new_run("");
	tw_part_break.end(&session.run);
	assert_false(session.run.over);
	new_run("-b9");
	tw_part_break.end(&session.run);
	tw_part_break.finish(&session.run);
	assert_false(session.run.over);
	assert_false(tw_part_break.exceeded(&session.run));
	assert_null(tw_part_break_end());
	pair.brk->broken = true;
	assert_false(tw_part_break.exceeded(&session.run));
	tw_part_break.end(&session.run);
	assert_true(session.run.over);
	tw_part_break.finish(&session.run);
	assert_true(tw_part_break.exceeded(&session.run));
	assert_ptr_equal(tw_part_break_end(), pair.brk);
	/* Not one step was begun: there is no pair. */
	new_run("-b9");
	session.pairs = NULL;
	session.steps_done = 0;
	tw_part_break.end(&session.run);
	tw_part_break.finish(&session.run);
	assert_false(tw_part_break.exceeded(&session.run));
}

/* Broken at the second cycle, whose total is 30 us, with the first's means. */
static void new_broken_run(const char *line)
{
	struct tw_break *brk;

	new_run(line);
	brk = pair.brk;
	tw_tally_add(pair.tally, &run_cycles[0]);
	brk->broken = true;
	brk->kept.cycle = run_cycles[1];
	brk->kept.ahead_ns = -RUN_WALL_NS;
	brk->number = 1;
	brk->value_ns = tw_metrics[brk->metric].value_ns(&run_cycles[1],
						 &pair.tally->params);
	tw_kept_means(pair.tally, brk->means_ns);
	tw_tally_add(pair.tally, &run_cycles[1]);
	tw_part_break.finish(&session.run);
}

#define HEAD \
	"# Break thread: 1234\n" \
	"# Break value: 30\n" \
	"# Break: total 30 > 29: cycle 1, 0.000998 s after start, 05:30:00.003002: interval 998 (1004), wakeup 2 (4), send 12 (10), sleep 106 (116), receive 10 (8), response 128 (135), total 30 (39); excess: send 0 %, sleep 0 %, receive 0 %, interval 0 %; CPU client 5, server 4; missed 2\n"

static void test_none(void **state)
{
	(void)state;
	new_finished_run("-b29");
	assert_string_equal(written(tw_part_break.text), "");
	assert_string_equal(written_json(tw_part_break.json),
			    "    \"break\": null\n");
}

static void test_break(void **state)
{
	(void)state;
	new_broken_run("-b29 --break-on=total");
	assert_string_equal(written(tw_part_break.text), HEAD);
	new_broken_run("-b29 --break-on=total --tracemark");
	pair.brk->mark_err = -ENOSPC;
	assert_string_equal(written(tw_part_break.text), HEAD
		"# Break: could not mark and stop the trace: No space left on device\n");
	pair.brk->mark_err = -EBADF;
	assert_string_equal(written(tw_part_break.text), HEAD
		"# Break: no mark: the kernel's tracing is off (tracing_on)\n");
}

static void test_break_on_receive(void **state)
{
	(void)state;
	new_broken_run("-N -i0 -b9 --break-on=receive");
	pair.brk->kept.throttled = true;
	assert_string_equal(written(tw_part_break.text),
		"# Break thread: 1234\n"
		"# Break value: 10000\n"
		"# Break: receive 10000 > 9000: cycle 1, 0.000998 s after start, 05:30:00.003002: interval 998000 (1004000), send 12000 (10500), sleep 106000 (116000), receive 10000 (8500), response 128000 (135000), total 28000 (35000); excess: receive 100 %; CPU client 5, server 4; missed 2, throttled\n");
}

/* In the second step; the report is of both. */
static void test_break_in_ramp(void **state)
{
	static struct tw_pair second;
	struct tw_break *brk;
	void *second_room;

	(void)state;
	new_finished_run("--load=fft --steps=3 -l5 -b38 --break-on=total");
	second = pair;
	second.tally = calloc(1, tw_tally_size(0));
	second_room = calloc(1, tw_run_room(&session.run) + 1);
	assert_true(second.tally && second_room);
	tw_tally_init(second.tally, &pair.tally->params, 0);
	tw_run_attach(&session.run, &second, second_room);
	second.tally->step = 1;
	second.tally->ahead_ns = -RUN_WALL_NS;
	tw_tally_add(second.tally, &run_cycles[0]);
	steps[1] = (struct tw_pairs) { 1, { &second } };
	session.steps_done = 2;
	brk = second.brk;
	brk->broken = true;
	brk->kept = second.tally->worst[TW_TOTAL];
	brk->value_ns = 39000;
	/* Of the first cycle of a step: means of nothing. */
	brk->means_ns[TW_INTERVAL] = 1000000;
	brk->means_ns[TW_SLEEP] = 100000;
	tw_part_break.finish(&session.run);
	tw_tally_merge(pair.tally, second.tally);
	assert_string_equal(written(tw_part_break.text),
		"# Break thread: 1234\n"
		"# Break value: 39\n"
		"# Break: total 39 > 38: step 2, cycle 0, 0.000000 s after start, 05:30:00.002004: interval 1004 (-), wakeup 4 (-), send 10 (-), sleep 116 (-), receive 8 (-), response 135 (-), total 39 (-); CPU client 3, server 2; missed 0\n");
	free(second.tally);
	free(second_room);
}

#define JSON_HEAD(metric, limit, value) \
	"    \"break\": {\n" \
	"      \"metric\": \"" metric "\",\n" \
	"      \"limit_ns\": " limit ",\n" \
	"      \"value_ns\": " value ",\n" \
	"      \"pair\": 0,\n" \
	"      \"cycle\": 1,\n" \
	"      \"step\": 0,\n" \
	"      \"since_start_ns\": 998000,\n" \
	"      \"time\": \"2026-01-01T05:30:00.003002+0530\",\n" \
	"      \"missed\": 2,\n" \
	"      \"throttled\": false,\n" \
	"      \"client_cpu\": 5,\n" \
	"      \"server_cpu\": 4,\n" \
	"      \"interval_ns\": 998000,\n" \
	"      \"wakeup_ns\": 2000,\n" \
	"      \"send_ns\": 12000,\n" \
	"      \"sleep_ns\": 106000,\n" \
	"      \"receive_ns\": 10000,\n" \
	"      \"response_ns\": 128000,\n" \
	"      \"total_ns\": 30000"

static void assert_json(const char *want)
{
	const char *text = written_json(tw_part_break.json);

	assert_members(text);
	assert_string_equal(text, want);
}

static void json_more(struct tw_json *json, const struct tw_break *brk)
{
	assert_ptr_equal(brk, pair.brk);
	tw_json_bool(json, "more", true);
}

static void test_json(void **state)
{
	(void)state;
	new_broken_run("-N -b29 --break-on=total");
	pair.brk->json = NULL;
	assert_json(JSON_HEAD("total", "29000", "30000") "\n    }\n");
	new_broken_run("-b11 --break-on=send");
	pair.brk->json = json_more;
	assert_json(JSON_HEAD("send", "11000", "12000") ",\n"
		    "      \"more\": true\n    }\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_closed_loop),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_attach),
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_break),
		cmocka_unit_test(test_break_on_receive),
		cmocka_unit_test(test_break_in_ramp),
		cmocka_unit_test(test_json),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
