// SPDX-License-Identifier: GPL-2.0-or-later
/* Why a timer's wake-up, a sleep or a reply takes long; and when none tells. */
#include "trace.h"

static void takes(enum tw_metric_id phase, double until_us, const char *text)
{
	struct tw_break brk = late_break(phase, until_us);

	analyse(text, &brk);
	assert_null(analysis.lacks);
	assert_int_equal(analysis.phase, phase);
	assert_int_equal(analysis.side, phase == TW_SLEEP ? TW_SERVER :
					TW_CLIENT);
	assert_int_equal(analysis.side_pid, phase == TW_SLEEP ? SERVER_PID :
					    CLIENT_PID);
}

static void test_timer_late(void **state)
{
	(void)state;
	takes(TW_WAKEUP, 1310, BOTH_WAIT
	      SWITCH("000900", "3", IDLE, "R", HOG)
	      IRQ("000995", "3", HOG)
	      IRQ_END("001290", "3", HOG)
	      EVENT("001291", "3", HOG, "local_timer_entry: vector=236")
	      WAKING("001293", "3", HOG, CLIENT, "3")
	      EVENT("001294", "3", HOG, "local_timer_exit: vector=236")
	      SWITCH("001300", "3", HOG, "R+", CLIENT));
	assert_string_equal(time_line(),
			    "290 timer late, CPU 3: interrupt 36 (eth0)\n"
			    "1 timer late, CPU 3: hog-300\n"
			    "2 timer late, CPU 3: local_timer interrupt\n"
			    "1 runnable, CPU 3: local_timer interrupt\n"
			    "6 runnable, CPU 3: hog-300\n"
			    "10 runs, CPU 3: twoway-client-100\n");
	assert_wakeup(293, 300);
	assert_says("wakeup +300 us: client not woken by its timer on CPU 3 for 293.0 us while interrupt 36 (eth0) (290.0 us), ");
}

static void test_client_runnable(void **state)
{
	(void)state;
	takes(TW_WAKEUP, 1310, BOTH_WAIT
	      SWITCH("000900", "3", IDLE, "R", SPINNER)
	      WAKING("001003", "3", SPINNER, CLIENT, "3")
	      SWITCH("001303", "3", SPINNER, "S", CLIENT));
	assert_says("wakeup +300 us: client runnable on CPU 3 for 300.0 us while spinner-400 (300.0 us) ran, which outranks it");
	assert_int_equal(analysis.side_prio, 9);
	assert_int_equal(analysis.peer_prio, -1);
}

static void test_client_leaves_idle(void **state)
{
	(void)state;
	takes(TW_WAKEUP, 1310, BOTH_WAIT
	      WAKING("001003", "3", IDLE, CLIENT, "3")
	      SWITCH("001303", "3", IDLE, "R", CLIENT));
	assert_says("client runnable on CPU 3 for 300.0 us while the idle task (300.0 us) ran, leaving its idle state");
}

/* Awake, it does not get on, for a page of memory that has to be read. */
static void test_client_blocked(void **state)
{
	(void)state;
	takes(TW_WAKEUP, 1310, BOTH_WAIT CLIENT_AWAKES
	      SWITCH("001007", "3", CLIENT, "D", IDLE)
	      WAKING("001303", "3", IDLE, CLIENT, "3")
	      SWITCH("001307", "3", IDLE, "R", CLIENT));
	assert_says("client blocked on something else on CPU 3 for 296.0 us");
	assert_null(strstr(analysis.sentence, "timer"));
}

/*
 * PREEMPT_RT: the cycle before ends late, with the client woken from a lock,
 * and the thread that expires its timer waits for a worker that outranks it.
 */
static void test_timer_thread(void **state)
{
	(void)state;
	takes(TW_WAKEUP, 1310, BOTH_WAIT
	      WAKING("000980", "3", IDLE, CLIENT, "3")
	      SWITCH("000985", "3", IDLE, "R", CLIENT)
	      SWITCH("000990", "3", CLIENT, "D", HOG)
	      WAKING("001005", "3", HOG, CLIENT, "3")
	      SWITCH("001006", "3", HOG, "R+", CLIENT)
	      SWITCH("001010", "3", CLIENT, "S", EQUAL)
	      SWITCH("001250", "3", EQUAL, "R", HOG)
	      WAKING("001252", "3", HOG, CLIENT, "3")
	      SWITCH("001254", "3", HOG, "R+", CLIENT)
	      SWITCH("001256", "3", CLIENT, "D", HOG)
	      WAKING("001266", "3", HOG, CLIENT, "3")
	      SWITCH("001268", "3", HOG, "R+", CLIENT));
	assert_string_equal(time_line(),
			    "5 blocked, CPU 3: hog-300\n"
			    "1 runnable, CPU 3: hog-300\n"
			    "4 runs, CPU 3: twoway-client-100\n"
			    "240 timer late, CPU 3: equal-500\n"
			    "2 timer late, CPU 3: hog-300\n"
			    "2 runnable, CPU 3: hog-300\n"
			    "2 runs, CPU 3: twoway-client-100\n"
			    "10 blocked, CPU 3: hog-300\n"
			    "2 runnable, CPU 3: hog-300\n"
			    "42 runs, CPU 3: twoway-client-100\n");
	assert_wakeup(266, 268);
	assert_says("client not woken by its timer on CPU 3 for 242.0 us while equal-500 (240.0 us), hog-300 (2.0 us) ran");
}

#define SERVER_READS \
	CLIENT_AWAKES CLIENT_SENDS SWITCH("001022", "2", IDLE, "R", SERVER)

static void test_in_time(void **state)
{
	(void)state;
	takes(TW_SLEEP, 1136, BOTH_WAIT SERVER_READS
	      SWITCH("001032", "2", SERVER, "S", IDLE)
	      WAKING("001133", "2", IDLE, SERVER, "2")
	      SWITCH("001134", "2", IDLE, "R", SERVER));
	assert_string_equal(time_line(),
			    "2 runs, CPU 2: twoway-server-200\n"
			    "98 asleep, CPU 2: the idle task\n"
			    "3 timer late, CPU 2: the idle task\n"
			    "1 runnable, CPU 2: the idle task\n"
			    "2 runs, CPU 2: twoway-server-200\n");
	assert_wakeup(103, 104);
}

/* The sleep that was asked for is nobody's fault. */
static void test_slept_long(void **state)
{
	(void)state;
	takes(TW_SLEEP, 1180, BOTH_WAIT SERVER_READS
	      SWITCH("001032", "2", SERVER, "S", IDLE)
	      WAKING("001133", "2", IDLE, SERVER, "2")
	      SWITCH("001178", "2", IDLE, "R", SERVER));
	assert_says("sleep +45 us: server runnable on CPU 2 for 45.0 us while the idle task");
	takes(TW_SLEEP, 1180, BOTH_WAIT SERVER_READS
	      SWITCH("001032", "2", SERVER, "S", IDLE)
	      WAKING("001173", "2", IDLE, SERVER, "2")
	      SWITCH("001178", "2", IDLE, "R", SERVER));
	assert_says("sleep +45 us: server not woken by its timer on CPU 2 for 43.0 us while the idle task (43.0 us) ran");
}

#define SERVER_SLEEPS \
	SERVER_READS SWITCH("001032", "2", SERVER, "S", IDLE) \
	WAKING("001132", "2", IDLE, SERVER, "2") \
	SWITCH("001133", "2", IDLE, "R", SERVER)

static void test_server_preempted(void **state)
{
	(void)state;
	takes(TW_RECEIVE, 1455, BOTH_WAIT SERVER_SLEEPS
	      SWITCH("001136", "2", SERVER, "R+", EQUAL)
	      SWITCH("001436", "2", EQUAL, "R", SERVER)
	      SENDS("001440", "2", SERVER)
	      WAKING("001442", "2", SERVER, CLIENT, "3")
	      SWITCH("001450", "3", IDLE, "R", CLIENT));
	assert_string_equal(time_line(),
			    "1 peer runs, CPU 2: twoway-server-200\n"
			    "300 peer runnable, CPU 2: equal-500\n"
			    "6 peer runs, CPU 2: twoway-server-200\n"
			    "8 runnable, CPU 3: the idle task\n"
			    "5 runs, CPU 3: twoway-client-100\n");
	assert_says("receive +300 us: server runnable on CPU 2 for 300.0 us while equal-500 (300.0 us) ran, at the same priority before it woke the client");
	assert_int_equal(analysis.side_prio, 9);
	assert_int_equal(analysis.peer_prio, 10);
}

static void test_reply_finds_no_cpu(void **state)
{
	(void)state;
	takes(TW_RECEIVE, 1455, BOTH_WAIT SERVER_SLEEPS
	      SWITCH("001134", "3", IDLE, "R", HOG)
	      SENDS("001138", "2", SERVER)
	      WAKING("001140", "2", SERVER, CLIENT, "3")
	      SWITCH("001450", "3", HOG, "R+", CLIENT));
	assert_says("receive +300 us: client runnable on CPU 3 for 310.0 us while hog-300 (310.0 us) ran with preemption off");
}

/* Of the many that had the CPU, the longest are named, and the others told. */
static void test_crowd(void **state)
{
	(void)state;
	takes(TW_WAKEUP, 1310, BOTH_WAIT
	      SWITCH("000900", "3", IDLE, "R", HOG)
	      WAKING("001003", "3", HOG, CLIENT, "3")
	      SWITCH("001010", "3", HOG, "S", ("a", "a", "11", "120"))
	      SWITCH("001110", "3", ("a", "a", "11", "120"), "S",
		     ("b", "b", "12", "120"))
	      SWITCH("001111", "3", ("b", "b", "12", "120"), "S",
		     ("c", "c", "13", "120"))
	      SWITCH("001301", "3", ("c", "c", "13", "120"), "S",
		     ("d", "d", "14", "120"))
	      SWITCH("001303", "3", ("d", "d", "14", "120"), "S", CLIENT));
	assert_says("for 300.0 us while c-13 (190.0 us), a-11 (100.0 us), hog-300 (7.0 us) and 2 more ran");
}

/* The same, once its line says no more what the task is called. */
static void test_name_forgotten(void **state)
{
	(void)state;
	takes(TW_WAKEUP, 1310, BOTH_WAIT
	      SWITCH("000900", "3", IDLE, "R", HOG)
	      WAKING("001003", "3", ("<...>", "", "300", "120"), CLIENT, "3")
	      SWITCH("001303", "3", ("<...>", "hog", "300", "120"), "R+",
		     CLIENT));
	assert_says("hog-300 (300.0 us)");
	assert_int_equal(analysis.spans[0].prio, 120);
}

/* The measuring clock is ahead of the trace's, or behind it. */
static void test_other_clock(void **state)
{
	static const int64_t ahead_ns[] = {
		37 * TW_NS_PER_S, -99 * TW_NS_PER_S, INT64_C(1700000000) *
		TW_NS_PER_S,
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ahead_ns) / sizeof(ahead_ns[0]); i++) {
		struct tw_break brk = late_break(TW_WAKEUP, 1310);
		struct tw_cycle *cycle = &brk.kept.cycle;

		brk.ahead_ns = ahead_ns[i];
		cycle->planned_ns += ahead_ns[i];
		cycle->t0_ns += ahead_ns[i];
		cycle->t1_ns += ahead_ns[i];
		cycle->t2_ns += ahead_ns[i];
		cycle->t3_ns += ahead_ns[i];
		analyse(BOTH_WAIT
			SWITCH("000900", "3", IDLE, "R", SPINNER)
			WAKING("001003", "3", SPINNER, CLIENT, "3")
			SWITCH("001303", "3", SPINNER, "S", CLIENT), &brk);
		assert_string_equal(time_line(),
				    "3 timer late, CPU 3: spinner-400\n"
				    "300 runnable, CPU 3: spinner-400\n"
				    "7 runs, CPU 3: twoway-client-100\n");
		assert_wakeup(3, 303);
	}
}

/* The trace has whole us: what happened within may seem to come before. */
static void test_rounding(void **state)
{
	struct tw_break brk = late_break(TW_WAKEUP, 1310);

	(void)state;
	brk.kept.cycle.planned_ns = at_us(1003.4);
	analyse(BOTH_WAIT
		SWITCH("000900", "3", IDLE, "R", SPINNER)
		WAKING("001003", "3", SPINNER, CLIENT, "3")
		SWITCH("001303", "3", SPINNER, "S", CLIENT), &brk);
	assert_string_equal(time_line(),
			    "299.6 runnable, CPU 3: spinner-400\n"
			    "7 runs, CPU 3: twoway-client-100\n");
	assert_int_equal(analysis.waking_ns, 0);
	assert_int_equal(analysis.running_ns, 299600);
	/* But a wake-up that is clearly before the phase is not its. */
	brk.kept.cycle.planned_ns = at_us(1004.1);
	analyse(BOTH_WAIT
		WAKING("001003", "3", IDLE, CLIENT, "3")
		SWITCH("001303", "3", IDLE, "R", CLIENT), &brk);
	assert_wakeup(-0.001, -0.001);
}

/* That CPUs lost events, and what is no event, is skipped. */
static void test_lost(void **state)
{
	(void)state;
	takes(TW_WAKEUP, 1310, "# tracer: nop\n#\n" BOTH_WAIT
	      "CPU:3 [LOST 12 EVENTS]\n"
	      EVENT("000999", "3", HOG, "softirq_raise: vec=3 [action=NET_RX]")
	      "\n => some_function\n"
	      WAKING("001003", "3", HOG, CLIENT, "3")
	      "CPU:3 [LOST EVENTS]\n"
	      EVENT("001103", "3", ("x", "x", "7", "120"), "unknown: event")
	      "cut li");
	/* Who came without an event is known; of what priority is not. */
	assert_string_equal(time_line(),
			    "3 timer late, CPU 3: hog-300\n"
			    "100 runnable, CPU 3: hog-300\n"
			    "207 runnable, CPU 3: x-7\n");
	assert_int_equal(analysis.spans[1].prio, -1);
	assert_says("while x-7 (207.0 us), hog-300 (100.0 us) ran");
	assert_null(strstr(analysis.sentence, "preemption"));
	assert_wakeup(3, -0.001);
}

/* The phase's begin is known from what follows. */
static void test_foreseen(void **state)
{
	struct tw_break brk = late_break(TW_SEND, 1330);

	(void)state;
	/* The client's first event names another, that is on another CPU. */
	analyse(EVENT("000900", "1", IDLE, "softirq_raise: vec=3 [action=NET_RX]")
		WAKING("001300", "3", CLIENT, SERVER, "2")
		SWITCH("001310", "2", IDLE, "R", SERVER)
		SWITCH("001311", "3", CLIENT, "S", IDLE), &brk);
	assert_string_equal(time_line(),
			    "290 peer runs, CPU 3: twoway-client-100\n"
			    "10 runnable, CPU 2: the idle task\n"
			    "20 runs, CPU 2: twoway-server-200\n");
	/* It is moved while it waits for a CPU, by who runs elsewhere. */
	analyse(EVENT("000900", "1", HOG, "softirq_raise: vec=3 [action=NET_RX]")
		SWITCH("000910", "2", IDLE, "R", SPINNER)
		MIGRATE("001100", "1", HOG, SERVER, "2", "1")
		SWITCH("001300", "1", HOG, "R", SERVER)
		WAKING("001320", "1", SERVER, EQUAL, "0"), &brk);
	assert_int_equal(analysis.spans[analysis.count - 1].blame, TW_RUNS);
	assert_int_equal(analysis.spans[analysis.count - 2].blame,
			 TW_RUNNABLE);
	assert_int_equal(analysis.spans[analysis.count - 1].for_ns, 30000);
}

/* A side that no event names: nobody knows. */
static void test_unknown(void **state)
{
	(void)state;
	takes(TW_WAKEUP, 1310,
	      SWITCH("000100", "1", HOG, "S", IDLE)
	      WAKING("000900", "1", IDLE, HOG, "1")
	      SWITCH("001100", "1", IDLE, "R", HOG));
	assert_string_equal(time_line(), "310 unknown, CPU -1: ?\n");
	assert_says("wakeup +300 us: client unaccounted for for 310.0 us");
	assert_int_equal(analysis.side_prio, -1);
}

static void lacks(const char *text, const char *what)
{
	struct tw_break brk = late_break(TW_WAKEUP, 1310);

	analyse(text, &brk);
	if (!analysis.lacks)
		fail_msg("an analysis: %s", text);
	assert_non_null(strstr(analysis.lacks, what));
	assert_int_equal(analysis.phase, TW_WAKEUP);
	assert_int_equal(analysis.value_ns, 310000);
}

static void test_lacks(void **state)
{
	(void)state;
	lacks("", "sched_switch");
	lacks("# tracer: nop\n", "sched_switch");
	lacks(SWITCH("000100", "3", CLIENT, "S", IDLE), "sched_waking");
	lacks(WAKING("000100", "3", IDLE, CLIENT, "3"), "sched_switch");
	lacks(WAKING("001001", "3", IDLE, CLIENT, "3")
	      SWITCH("001002", "3", IDLE, "R", CLIENT), "begins after");
}

/* The phase that exceeds its mean by most, not the longest. */
static void test_phase(void **state)
{
	struct tw_metric_params closed = trace_params;
	struct tw_break brk = usual_break();

	(void)state;
	brk.kept.cycle.t0_ns += 5000;
	assert_int_equal(tw_analysis_phase(&brk, &trace_params), TW_WAKEUP);
	closed.period_ns = 0;
	assert_int_equal(tw_analysis_phase(&brk, &closed), TW_SLEEP);
	brk.kept.cycle.t1_ns += 6000;
	assert_int_equal(tw_analysis_phase(&brk, &closed), TW_SEND);
	brk.means_ns[TW_SLEEP] = 0;
	assert_int_equal(tw_analysis_phase(&brk, &trace_params), TW_SLEEP);
	brk.means_ns[TW_RECEIVE] = -200000;
	assert_int_equal(tw_analysis_phase(&brk, &trace_params), TW_RECEIVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_timer_late),
		cmocka_unit_test(test_timer_thread),
		cmocka_unit_test(test_client_runnable),
		cmocka_unit_test(test_client_leaves_idle),
		cmocka_unit_test(test_client_blocked),
		cmocka_unit_test(test_in_time),
		cmocka_unit_test(test_slept_long),
		cmocka_unit_test(test_server_preempted),
		cmocka_unit_test(test_reply_finds_no_cpu),
		cmocka_unit_test(test_crowd),
		cmocka_unit_test(test_name_forgotten),
		cmocka_unit_test(test_other_clock),
		cmocka_unit_test(test_rounding),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_foreseen),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_lacks),
		cmocka_unit_test(test_phase),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
