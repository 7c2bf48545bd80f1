// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a run that nothing goes wrong in: order, time, ticks, signals. */
#include "run.h"

#define CLIENT_ENDS(ms)	{ .at_ms = (ms), .ends = true, .role = TW_CLIENT }

static void test_client_done(void **state)
{
	(void)state;
	world.events[0] = (struct event) { .at_ms = 40, .signal = SIGCHLD };
	world.events[1] = (struct event)CLIENT_ENDS(300);
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_string_equal(world.noted, STARTED "stop server\n");
	assert_true(session.run.started);
	assert_int_equal(session.run.err, 0);
	assert_int_equal(session.run.interrupted, 0);
	assert_true(world.flag_at_stop[TW_SERVER]);
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
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_string_equal(world.noted, STARTED "stop client\n");
}

/* Of a client and a server that run on, the client is stopped first. */
static void test_duration(void **state)
{
	(void)state;
	config.duration_s = 2;
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_string_equal(world.noted, STARTED STOPPED);
	assert_true(world.flag_at_stop[TW_CLIENT]);
	assert_int_equal(session.end_ns, START_NS + 2 * TW_NS_PER_S);
	/* Rounded up: too early would be once more. */
	assert_int_equal(world.polls, 1);
	assert_int_equal(world.timeouts_ms[0], 2001);
}

static void check_warmup(int64_t interval_us, int64_t sleep_us, int want_us)
{
	set_up(NULL);
	config.duration_s = 2;
	config.warmup = 1000;
	pair.task.period_ns = interval_us * TW_NS_PER_US;
	pair.task.sleep_ns = sleep_us * TW_NS_PER_US;
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_int_equal(session.end_ns, START_NS + want_us * TW_NS_PER_US);
	assert_int_equal(now_ms(), want_us / 1000 + 1);
}

/* Of the sleep where there is no interval; else one that begins the first. */
static void test_duration_after_warmup(void **state)
{
	(void)state;
	check_warmup(0, 0, 2000000);
	check_warmup(500, 0, 2500500);
	check_warmup(500, 100, 2500500);
	check_warmup(0, 100, 2100000);
}

/* The time of -D is that of the measured cycles. */
static void check_steady(int at_ms)
{
	set_up(NULL);
	config.duration_s = 2;
	config.warmup = 1000;
	pair.task.period_ns = TW_NS_PER_MS;
	world.events[0] = (struct event) { .at_ms = at_ms, .steady = true };
	/* Tells main of nothing, as in earnest. */
	session.run.tick_ms = 100;
	assert_int_equal(tw_session_run(&session.run), 0);
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
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_int_equal(world.timeouts_ms[0], 3600 * 1000);
	assert_int_equal(world.timeouts_ms[1], 3600 * 1000 + 1);
	assert_int_equal(world.polls, 2);
}

/* On a grid, however late one is; those that were missed are not made up. */
static void test_ticks(void **state)
{
	(void)state;
	session.run.tick_ms = 100;
	world.events[0] = (struct event) { .at_ms = 250, .signal = SIGCHLD,
					   .late_ms = 170 };
	world.events[1] = (struct event) { .at_ms = 550, .signal = SIGCHLD };
	world.events[2] = (struct event)CLIENT_ENDS(640);
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_string_equal(world.noted,
			    STARTED "tick 101\ntick 201\ntick 420\ntick 501\n"
			    "tick 601\nstop server\n");
}

static void test_no_tick_at_end(void **state)
{
	(void)state;
	session.run.tick_ms = 500;
	config.duration_s = 1;
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_string_equal(world.noted, STARTED "tick 501\n" STOPPED);
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
		assert_int_equal(tw_session_run(&session.run), 0);
		assert_int_equal(session.run.interrupted, numbers[i]);
		assert_int_equal(now_ms(), 20);
		assert_string_equal(world.noted, STARTED STOPPED);
	}
}

/* Whatever is queued before it, in one go. */
static void test_signals_together(void **state)
{
	(void)state;
	queue(SIGUSR1);
	queue(SIGCHLD);
	world.events[0] = (struct event) { .at_ms = 20, .signal = SIGTERM };
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_int_equal(session.run.interrupted, SIGTERM);
	assert_int_equal(world.polls, 1);
	assert_string_equal(world.noted, STARTED "status 20\n" STOPPED);
}

static void test_status(void **state)
{
	(void)state;
	world.events[0] = (struct event) { .at_ms = 20, .signal = SIGUSR1 };
	world.events[1] = (struct event) { .at_ms = 30, .signal = SIGUSR1 };
	world.events[2] = (struct event)CLIENT_ENDS(40);
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_int_equal(session.run.interrupted, 0);
	assert_string_equal(world.noted,
			    STARTED "status 20\nstatus 30\nstop server\n");
}

static void test_strangers(void **state)
{
	(void)state;
	session.strangers = 1;
	world.events[0] = (struct event) { .at_ms = 10, .strangers = 2 };
	world.events[1] = (struct event) { .at_ms = 15, .strangers = 3 };
	world.events[2] = (struct event)CLIENT_ENDS(20);
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_int_equal(session.strangers, 6);
	assert_int_equal(now_ms(), 20);
}

static void check_outrank(int main_priority, const char *before,
			  const char *after)
{
	char want[200];

	set_up(NULL);
	pair.task.policy = SCHED_RR;
	pair.task.priority[TW_CLIENT] = 50;
	pair.task.priority[TW_SERVER] = 60;
	pair.task.priority[TW_MAIN] = main_priority;
	world.events[0] = (struct event)CLIENT_ENDS(20);
	assert_int_equal(tw_session_run(&session.run), 0);
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
		IN_WORLD(test_signals_that_end),
		IN_WORLD(test_signals_together),
		IN_WORLD(test_status),
		IN_WORLD(test_strangers),
		IN_WORLD(test_outrank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
