// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ordinary tasks that run one after another while a real-time task is in its
 * CPU's queue: the scheduler has chosen them.
 */
#include "trace.h"

#define WORKER	("kworker/2:1", "kworker/2:1", "301", "120")
#define TOP	("top", "top", "302", "5")
#define FAIR	("twoway-server", "twoway-server", "200", "120")

#define HOG_IS_THERE \
	BOTH_WAIT \
	SWITCH("000500", "2", IDLE, "R", HOG) \
	CLIENT_AWAKES
/* Woken on its own CPU, by an interrupt; or on the client's. */
#define WOKEN_HERE	HOG_IS_THERE WAKING("001016", "2", HOG, SERVER, "2")
#define WOKEN_THERE	HOG_IS_THERE CLIENT_SENDS
#define HOG_TO(at, next)	SWITCH(at, "2", HOG, "S", next)
#define RUNS_AT(at, prev)	SWITCH(at, "2", prev, "S", SERVER)

static void send_lasts(double until_us, enum tw_bypass bypass,
		       const char *text, const char *says)
{
	struct tw_break brk = late_break(TW_SEND, until_us);

	trace_bypass = bypass;
	analyse(text, &brk);
	assert_null(analysis.lacks);
	assert_says(says);
}

#define ONE_AFTER_ANOTHER \
	WOKEN_HERE HOG_TO("001100", WORKER) RUNS_AT("001525", WORKER)

static void test_one_after_another(void **state)
{
	(void)state;
	send_lasts(1530, TW_BYPASS_FAIR, ONE_AFTER_ANOTHER,
		   "server runnable on CPU 2 for 509.0 us while kworker/2:1-301 (425.0 us), hog-300 (84.0 us) ran, probably let run by the fair server");
	assert_true(analysis.throttling);
	assert_false(analysis.peer_overtaken);
}

static void test_kernels(void **state)
{
	(void)state;
	send_lasts(1530, TW_BYPASS_LIMIT, ONE_AFTER_ANOTHER,
		   " ran, probably stopped by real-time throttling");
	send_lasts(1530, TW_BYPASS_UNKNOWN, ONE_AFTER_ANOTHER,
		   " ran, chosen before it by the scheduler");
}

static void test_from_idle(void **state)
{
	(void)state;
	send_lasts(1530, TW_BYPASS_FAIR, BOTH_WAIT CLIENT_AWAKES
		   WAKING("001016", "2", IDLE, SERVER, "2")
		   SWITCH("001020", "2", IDLE, "R", WORKER)
		   RUNS_AT("001525", WORKER), "fair server");
}

/* It had the CPU, did not sleep, and yet had to give it to an ordinary one. */
#define FROM_ITSELF(side, state) \
	BOTH_WAIT CLIENT_AWAKES \
	WAKING("001016", "2", IDLE, side, "2") \
	SWITCH("001019", "2", IDLE, "R", side) \
	SWITCH("001025", "2", side, state, HOG) \
	SWITCH("001525", "2", HOG, "S", side)

static void test_from_itself(void **state)
{
	(void)state;
	send_lasts(1530, TW_BYPASS_FAIR, FROM_ITSELF(SERVER, "R+"),
		   "fair server");
	send_lasts(1530, TW_BYPASS_FAIR, FROM_ITSELF(FAIR, "R+"),
		   "fair share of both");
}

/* From then on it is in the queue, and another ordinary task comes. */
static void test_after_itself(void **state)
{
	struct tw_break brk = late_break(TW_SEND, 1530);

	(void)state;
	brk.kept.cycle.planned_ns = at_us(990);
	brk.kept.cycle.t0_ns = at_us(1010);
	trace_bypass = TW_BYPASS_FAIR;
	analyse(BOTH_WAIT CLIENT_AWAKES
		WAKING("001007", "2", IDLE, SERVER, "2")
		SWITCH("001008", "2", IDLE, "R", SERVER)
		SWITCH("001009", "2", SERVER, "R", HOG)
		HOG_TO("001100", WORKER) RUNS_AT("001525", WORKER), &brk);
	assert_says("fair server");
}

/* On its way to sleep it leaves the queue, if only for a moment. */
static void test_recalled(void **state)
{
	(void)state;
	send_lasts(1530, TW_BYPASS_FAIR, BOTH_WAIT CLIENT_AWAKES
		   WAKING("001016", "2", IDLE, SERVER, "2")
		   SWITCH("001019", "2", IDLE, "R", SERVER)
		   WAKING("001024", "3", CLIENT, SERVER, "2")
		   SWITCH("001025", "2", SERVER, "S", HOG)
		   HOG_TO("001100", WORKER) RUNS_AT("001525", WORKER),
		   "ran with preemption off");
	assert_false(analysis.throttling);
}

/* Another CPU's wake-up may be on its way, but not for a millisecond. */
static void test_woken_there(void **state)
{
	(void)state;
	send_lasts(3030, TW_BYPASS_FAIR, WOKEN_THERE
		   HOG_TO("002015", WORKER) RUNS_AT("003025", WORKER),
		   "ran with preemption off");
	send_lasts(3030, TW_BYPASS_FAIR, WOKEN_THERE
		   HOG_TO("002016", WORKER) RUNS_AT("003025", WORKER),
		   "ran, probably let run by the fair server");
}

static void test_moved(void **state)
{
	(void)state;
	send_lasts(1530, TW_BYPASS_FAIR, WOKEN_HERE
		   MIGRATE("001017", "2", HOG, SERVER, "1", "2")
		   HOG_TO("001100", WORKER) RUNS_AT("001525", WORKER),
		   "ran with preemption off");
}

/* Preemption was off until then: nobody is chosen before it. */
static void test_preemption_off(void **state)
{
	(void)state;
	send_lasts(1530, TW_BYPASS_FAIR, WOKEN_HERE RUNS_AT("001525", HOG),
		   "ran with preemption off");
	send_lasts(1530, TW_BYPASS_FAIR, WOKEN_HERE HOG_TO("001400", TOP)
		   RUNS_AT("001525", TOP), "ran with preemption off");
	/* What other CPUs, and other tasks' wake-ups, do is no matter. */
	send_lasts(1530, TW_BYPASS_FAIR, WOKEN_HERE
		   SWITCH("001100", "1", HOG, "S", WORKER)
		   WAKING("001200", "2", HOG, WORKER, "2")
		   RUNS_AT("001525", HOG), "ran with preemption off");
	/* The fair server has nothing to do with an idle CPU. */
	send_lasts(1530, TW_BYPASS_FAIR, WOKEN_HERE HOG_TO("001500", IDLE)
		   RUNS_AT("001525", IDLE), "ran with preemption off");
}

/* The longest was something else. */
static void test_interrupt(void **state)
{
	(void)state;
	send_lasts(1530, TW_BYPASS_FAIR, WOKEN_HERE
		   HOG_TO("001100", WORKER) IRQ("001110", "2", WORKER)
		   IRQ_END("001500", "2", WORKER) RUNS_AT("001525", WORKER),
		   "interrupt 36 (eth0) (390.0 us), hog-300 (84.0 us), kworker/2:1-301 (35.0 us) ran");
	assert_true(analysis.side_overtaken);
	assert_null(strstr(analysis.sentence, "fair server"));
}

static void test_peer(void **state)
{
	(void)state;
	send_lasts(1540, TW_BYPASS_FAIR, BOTH_WAIT CLIENT_AWAKES
		   SWITCH("001011", "3", CLIENT, "R", HOG)
		   SWITCH("001500", "3", HOG, "S", CLIENT)
		   WAKING("001516", "3", CLIENT, SERVER, "2")
		   SWITCH("001525", "2", IDLE, "R", SERVER),
		   "client runnable on CPU 3 for 489.0 us while hog-300 (489.0 us) ran, probably let run by the fair server before it woke the server");
	assert_false(analysis.side_overtaken);
	/* For a moment only: then it slept, for longer. */
	send_lasts(1540, TW_BYPASS_FAIR, BOTH_WAIT CLIENT_AWAKES
		   SWITCH("001011", "3", CLIENT, "R", HOG)
		   SWITCH("001020", "3", HOG, "S", CLIENT)
		   SWITCH("001025", "3", CLIENT, "S", IDLE)
		   WAKING("001516", "3", IDLE, SERVER, "2")
		   SWITCH("001525", "2", IDLE, "R", SERVER),
		   "client blocked on CPU 3 for 491.0 us before it woke");
	assert_true(analysis.peer_overtaken);
	assert_false(analysis.throttling);
}

/* Either was overtaken in the wake-up, which is not what is looked into. */
static void test_before(void **state)
{
	struct tw_break brk = late_break(TW_SEND, 1530);

	(void)state;
	brk.kept.cycle.t0_ns = at_us(1100);
	trace_bypass = TW_BYPASS_FAIR;
	analyse(HOG_IS_THERE WAKING("001016", "2", HOG, SERVER, "2")
		SWITCH("001050", "3", CLIENT, "R", HOG)
		HOG_TO("001099", WORKER)
		SWITCH("001101", "3", HOG, "S", CLIENT)
		RUNS_AT("001525", WORKER), &brk);
	assert_says("kworker/2:1-301 (425.0 us) ran with preemption off");
	assert_false(analysis.side_overtaken);
	assert_false(analysis.peer_overtaken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_after_another),
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_from_idle),
		cmocka_unit_test(test_from_itself),
		cmocka_unit_test(test_after_itself),
		cmocka_unit_test(test_recalled),
		cmocka_unit_test(test_woken_there),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_preemption_off),
		cmocka_unit_test(test_interrupt),
		cmocka_unit_test(test_peer),
		cmocka_unit_test(test_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
