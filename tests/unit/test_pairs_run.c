// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a run of three pairs: who is started and stopped, and when. */
#include "run.h"

#define CLIENT_ENDS(ms, index) \
	{ .at_ms = (ms), .ends = true, .role = TW_CLIENT, .pair = (index) }
#define SERVER_ENDS(ms, index) \
	{ .at_ms = (ms), .ends = true, .role = TW_SERVER, .pair = (index) }

#define PAIR_STARTED(index) \
	"link " #index "\nstart server " #index "\nstart client " #index "\n"
#define ALL_STARTED \
	PAIR_STARTED(0) PAIR_STARTED(1) PAIR_STARTED(2) "close links\n"
/* Pids: ten more from pair to pair; a client is 102. */
#define ALL_STOPPED \
	"wake 102\nwake 112\nwake 122\n" \
	"stop client 0\nstop client 1\nstop client 2\n" \
	"wake 101\nwake 111\nwake 121\n" \
	"stop server 0\nstop server 1\nstop server 2\n"

static int set_up_three(void **state)
{
	int err = set_up(state);

	use_pairs(3);
	return err;
}

static int gate_of(unsigned int index)
{
	int value = -1;

	assert_int_equal(sem_getvalue(&world_pair(index)->gate, &value), 0);
	return value;
}

/* The run goes on until the last client is done. */
static void test_all_done(void **state)
{
	(void)state;
	world.events[0] = (struct event)CLIENT_ENDS(30, 1);
	world.events[1] = (struct event)SERVER_ENDS(31, 1);
	world.events[2] = (struct event)CLIENT_ENDS(40, 0);
	world.events[3] = (struct event)CLIENT_ENDS(70, 2);
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_int_equal(session.run.err, 0);
	assert_int_equal(now_ms(), 70);
	assert_string_equal(world.noted,
			    ALL_STARTED "wake 101\nwake 121\n"
			    "stop server 0\nstop server 2\n");
}

/* Nobody begins before all are ready; without -A at no common time. */
static void test_gates(void **state)
{
	unsigned int k;

	(void)state;
	world.events[0] = (struct event) { .at_ms = 20, .signal = SIGTERM };
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_string_equal(world.noted, ALL_STARTED ALL_STOPPED);
	for (k = 0; k < 3; k++) {
		assert_int_equal(gate_of(k), 1);
		assert_int_equal(world_pair(k)->first_ns, 0);
	}
}

/* One first expiry, in a future that gives all of them time to be there. */
static void check_aligned(int64_t aligned_us)
{
	unsigned int k;

	set_up_three(NULL);
	config.pairs.aligned = true;
	config.pairs.aligned_us = aligned_us;
	world.events[0] = (struct event) { .at_ms = 20, .signal = SIGTERM };
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_true(pair.first_ns > START_NS);
	assert_true(pair.first_ns < START_NS + TW_NS_PER_S);
	for (k = 1; k < 3; k++)
		assert_int_equal(world_pair(k)->first_ns - pair.first_ns,
				 k * aligned_us * TW_NS_PER_US);
}

static void test_aligned(void **state)
{
	(void)state;
	check_aligned(0);
	check_aligned(1);
	check_aligned(250);
	check_aligned(1000000);
}

/* Who could not be connected, or started, has the others stopped. */
static void test_link_fails(void **state)
{
	unsigned int k;

	(void)state;
	world.link_err_at = 1;
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_error(-EBADF, "no link");
	assert_false(session.run.started);
	assert_string_equal(world.noted,
			    PAIR_STARTED(0) "link 1\nclose links\nwake 102\n"
			    "stop client 0\nwake 101\nstop server 0\n");
	/* Nobody is let in; and whoever waits is told that it is over. */
	for (k = 0; k < 3; k++) {
		assert_int_equal(gate_of(k), 0);
		assert_int_equal(atomic_load(&world_pair(k)->stop), 1);
	}
}

static void test_start_fails(void **state)
{
	(void)state;
	world.start_err[TW_CLIENT] = -EAGAIN;
	world.start_err_at = 2;
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_int_equal(session.run.err, -EAGAIN);
	assert_int_equal(world.failure.step, TW_STEP_START);
	assert_int_equal(world.failure.role, TW_CLIENT);
	assert_int_equal(world.failure.pair, 5);
	assert_false(session.run.started);
	assert_string_equal(world.noted, ALL_STARTED
			    "wake 102\nwake 112\n"
			    "stop client 0\nstop client 1\n"
			    "wake 101\nwake 111\nwake 121\n"
			    "stop server 0\nstop server 1\nstop server 2\n");
}

/* A signal that comes while many are started does not wait for the last. */
static void test_told_while_starting(void **state)
{
	(void)state;
	world.told_at = 2;
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_error(-EINTR, "nothing was measured: signal 15 (Terminated) came when 2 of 3 pairs were started");
	assert_int_equal(session.run.interrupted, SIGTERM);
	assert_string_equal(world.noted, PAIR_STARTED(0) PAIR_STARTED(1)
			    "close links\nwake 102\nwake 112\n"
			    "stop client 0\nstop client 1\n"
			    "wake 101\nwake 111\n"
			    "stop server 0\nstop server 1\n");
}

/* In a later step, what the earlier ones have measured is kept. */
static void test_told_in_a_later_step(void **state)
{
	(void)state;
	session.run.started = true;
	world.told_at = 1;
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_int_equal(session.run.err, 0);
	assert_int_equal(session.run.interrupted, SIGTERM);
}

/* All sides of a role share the time that they have to end in. */
static void test_time_to_stop(void **state)
{
	int role, k;

	(void)state;
	world.stop_takes_ms = 600;
	world.events[0] = (struct event) { .at_ms = 20, .signal = SIGTERM };
	assert_int_equal(tw_session_run(&session.run), 0);
	for (role = TW_SERVER; role <= TW_CLIENT; role++)
		for (k = 0; k < 3; k++)
			assert_int_equal(world.limits_ms[role][k],
					 k == 0 ? 1000 : k == 1 ? 400 : 0);
}

static void check_killed(enum tw_role role, unsigned int index)
{
	set_up_three(NULL);
	world.events[0] = (struct event) {
		.at_ms = 10, .ends = true, .role = role, .pair = (int)index,
		.status = SIGKILL,
	};
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_int_equal(session.run.err, SIGKILL);
	assert_int_equal(now_ms(), 10);
	assert_int_equal(world.failure.step, TW_STEP_KILLED);
	assert_int_equal(world.failure.role, role);
	assert_int_equal(world.failure.pair, 3 + index);
	assert_ptr_equal(world.failure.child,
			 &world_pair(index)->side[role].child);
}

/* Any side that is killed ends the run of all, and is named. */
static void test_killed(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < 3; k++) {
		check_killed(TW_CLIENT, k);
		check_killed(TW_SERVER, k);
	}
}

/*
 * A client closes its connection, and its server ends before it does: that is
 * no reason to end the run of the others.
 */
static void test_server_ends_first(void **state)
{
	(void)state;
	world.events[0] = (struct event)SERVER_ENDS(10, 1);
	world.events[1] = (struct event)CLIENT_ENDS(11, 1);
	world.events[2] = (struct event)SERVER_ENDS(20, 0);
	world.events[3] = (struct event)CLIENT_ENDS(21, 0);
	world.events[4] = (struct event)SERVER_ENDS(30, 2);
	world.events[5] = (struct event)CLIENT_ENDS(31, 2);
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_int_equal(session.run.err, 0);
	assert_int_equal(now_ms(), 31);
	assert_string_equal(world.noted, ALL_STARTED);
}

/* One that fails is. */
static void test_server_fails(void **state)
{
	(void)state;
	world.events[0] = (struct event) {
		.at_ms = 10, .ends = true, .role = TW_SERVER, .pair = 1,
		.status = 1 << 8, .failed = TW_STEP_RUN, .err = -EPROTO,
	};
	assert_int_equal(tw_session_run(&session.run), -ECANCELED);
	assert_int_equal(session.run.err, -EPROTO);
	assert_int_equal(world.failure.pair, 4);
	assert_int_equal(now_ms(), 10);
}

/* -b: a client that has set the flag of its pair ends the run of all. */
static void test_stopped_by_itself(void **state)
{
	(void)state;
	atomic_store(&world_pair(1)->stop, 1);
	world.events[0] = (struct event)CLIENT_ENDS(10, 0);
	world.events[1] = (struct event)CLIENT_ENDS(20, 1);
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_int_equal(session.run.err, 0);
	assert_int_equal(now_ms(), 20);
	assert_string_equal(world.noted, ALL_STARTED "wake 122\nstop client 2\n"
			    "wake 101\nwake 111\nwake 121\n"
			    "stop server 0\nstop server 1\nstop server 2\n");
}

/* The time of -D begins when the last has had its warm-up. */
static void test_duration(void **state)
{
	unsigned int k;

	(void)state;
	config.duration_s = 2;
	config.warmup = 10;
	for (k = 0; k < 3; k++)
		world_pair(k)->task.period_ns = (k + 1) * TW_NS_PER_MS;
	session.run.tick_ms = 100;
	world.events[0] = (struct event) { .at_ms = 30, .steady = true };
	world.events[1] = (struct event) { .at_ms = 40, .steady = true,
					   .pair = 2 };
	world.events[2] = (struct event) { .at_ms = 60, .steady = true,
					   .pair = 1 };
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_int_equal(session.end_ns, START_NS + 2060 * TW_NS_PER_MS);
	assert_in_range(now_ms(), 2060, 2061);
}

/* Each flag is set before any side is waited for. */
static void test_flags(void **state)
{
	unsigned int k;

	(void)state;
	config.duration_s = 1;
	assert_int_equal(tw_session_run(&session.run), 0);
	assert_true(world.flag_at_stop[TW_CLIENT]);
	assert_true(world.flag_at_stop[TW_SERVER]);
	for (k = 0; k < 3; k++)
		assert_int_equal(atomic_load(&world_pair(k)->stop), 1);
	assert_non_null(strstr(world.noted, ALL_STARTED ALL_STOPPED));
}

#define OF_THREE(test)	cmocka_unit_test_setup(test, set_up_three)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OF_THREE(test_all_done),
		OF_THREE(test_gates),
		OF_THREE(test_aligned),
		OF_THREE(test_link_fails),
		OF_THREE(test_start_fails),
		OF_THREE(test_told_while_starting),
		OF_THREE(test_told_in_a_later_step),
		OF_THREE(test_time_to_stop),
		OF_THREE(test_killed),
		OF_THREE(test_server_ends_first),
		OF_THREE(test_server_fails),
		OF_THREE(test_stopped_by_itself),
		OF_THREE(test_duration),
		OF_THREE(test_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
