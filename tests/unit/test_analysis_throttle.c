// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A real-time task that is let wait across ticks: with preemption off, or
 * because the kernel throttles real-time tasks.
 */
#include "trace.h"

/* The client's request comes, while an ordinary task has the server's CPU. */
#define HOG_IS_THERE \
	BOTH_WAIT \
	SWITCH("000500", "2", IDLE, "R", HOG) \
	CLIENT_AWAKES CLIENT_SENDS
/* The wake-up's interrupt; a tick after 4 ms that changes nothing. */
#define IPI(task, flags) \
	EVENT("001018", "2", task, "reschedule_entry: vector=253") \
	EVENT_FLAGS("001019", "2", task, flags, "reschedule_exit: vector=253")
#define TICK(ms, task, flags) \
	EVENT_FLAGS("00" ms "000", "2", task, flags, \
		    "local_timer_entry: vector=236") \
	EVENT_FLAGS("00" ms "020", "2", task, flags, \
		    "local_timer_exit: vector=236")
#define LAST_TICK(task) \
	EVENT("009000", "2", task, "local_timer_entry: vector=236") \
	EVENT_FLAGS("009020", "2", task, "dNh..", \
		    "local_timer_exit: vector=236") \
	SWITCH("009025", "2", task, "R", SERVER)

static void send_lasts(double until_us, bool may_throttle, const char *text)
{
	struct tw_break brk = late_break(TW_SEND, until_us);

	trace_may_throttle = may_throttle;
	analyse(text, &brk);
	assert_null(analysis.lacks);
	assert_int_equal(analysis.phase, TW_SEND);
}

static void assert_throttling(bool probably)
{
	assert_int_equal(analysis.throttling, probably);
	if (probably)
		assert_says(", probably stopped by real-time throttling");
	else
		assert_null(strstr(analysis.sentence, "throttling"));
}

#define PASSED_OVER \
	HOG_IS_THERE IPI(HOG, "d.h1.") TICK("5", HOG, "d.h..") LAST_TICK(HOG)

static void test_across_ticks(void **state)
{
	(void)state;
	send_lasts(9030, true, PASSED_OVER);
	assert_throttling(true);
	assert_says("server runnable on CPU 2 for 8009.0 us while hog-300");
	assert_null(strstr(analysis.sentence, "preemption"));
}

static void test_impossible(void **state)
{
	(void)state;
	send_lasts(9030, false, PASSED_OVER);
	assert_throttling(false);
	assert_says("preemption off");
}

/* What is counted as throttled needs no "probably". */
static void test_counted(void **state)
{
	struct tw_break brk = late_break(TW_SEND, 9030);

	(void)state;
	brk.kept.throttled = true;
	trace_may_throttle = true;
	analyse(PASSED_OVER, &brk);
	assert_says("ran, stopped by real-time throttling");
}

/* However long: the CPU is still to choose. */
static void test_preemption_off(void **state)
{
	(void)state;
	send_lasts(9030, true, HOG_IS_THERE IPI(HOG, "dNh1.")
		   TICK("5", HOG, "dNh1.") LAST_TICK(HOG));
	assert_throttling(false);
	assert_says("preemption off");
}

/* A wake-up that interrupts, off themselves, let in only now. */
static void test_interrupts_off(void **state)
{
	(void)state;
	send_lasts(9030, true, HOG_IS_THERE
		   EVENT("008990", "2", HOG, "local_timer_entry: vector=236")
		   EVENT("009000", "2", HOG, "local_timer_exit: vector=236")
		   EVENT("009001", "2", HOG, "reschedule_entry: vector=253")
		   EVENT_FLAGS("009002", "2", HOG, "dNh..",
			       "reschedule_exit: vector=253")
		   SWITCH("009025", "2", HOG, "R", SERVER));
	assert_throttling(false);
	assert_says("preemption off");
}

/* A softirq after it that lasts is not the task's choice either. */
static void test_softirq(void **state)
{
	(void)state;
	send_lasts(9030, true, HOG_IS_THERE
		   EVENT("003000", "2", HOG, "local_timer_entry: vector=236")
		   EVENT_FLAGS("003010", "2", HOG, "dNh..",
			       "local_timer_exit: vector=236")
		   EVENT_FLAGS("003011", "2", HOG, ".Ns..",
			       "softirq_entry: vec=1 [action=TIMER]")
		   EVENT_FLAGS("005001", "2", HOG, ".Ns..",
			       "softirq_exit: vec=1 [action=TIMER]")
		   SWITCH("009025", "2", HOG, "R", SERVER));
	assert_throttling(false);
}

static void test_short(void **state)
{
	(void)state;
	send_lasts(1530, true, HOG_IS_THERE IPI(HOG, "d.h1.")
		   EVENT("001300", "2", HOG, "local_timer_entry: vector=236")
		   EVENT("001310", "2", HOG, "local_timer_exit: vector=236")
		   SWITCH("001525", "2", HOG, "R", SERVER));
	assert_throttling(false);
	assert_says("preemption off");
}

/* Lazy rescheduling is for ordinary tasks' sake. */
static void test_lazy(void **state)
{
	(void)state;
	send_lasts(9030, true, HOG_IS_THERE IPI(HOG, "d.h1.")
		   TICK("5", HOG, "dLh..") LAST_TICK(HOG));
	assert_throttling(true);
}

static void test_idle(void **state)
{
	(void)state;
	send_lasts(9030, true, BOTH_WAIT CLIENT_AWAKES CLIENT_SENDS
		   IPI(IDLE, "d.h1.") TICK("5", IDLE, "d.h1.")
		   LAST_TICK(IDLE));
	assert_throttling(true);
	assert_says("the idle task (");
	assert_null(strstr(analysis.sentence, "idle state"));
}

static void test_idle_impossible(void **state)
{
	(void)state;
	send_lasts(9030, false, BOTH_WAIT CLIENT_AWAKES CLIENT_SENDS
		   IPI(IDLE, "d.h1.") TICK("5", IDLE, "d.h1.")
		   LAST_TICK(IDLE));
	assert_throttling(false);
	assert_says("leaving its idle state");
}

/* Nothing was asked of the scheduler: a slow way out of an idle state. */
static void test_idle_exit(void **state)
{
	(void)state;
	send_lasts(9030, true, BOTH_WAIT CLIENT_AWAKES CLIENT_SENDS
		   SWITCH("009025", "2", IDLE, "R", SERVER));
	assert_throttling(false);
	assert_says("leaving its idle state");
}

/* Without a tick: it goes on to idle, past the server. */
static void test_switch_past(void **state)
{
	(void)state;
	send_lasts(9030, true, HOG_IS_THERE
		   SWITCH("004000", "2", HOG, "S", IDLE)
		   SWITCH("009025", "2", IDLE, "R", SERVER));
	assert_throttling(true);
}

#define TOP_HOG	("top", "top", "301", "5")

static void test_outranked(void **state)
{
	(void)state;
	send_lasts(9030, true, BOTH_WAIT
		   SWITCH("000500", "2", IDLE, "R", TOP_HOG)
		   CLIENT_AWAKES CLIENT_SENDS IPI(TOP_HOG, "d.h1.")
		   TICK("5", TOP_HOG, "d.h..") LAST_TICK(TOP_HOG));
	assert_throttling(false);
	assert_says("outranks");
}

/* The same by an ordinary server, which has no such right. */
#define FAIR	("twoway-server", "twoway-server", "200", "120")

static void test_ordinary(void **state)
{
	(void)state;
	send_lasts(9030, true, BOTH_WAIT
		   SWITCH("000500", "2", IDLE, "R", HOG)
		   CLIENT_AWAKES
		   WAKING("001016", "3", CLIENT, FAIR, "2")
		   SWITCH("001019", "3", CLIENT, "S", IDLE)
		   TICK("5", HOG, "d.h..")
		   SWITCH("009025", "2", HOG, "R", FAIR));
	assert_throttling(false);
	assert_says("fair share");
}

/* The side sleeps on, as its peer is stopped. */
static void test_peer(void **state)
{
	struct tw_break brk = late_break(TW_SEND, 9040);

	(void)state;
	trace_may_throttle = true;
	analyse(BOTH_WAIT CLIENT_AWAKES
		SWITCH("001011", "3", CLIENT, "R", HOG)
		EVENT("005000", "3", HOG, "local_timer_entry: vector=236")
		EVENT("005020", "3", HOG, "local_timer_exit: vector=236")
		SWITCH("009000", "3", HOG, "R", CLIENT)
		WAKING("009016", "3", CLIENT, SERVER, "2")
		SWITCH("009025", "2", IDLE, "R", SERVER), &brk);
	assert_throttling(true);
	assert_says("client runnable");
}

/* What befell the cycle before is not this one's cause. */
static void test_before(void **state)
{
	struct tw_break brk = late_break(TW_SEND, 9030);
	struct tw_cycle *cycle = &brk.kept.cycle;

	(void)state;
	cycle->planned_ns = at_us(8000);
	cycle->t0_ns = at_us(8010);
	trace_may_throttle = true;
	analyse(BOTH_WAIT
		SWITCH("000500", "2", IDLE, "R", HOG)
		WAKING("001016", "3", IDLE, SERVER, "2")
		TICK("5", HOG, "d.h..")
		SWITCH("006000", "2", HOG, "R", SERVER)
		SWITCH("006010", "2", SERVER, "S", HOG)
		SWITCH("008006", "3", IDLE, "R", CLIENT)
		WAKING("008016", "3", CLIENT, SERVER, "2")
		SWITCH("009025", "2", HOG, "R", SERVER), &brk);
	assert_throttling(false);
	assert_says("preemption off");
}

/* As before, where the client is the one that is let wait. */
static void test_peer_before(void **state)
{
	struct tw_break brk = late_break(TW_SEND, 9040);
	struct tw_cycle *cycle = &brk.kept.cycle;

	(void)state;
	cycle->planned_ns = at_us(8000);
	cycle->t0_ns = at_us(8010);
	trace_may_throttle = true;
	analyse(BOTH_WAIT
		SWITCH("000500", "3", IDLE, "R", HOG)
		WAKING("001003", "3", HOG, CLIENT, "3")
		EVENT("005000", "3", HOG, "local_timer_entry: vector=236")
		EVENT("005020", "3", HOG, "local_timer_exit: vector=236")
		SWITCH("006000", "3", HOG, "R", CLIENT)
		WAKING("008010", "2", IDLE, CLIENT, "3")
		SWITCH("008011", "3", CLIENT, "S", HOG)
		SWITCH("009000", "3", HOG, "R", CLIENT)
		WAKING("009016", "3", CLIENT, SERVER, "2")
		SWITCH("009025", "2", IDLE, "R", SERVER), &brk);
	assert_throttling(false);
	assert_says("client runnable on CPU 3 for 989.0 us while hog-300 (989.0 us) ran with preemption off");
}

/* An interrupt that lasts, too, is no choice of the scheduler. */
static void test_interrupt(void **state)
{
	(void)state;
	send_lasts(9030, true, HOG_IS_THERE IPI(HOG, "d.h1.")
		   TICK("2", HOG, "d.h..") TICK("3", HOG, "d.h..")
		   IRQ("003100", "2", HOG) IRQ_END("008900", "2", HOG)
		   LAST_TICK(HOG));
	assert_int_equal(analysis.side_passed_over, true);
	assert_throttling(false);
	assert_says("while interrupt 36 (eth0) (5800.0 us)");
}

#define NICEST	("nicest", "nicest", "303", "100")
#define LOWEST	("lowest", "lowest", "304", "99")

/* Of an ordinary task, with the highest weight as well. */
static void test_nice(void **state)
{
	(void)state;
	send_lasts(9030, true, BOTH_WAIT
		   SWITCH("000500", "2", IDLE, "R", NICEST)
		   CLIENT_AWAKES CLIENT_SENDS IPI(NICEST, "d.h1.")
		   TICK("5", NICEST, "d.h..") LAST_TICK(NICEST));
	assert_throttling(true);
	send_lasts(9030, true, BOTH_WAIT
		   SWITCH("000500", "2", IDLE, "R", LOWEST)
		   CLIENT_AWAKES CLIENT_SENDS IPI(LOWEST, "d.h1.")
		   TICK("5", LOWEST, "d.h..") LAST_TICK(LOWEST));
	assert_throttling(false);
}

/* Passed over, then the trace has a gap: of who is there, only the name. */
static void test_gap(void **state)
{
	(void)state;
	send_lasts(9030, true, HOG_IS_THERE TICK("2", HOG, "d.h..")
		   EVENT("002200", "2", HOG, "softirq_raise: vec=1 [action=TIMER]")
		   "CPU:2 [LOST 12 EVENTS]\n"
		   TICK("3", EQUAL, "d.h.."));
	assert_throttling(true);
	assert_says("while equal-500 (6010.0 us), hog-300 (1964.0 us), ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_across_ticks),
		cmocka_unit_test(test_impossible),
		cmocka_unit_test(test_counted),
		cmocka_unit_test(test_preemption_off),
		cmocka_unit_test(test_interrupts_off),
		cmocka_unit_test(test_softirq),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_lazy),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_idle_impossible),
		cmocka_unit_test(test_idle_exit),
		cmocka_unit_test(test_switch_past),
		cmocka_unit_test(test_outranked),
		cmocka_unit_test(test_ordinary),
		cmocka_unit_test(test_peer),
		cmocka_unit_test(test_before),
		cmocka_unit_test(test_peer_before),
		cmocka_unit_test(test_interrupt),
		cmocka_unit_test(test_nice),
		cmocka_unit_test(test_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
