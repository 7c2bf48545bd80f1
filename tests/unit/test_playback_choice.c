// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether the scheduler chose an ordinary task before a real-time one. */
#include <stdlib.h>
#include <string.h>

#include "cause/tw_playback.h"
#include "base/tw_time.h"
#include "unit.h"

#define SIDE	100
#define HOG	300
#define CPU	2
#define ORDINARY	120
#define REALTIME	50

static struct tw_playback play;

static struct tw_event event(int64_t us, enum tw_event_kind kind, int cpu,
			     int pid)
{
	struct tw_event event;

	memset(&event, 0, sizeof(event));
	event.time_ns = us * TW_NS_PER_US;
	event.kind = kind;
	event.cpu = cpu;
	event.pid = pid;
	event.other_pid = -1;
	strcpy(event.comm, "its-name");
	return event;
}

static struct tw_event to(struct tw_event event, int pid, int cpu, int prio)
{
	event.other_pid = pid;
	event.other_cpu = cpu;
	event.other_prio = prio;
	return event;
}

static void apply(struct tw_event event)
{
	tw_playback_apply(&play, &event);
}

static void wake(int64_t us, int prio)
{
	apply(to(event(us, TW_EVENT_WAKING, 1, 7), SIDE, CPU, prio));
}

static void switch_to(int64_t us, int pid, int prio)
{
	apply(to(event(us, TW_EVENT_SWITCH, CPU, HOG), pid, -1, prio));
}

static void interrupt(int64_t us, int cpu, int pid)
{
	apply(event(us, TW_EVENT_ENTER, cpu, pid));
	apply(event(us, TW_EVENT_LEAVE, cpu, pid));
}

/* HOG has the CPU, and the side is woken at 0. */
static void start(int hog_prio, int side_prio)
{
	assert_int_equal(tw_playback_open(&play, SIDE, 0, NULL, 0), 0);
	switch_to(-10, HOG, hog_prio);
	wake(0, side_prio);
}

static void stop(void)
{
	tw_playback_close(&play);
}

static void assert_waits(bool waits)
{
	assert_int_equal(play.side.waits_ns, waits ? 0 : -1);
}

static void assert_passed(int64_t us)
{
	assert_int_equal(play.side.passed_ns, us < 0 ? -1 :
			 us * TW_NS_PER_US);
}

/* A real-time task, for whom an ordinary one has the CPU. */
static void test_who_waits(void **state)
{
	static const struct {
		int hog_prio, side_prio;
		bool waits;
	} rows[] = {
		{ 120, 50, true }, { 100, 99, true }, { 100, 0, true },
		{ 139, 50, true },
		{ 99, 50, false }, { 0, 50, false }, { 99, 99, false },
		{ 120, 100, false }, { 120, 120, false },
		/* Not known. */
		{ 120, -1, false }, { -1, 50, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(rows[i].hog_prio, rows[i].side_prio);
		assert_waits(rows[i].waits);
		stop();
	}
}

/* The idle task is ordinary, though its priority may not be known. */
static void test_idle(void **state)
{
	(void)state;
	assert_int_equal(tw_playback_open(&play, SIDE, 0, NULL, 0), 0);
	interrupt(-10, CPU, 0);
	assert_int_equal(play.cpus[CPU].prio, -1);
	wake(0, REALTIME);
	assert_waits(true);
	stop();
}

/* It could have chosen at @left_us, and at @then_us it had not. */
static void check_times(int64_t left_us, int64_t then_us, bool passed)
{
	start(ORDINARY, REALTIME);
	interrupt(left_us, CPU, HOG);
	apply(event(then_us, TW_EVENT_OTHER, CPU, HOG));
	assert_passed(passed ? then_us : -1);
	stop();
}

/* A wake-up, and then a switch, may take some time. */
static void test_times(void **state)
{
	(void)state;
	check_times(999, 9000, false);
	check_times(1000, 9000, true);
	check_times(2000, 2049, false);
	check_times(2000, 2050, true);
}

/* Only what happens on its CPU; nested, the outer interrupt goes on. */
static void test_no_chance(void **state)
{
	(void)state;
	start(ORDINARY, REALTIME);
	interrupt(2000, CPU + 1, 8);
	apply(event(3000, TW_EVENT_OTHER, CPU, HOG));
	assert_passed(-1);
	apply(event(4000, TW_EVENT_ENTER, CPU, HOG));
	apply(event(4001, TW_EVENT_ENTER, CPU, HOG));
	apply(event(4002, TW_EVENT_LEAVE, CPU, HOG));
	apply(event(5000, TW_EVENT_OTHER, CPU, HOG));
	assert_passed(-1);
	apply(event(5001, TW_EVENT_LEAVE, CPU, HOG));
	/* On another CPU, time passes as well, but nothing is chosen. */
	apply(event(6000, TW_EVENT_OTHER, CPU + 1, 8));
	assert_passed(-1);
	apply(event(6001, TW_EVENT_OTHER, CPU, HOG));
	assert_passed(6001);
	stop();
}

/* Asked to choose, it may be kept from that; to switch is to choose. */
static void test_resched(void **state)
{
	struct tw_event asked = event(3000, TW_EVENT_OTHER, CPU, HOG);

	(void)state;
	asked.resched = true;
	start(ORDINARY, REALTIME);
	interrupt(2990, CPU, HOG);
	apply(asked);
	apply(event(5000, TW_EVENT_OTHER, CPU, HOG));
	assert_passed(-1);
	asked = to(event(6000, TW_EVENT_SWITCH, CPU, HOG), HOG + 1, -1,
		   ORDINARY);
	asked.resched = true;
	apply(asked);
	apply(event(7000, TW_EVENT_OTHER, CPU, HOG + 1));
	assert_passed(7000);
	stop();
}

/* One that outranks it ends the wait for an ordinary one. */
static void test_outranked(void **state)
{
	(void)state;
	start(ORDINARY, REALTIME);
	interrupt(2000, CPU, HOG);
	switch_to(2010, HOG + 1, 10);
	assert_waits(false);
	assert_int_equal(play.side.left_ns, -1);
	switch_to(5000, HOG, ORDINARY);
	assert_int_equal(play.side.waits_ns, 5000 * TW_NS_PER_US);
	apply(event(5500, TW_EVENT_OTHER, CPU, HOG));
	assert_passed(-1);
	stop();
}

/* Moved, it waits anew. */
static void test_moved(void **state)
{
	(void)state;
	start(ORDINARY, REALTIME);
	interrupt(2000, CPU, HOG);
	apply(to(event(2010, TW_EVENT_MIGRATE, 1, 7), SIDE, CPU, REALTIME));
	assert_int_equal(play.side.waits_ns, 2010 * TW_NS_PER_US);
	assert_int_equal(play.side.left_ns, -1);
	/* Another is moved: nothing changes. */
	apply(to(event(2020, TW_EVENT_MIGRATE, 1, 7), HOG + 1, CPU,
		 ORDINARY));
	assert_int_equal(play.side.waits_ns, 2010 * TW_NS_PER_US);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_waits),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_no_chance),
		cmocka_unit_test(test_resched),
		cmocka_unit_test(test_outranked),
		cmocka_unit_test(test_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
