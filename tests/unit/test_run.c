// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a run that nothing goes wrong in: order, time, ticks, signals. */
#include "run.h"

#define CLIENT_ENDS(ms)	{ .at_ms = (ms), .ends = true, .role = TW_CLIENT }

static void test_client_done(void **state)
{
	(void)state;
	world.events[0] = (struct event) { .at_ms = 40, .signal = SIGCHLD };
	world.events[1] = (struct event)CLIENT_ENDS(300);
	assert_int_equal(tw_session_run(&session, &watch), 0);
	assert_string_equal(world.noted, STARTED "stop server\n");
	assert_true(session.started);
	assert_int_equal(session.failure.step, TW_STEP_NONE);
	assert_int_equal(session.interrupted, 0);
	assert_true(world.flag_at_stop[TW_SERVER]);
	assert_int_equal(steps[1].elapsed_ns, 300 * TW_NS_PER_MS);
	assert_int_equal(steps[0].elapsed_ns + steps[2].elapsed_ns, 0);
	assert_int_equal(world.polls, 2);
	/* Where nothing is due there is an hour to wait for. */
	assert_int_equal(world.timeouts_ms[0], 3600 * 1000);
}

/* Once it is gone, the client can only fail. */
static void test_server_done(void **state)
{
	(void)state;
	world.events[0] = (struct event) {
		.at_ms = 7, .ends = true, .role = TW_SERVER,
	};
	assert_int_equal(tw_session_run(&session, &watch), 0);
	assert_string_equal(world.noted, STARTED "stop client\n");
}

/* Of a client and a server that run on, the client is stopped first. */
static void test_duration(void **state)
{
	(void)state;
	config.duration_s = 2;
	assert_int_equal(tw_session_run(&session, &watch), 0);
	assert_string_equal(world.noted, STARTED STOPPED);
	assert_true(world.flag_at_stop[TW_CLIENT]);
	assert_int_equal(session.end_ns, START_NS + 2 * TW_NS_PER_S);
	/* Rounded up: too early would be once more. */
	assert_int_equal(world.polls, 1);
	assert_int_equal(world.timeouts_ms[0], 2001);
}

static void check_warmup(int64_t interval_us, int64_t sleep_us, int want_ms)
{
	set_up(NULL);
	config.duration_s = 2;
	config.warmup = 1000;
	config.interval_us = interval_us;
	config.sleep_us = sleep_us;
	assert_int_equal(tw_session_run(&session, &watch), 0);
	assert_int_equal(session.end_ns, START_NS + want_ms * TW_NS_PER_MS);
	assert_int_equal(now_ms(), want_ms + 1);
}

/* Of the sleep where there is no interval. */
static void test_duration_after_warmup(void **state)
{
	(void)state;
	check_warmup(0, 0, 2000);
	check_warmup(500, 0, 2500);
	check_warmup(500, 100, 2500);
	check_warmup(0, 100, 2100);
}

/* The time of -D is that of the measured cycles. */
static void check_steady(int at_ms)
{
	set_up(NULL);
	config.duration_s = 2;
	config.warmup = 1000;
	config.interval_us = 1000;
	world.events[0] = (struct event) { .at_ms = at_ms, .steady = true };
	/* Tells main of nothing, as in earnest. */
	watch.tick_ms = 100;
	assert_int_equal(tw_session_run(&session, &watch), 0);
	assert_int_equal(session.end_ns,
			 START_NS + (2000 + at_ms) * TW_NS_PER_MS);
	assert_in_range(now_ms(), 2000 + at_ms, 2000 + at_ms + 1);
}

static void test_duration_since_steady(void **state)
{
	(void)state;
	check_steady(5);
	check_steady(1000);
	check_steady(2950);
}

static void test_hours(void **state)
{
	(void)state;
	config.duration_s = 2 * 3600;
	assert_int_equal(tw_session_run(&session, &watch), 0);
	assert_int_equal(world.timeouts_ms[0], 3600 * 1000);
	assert_int_equal(world.timeouts_ms[1], 3600 * 1000 + 1);
	assert_int_equal(world.polls, 2);
}

/* On a grid, however late one is; those that were missed are not made up. */
static void test_ticks(void **state)
{
	(void)state;
	watch.tick_ms = 100;
	watch.tick = on_tick;
	world.events[0] = (struct event) { .at_ms = 250, .signal = SIGCHLD,
					   .late_ms = 170 };
	world.events[1] = (struct event) { .at_ms = 550, .signal = SIGCHLD };
	world.events[2] = (struct event)CLIENT_ENDS(640);
	assert_int_equal(tw_session_run(&session, &watch), 0);
	assert_string_equal(world.noted,
			    STARTED "tick 101\ntick 201\ntick 420\ntick 501\n"
			    "tick 601\nstop server\n");
}

static void test_no_tick_at_end(void **state)
{
	(void)state;
	watch.tick_ms = 500;
	watch.tick = on_tick;
	config.duration_s = 1;
	assert_int_equal(tw_session_run(&session, &watch), 0);
	assert_string_equal(world.noted, STARTED "tick 501\n" STOPPED);
}

/* At ticks, and what is left in the end. */
static void test_cycles(void **state)
{
	(void)state;
	pair.ring = &ring;
	watch.tick_ms = 100;
	watch.tick = on_tick;
	watch.cycle = on_cycle;
	world.events[0] = (struct event) { .at_ms = 10, .cycles = 2 };
	world.events[1] = (struct event)CLIENT_ENDS(150);
	world.events[1].cycles = 3;
	assert_int_equal(tw_session_run(&session, &watch), 0);
	assert_string_equal(world.noted,
			    STARTED "cycle 1\ncycle 2\ntick 101\nstop server\n"
			    "cycle 3\ncycle 4\ncycle 5\n");
}

/* Nobody has to want ticks for that. */
static void test_cycles_without_tick(void **state)
{
	(void)state;
	pair.ring = &ring;
	watch.tick_ms = 100;
	watch.cycle = on_cycle;
	world.events[0] = (struct event) { .at_ms = 10, .cycles = 1 };
	world.events[1] = (struct event)CLIENT_ENDS(150);
	assert_int_equal(tw_session_run(&session, &watch), 0);
	assert_string_equal(world.noted, STARTED "cycle 1\nstop server\n");
}

static void test_signals_that_end(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	size_t i;

	for (i = 0; i < 3; i++) {
		set_up(state);
		world.events[0] = (struct event) {
			.at_ms = 20, .signal = numbers[i],
		};
		assert_int_equal(tw_session_run(&session, &watch), 0);
		assert_int_equal(session.interrupted, numbers[i]);
		assert_int_equal(now_ms(), 20);
		assert_string_equal(world.noted, STARTED STOPPED);
	}
}

/* Whatever is queued before it, in one go. */
static void test_signals_together(void **state)
{
	(void)state;
	watch.status = on_status;
	queue(SIGUSR1);
	queue(SIGCHLD);
	world.events[0] = (struct event) { .at_ms = 20, .signal = SIGTERM };
	assert_int_equal(tw_session_run(&session, &watch), 0);
	assert_int_equal(session.interrupted, SIGTERM);
	assert_int_equal(world.polls, 1);
	assert_string_equal(world.noted, STARTED "status 20\n" STOPPED);
}

static void test_status(void **state)
{
	(void)state;
	watch.status = on_status;
	world.events[0] = (struct event) { .at_ms = 20, .signal = SIGUSR1 };
	world.events[1] = (struct event) { .at_ms = 30, .signal = SIGUSR1 };
	world.events[2] = (struct event)CLIENT_ENDS(40);
	assert_int_equal(tw_session_run(&session, &watch), 0);
	assert_int_equal(session.interrupted, 0);
	assert_string_equal(world.noted,
			    STARTED "status 20\nstatus 30\nstop server\n");
	/* It may be that nobody wants to hear of it. */
	set_up(state);
	world.events[0] = (struct event) { .at_ms = 20, .signal = SIGUSR1 };
	world.events[1] = (struct event)CLIENT_ENDS(40);
	assert_int_equal(tw_session_run(&session, &watch), 0);
	assert_int_equal(session.interrupted, 0);
	assert_int_equal(now_ms(), 40);
}

static void test_strangers(void **state)
{
	(void)state;
	session.strangers = 1;
	world.events[0] = (struct event) { .at_ms = 10, .strangers = 2 };
	world.events[1] = (struct event) { .at_ms = 15, .strangers = 3 };
	world.events[2] = (struct event)CLIENT_ENDS(20);
	assert_int_equal(tw_session_run(&session, &watch), 0);
	assert_int_equal(session.strangers, 6);
	assert_int_equal(now_ms(), 20);
}

static void check_outrank(int main_priority, const char *before,
			  const char *after)
{
	char want[200];

	set_up(NULL);
	session.task.policy = SCHED_RR;
	session.task.priority[TW_CLIENT] = 50;
	session.task.priority[TW_SERVER] = 60;
	session.task.priority[TW_MAIN] = main_priority;
	world.events[0] = (struct event)CLIENT_ENDS(20);
	assert_int_equal(tw_session_run(&session, &watch), 0);
	snprintf(want, sizeof(want), "%s" STARTED "%sstop server\n", before,
		 after);
	assert_string_equal(world.noted, want);
}

/* Main has the client's priority while it still has to start the sides. */
static void test_outrank(void **state)
{
	(void)state;
	check_outrank(49, "schedule 2 50\n", "schedule 2 49\n");
	check_outrank(50, "", "");
	check_outrank(51, "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_client_done),
		IN_WORLD(test_server_done),
		IN_WORLD(test_duration),
		IN_WORLD(test_duration_after_warmup),
		IN_WORLD(test_duration_since_steady),
		IN_WORLD(test_hours),
		IN_WORLD(test_ticks),
		IN_WORLD(test_no_tick_at_end),
		IN_WORLD(test_cycles),
		IN_WORLD(test_cycles_without_tick),
		IN_WORLD(test_signals_that_end),
		IN_WORLD(test_signals_together),
		IN_WORLD(test_status),
		IN_WORLD(test_strangers),
		IN_WORLD(test_outrank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
