// SPDX-License-Identifier: GPL-2.0-or-later
/* The measured loop, with a clock and a timer by script. */
#include <errno.h>

#include "loop_client.h"

/* Reads: t0 of the priming expiry, then t0 and t3 of each cycle. */
static void assert_cycles(uint64_t count)
{
	int64_t planned_ns = GRID_START +
			     (script_timer.overruns[0] + 1) * GRID_PERIOD;
	int64_t last_t0_ns = script.times_ns[0];
	uint64_t i;

	assert_int_equal(sink.warm + sink.recorded, count);
	for (i = 0; i < count; i++) {
		const struct tw_cycle *cycle = &sink.cycles[i];
		const struct tw_reply reply = reply_to(i + 1);

		assert_int_equal(cycle->seq, i + 1);
		assert_int_equal(cycle->prev_t0_ns, last_t0_ns);
		assert_int_equal(cycle->t0_ns, script.times_ns[1 + 2 * i]);
		assert_int_equal(cycle->t1_ns, reply.t1_ns);
		assert_int_equal(cycle->t2_ns, reply.t2_ns);
		assert_int_equal(cycle->server_cpu, reply.cpu);
		assert_int_equal(cycle->t3_ns, script.times_ns[2 + 2 * i]);
		assert_int_equal(cycle->planned_ns, planned_ns);
		assert_int_equal(cycle->missed, script_timer.overruns[1 + i]);
		assert_int_equal(script_timer.awake_ns[1 + i], cycle->t0_ns);
		planned_ns += (int64_t)(cycle->missed + 1) * GRID_PERIOD;
		last_t0_ns = cycle->t0_ns;
	}
}

static void assert_timer(size_t starts, size_t waits, size_t settles,
			 size_t stops)
{
	assert_int_equal(script_timer.starts, starts);
	assert_int_equal(script_timer.waits, waits);
	assert_int_equal(script_timer.settles, settles);
	assert_int_equal(script_timer.stops, stops);
}

static void check_run(uint64_t warmup, uint64_t loops)
{
	const struct tw_client client = new_client(warmup, loops);
	const uint64_t all = warmup + loops;
	uint64_t seed = 9, i;

	for (i = 0; i <= all; i++)
		script_timer.overruns[i] = i % 3 ? 0 :
					   unit_between(&seed, 0, 9);
	load_replies(1, all);
	assert_int_equal(tw_client_run(&client), 0);
	assert_int_equal(sink.warm, warmup);
	assert_int_equal(sink.recorded, loops);
	assert_int_equal(sink.steady_calls, 1);
	assert_int_equal(sink.warm_at_steady, warmup);
	assert_int_equal(sink.recorded_at_steady, 0);
	assert_int_equal(script.reads, 1 + 2 * all);
	assert_cycles(all);
	assert_timer(1, all + 1, all + 1, 1);
	assert_requests(all, TW_REQUEST_MIN);
}

static void test_cycles(void **state)
{
	(void)state;
	check_run(2, 50);
}

static void test_no_warmup(void **state)
{
	(void)state;
	check_run(0, 5);
}

static void test_one_cycle(void **state)
{
	(void)state;
	check_run(0, 1);
}

/* At t0 the request is ready: it is only sent after that. */
static int64_t read_and_look(const struct tw_clock *clock)
{
	const size_t reads = script.reads;
	char left;
	int bytes;

	assert_int_equal(ioctl(ends[1], FIONREAD, &bytes), 0);
	assert_int_equal(bytes, reads / 2 * TW_REQUEST_MIN);
	if (reads % 2)
		assert_int_equal(tw_wire_get_request(request, TW_REQUEST_MIN,
						     TW_REQUEST_MIN,
						     reads / 2 + 1), 0);
	/* And at t3 the reply has been received. */
	else if (reads == 10)
		assert_int_equal(recv(ends[0], &left, 1, MSG_DONTWAIT), -1);
	return script_read_ns(clock);
}

static void test_order(void **state)
{
	struct tw_client client = new_client(1, 4);

	(void)state;
	script.clock.read_ns = read_and_look;
	load_replies(1, 5);
	assert_int_equal(tw_client_run(&client), 0);
	assert_cycles(5);
	assert_int_equal(script.reads, 11);
}

static void test_sizes(void **state)
{
	static const size_t sizes[] = { 9, 100, 1500, TW_REQUEST_MAX };
	struct tw_client client;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		client = new_client(0, 1);
		client.size = sizes[i];
		load_replies(1, 1);
		assert_int_equal(tw_client_run(&client), 0);
		assert_requests(1, sizes[i]);
	}
}

/* A clock that cannot drive a timer: its lead goes into planned and back. */
static void test_other_timer_clock(void **state)
{
	struct tw_client client = new_client(0, 5);
	int64_t ahead_ns;
	size_t i;

	(void)state;
	client.clock->own_timer = false;
	client.clock->timer_clockid = CLOCK_MONOTONIC;
	load_replies(1, 5);
	assert_int_equal(tw_client_run(&client), 0);
	assert_int_equal(sink.recorded, 5);
	for (i = 0; i < 5; i++) {
		ahead_ns = sink.cycles[i].planned_ns -
			   (GRID_START + (int64_t)(i + 1) * GRID_PERIOD);
		assert_int_equal(sink.cycles[i].t0_ns -
				 script_timer.awake_ns[1 + i], ahead_ns);
	}
	/* Between t0 and the next nobody waits for that clock read. */
	assert_int_equal(sink.cycles[0].t0_ns, script.times_ns[2]);
	assert_int_equal(sink.cycles[0].t3_ns, script.times_ns[3]);
	assert_int_equal(sink.cycles[1].t0_ns, script.times_ns[5]);
}

static void test_own_cpu(void **state)
{
	static const bool either[] = { false, true };
	size_t i, j;

	(void)state;
	for (i = 0; i < 2; i++) {
		const struct tw_client client = new_client(0, 3);
		int cpu = allowed_cpu(either[i]);
		cpu_set_t before;

		memset(&sink, 0, sizeof(sink));
		load_replies(1, 3);
		stay_on(cpu, &before);
		assert_int_equal(tw_client_run(&client), 0);
		go_anywhere(&before);
		assert_int_equal(sink.recorded, 3);
		for (j = 0; j < 3; j++)
			assert_int_equal(sink.cycles[j].client_cpu, cpu);
	}
}

/* Requests that were sent when each cycle was recorded. */
static size_t sent_at[SINK_MAX];
static size_t stop_after;	/* so many cycles */

static void record_sent(void *to, const struct tw_cycle *cycle)
{
	int bytes;

	assert_int_equal(ioctl(ends[1], FIONREAD, &bytes), 0);
	sent_at[sink.recorded] = bytes / TW_REQUEST_MIN;
	record(to, cycle);
	if (sink.recorded == stop_after)
		atomic_store(&stop, 1);
}

static struct tw_client new_recorder(int64_t period_ns, bool prompt)
{
	struct tw_client client = new_client(0, 0);

	client.period_ns = period_ns;
	client.prompt = prompt;
	client.record = record_sent;
	return client;
}

/* The cycle that has to be the last is: no other request goes out. */
static void check_prompt(int64_t period_ns)
{
	const struct tw_client client = new_recorder(period_ns, true);
	size_t i;

	stop_after = 6;
	load_replies(1, 20);
	assert_int_equal(tw_client_run(&client), 0);
	assert_cycles(6);
	for (i = 0; i < 6; i++)
		assert_int_equal(sent_at[i], i + 1);
	assert_requests(6, TW_REQUEST_MIN);
}

static void test_prompt(void **state)
{
	(void)state;
	check_prompt(GRID_PERIOD);
}

static void test_prompt_in_closed_loop(void **state)
{
	(void)state;
	check_prompt(0);
}

/* Otherwise a closed loop records while the server has the next request. */
static void test_closed_loop(void **state)
{
	struct tw_client client = new_recorder(0, false);
	size_t i;

	(void)state;
	client.loops = 6;
	stop_after = SINK_MAX;
	load_replies(1, 6);
	assert_int_equal(tw_client_run(&client), 0);
	assert_cycles(6);
	for (i = 0; i < 5; i++)
		assert_int_equal(sent_at[i], i + 2);
	assert_int_equal(sent_at[5], 6);
	assert_requests(6, TW_REQUEST_MIN);
}

/* Main sets the flag and interrupts the wait for an expiry. */
static void check_stop(size_t at)
{
	const struct tw_client client = new_client(1, 0);

	stop_at = at;
	script_timer.during = set_stop;
	script_timer.errors[at] = -EINTR;
	load_replies(1, 20);
	assert_int_equal(tw_client_run(&client), 0);
	assert_cycles(at ? at - 1 : 0);
	assert_int_equal(script_timer.waits, at + 1);
	assert_int_equal(script_timer.stops, 1);
	assert_requests(at ? at - 1 : 0, TW_REQUEST_MIN);
}

static void test_stop(void **state)
{
	(void)state;
	check_stop(13);
}

static void test_stop_amid_priming(void **state)
{
	(void)state;
	check_stop(0);
	assert_int_equal(sink.steady_calls, 0);
}

/* An expiry that came together with the flag still gets its cycle. */
static void test_stop_without_signal(void **state)
{
	const struct tw_client client = new_client(0, 0);

	(void)state;
	stop_at = 7;
	script_timer.during = set_stop;
	load_replies(1, 20);
	assert_int_equal(tw_client_run(&client), 0);
	assert_cycles(7);
	assert_requests(7, TW_REQUEST_MIN);
}

/* One of many may have been disturbed; but the only one is better than none. */
static void test_stop_of_several(void **state)
{
	struct tw_client client = new_client(1, 0);

	(void)state;
	client.several = true;
	stop_at = 8;
	script_timer.during = set_stop;
	load_replies(1, 20);
	assert_int_equal(tw_client_run(&client), 0);
	assert_cycles(7);
	assert_requests(8, TW_REQUEST_MIN);
}

static void test_stop_of_several_at_first(void **state)
{
	struct tw_client client = new_client(1, 0);

	(void)state;
	client.several = true;
	stop_at = 2;
	script_timer.during = set_stop;
	load_replies(1, 20);
	assert_int_equal(tw_client_run(&client), 0);
	assert_cycles(2);
	assert_int_equal(sink.recorded, 1);
}

/* All is recorded, and no timer runs: it may wait for as long as it likes. */
static void test_done(void **state)
{
	struct tw_client client = new_client(2, 5);

	(void)state;
	client.done = done;
	load_replies(1, 7);
	assert_int_equal(tw_client_run(&client), 0);
	assert_int_equal(sink.done_calls, 1);
	assert_int_equal(sink.recorded_at_done, 5);
	assert_int_equal(sink.stops_at_done, 1);
}

static void test_stop_before_start(void **state)
{
	const struct tw_client client = new_client(0, 5);

	(void)state;
	atomic_store(&stop, 1);
	assert_int_equal(tw_client_run(&client), 0);
	assert_int_equal(sink.recorded + sink.steady_calls, 0);
	assert_int_equal(script_timer.waits, 0);
	assert_int_equal(script_timer.stops, 1);
	assert_requests(0, TW_REQUEST_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_ENDS(test_cycles),
		WITH_ENDS(test_no_warmup),
		WITH_ENDS(test_one_cycle),
		WITH_ENDS(test_order),
		WITH_ENDS(test_sizes),
		WITH_ENDS(test_other_timer_clock),
		WITH_ENDS(test_own_cpu),
		WITH_ENDS(test_prompt),
		WITH_ENDS(test_prompt_in_closed_loop),
		WITH_ENDS(test_closed_loop),
		WITH_ENDS(test_stop),
		WITH_ENDS(test_stop_amid_priming),
		WITH_ENDS(test_stop_without_signal),
		WITH_ENDS(test_stop_of_several),
		WITH_ENDS(test_stop_of_several_at_first),
		WITH_ENDS(test_done),
		WITH_ENDS(test_stop_before_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
