// SPDX-License-Identifier: GPL-2.0-or-later
/* Events that look like the cause of a delay, and are not. */
#include "trace.h"

static void send_takes(double until_us, const char *text)
{
	struct tw_break brk = late_break(TW_SEND, until_us);

	analyse(text, &brk);
	assert_null(analysis.lacks);
	assert_int_equal(analysis.phase, TW_SEND);
}

static void wakeup_takes(double until_us, const char *text)
{
	struct tw_break brk = late_break(TW_WAKEUP, until_us);

	analyse(text, &brk);
	assert_null(analysis.lacks);
	assert_int_equal(analysis.phase, TW_WAKEUP);
}

/* The message is received by the softirq on the CPU that sent it. */
#define ON_THE_WAY(events) \
	BOTH_WAIT CLIENT_AWAKES \
	SENDS("001013", "3", CLIENT) \
	events \
	SWITCH("001016", "3", CLIENT, "S", HOG) \
	SOFTIRQ("001306", "3", HOG) \
	WAKING("001316", "3", HOG, SERVER, "2") \
	SWITCH("001320", "2", IDLE, "R", SERVER)

static void test_other_softirqs(void **state)
{
	static const char *const texts[] = {
		/* Of another CPU, where it sends and before. */
		ON_THE_WAY(SOFTIRQ("001014", "1", HOG)
			   SOFTIRQ_END("001015", "1", HOG)),
		SOFTIRQ("000090", "0", HOG) SOFTIRQ_END("000091", "0", HOG)
		ON_THE_WAY(),
		BOTH_WAIT
		SOFTIRQ("000900", "0", HOG) SOFTIRQ_END("001002", "0", HOG)
		ON_THE_WAY(SOFTIRQ_END("001013", "0", HOG)),
		/* For something else than packets. */
		ON_THE_WAY(EVENT("001014", "3", CLIENT, "softirq_entry: vec=1 [action=TIMER]")
			   EVENT("001015", "3", CLIENT, "softirq_exit: vec=1 [action=TIMER]")),
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		send_takes(1330, texts[i]);
		assert_says("client done, its message on the way, on CPU 3 for 300.0 us while hog-300 (290.0 us), softirq NET_RX (10.0 us) ran");
	}
}

/* A softirq for packets that ended before the send, where it is sent. */
static void test_softirq_before(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT
		   SWITCH("000500", "0", IDLE, "R", CLIENT)
		   SOFTIRQ("001011", "0", CLIENT)
		   SOFTIRQ_END("001012", "0", CLIENT)
		   SENDS("001013", "0", CLIENT)
		   SWITCH("001016", "0", CLIENT, "S", HOG)
		   WAKING("001316", "0", HOG, SERVER, "2")
		   SWITCH("001320", "2", IDLE, "R", SERVER));
	/* CPU 0 has a number like the others. */
	assert_says("message on the way, on CPU 0 for 300.0 us");
}

#define CLIENT_BLOCKS \
	SWITCH("001016", "3", CLIENT, "D", IDLE) \
	WAKING("001306", "3", IDLE, CLIENT, "3") \
	SWITCH("001311", "3", IDLE, "R", CLIENT) \
	WAKING("001316", "3", CLIENT, SERVER, "2") \
	SWITCH("001320", "2", IDLE, "R", SERVER)

/* Another task's packet, and that of the cycle before, are not this one. */
static void test_other_packets(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT CLIENT_AWAKES
		   SENDS("001013", "1", HOG) CLIENT_BLOCKS);
	assert_says("client blocked on CPU 3 for 290.0 us");
	send_takes(1330, BOTH_WAIT
		   SWITCH("000200", "3", IDLE, "R", CLIENT)
		   SENDS("000210", "3", CLIENT)
		   SWITCH("000220", "3", CLIENT, "S", IDLE)
		   CLIENT_AWAKES CLIENT_BLOCKS);
	assert_says("client blocked on CPU 3 for 290.0 us");
}

/* The trace has whole us: the send may seem to come before the request. */
static void test_sent_at_once(void **state)
{
	static const struct {
		double begin_us;
		const char *says;
	} rows[] = {
		{ 1013.4, "client done, its message on the way, on CPU 3 for 300.0 us" },
		{ 1014.0, "client done, its message on the way, on CPU 3 for 300.0 us" },
		{ 1014.1, "client blocked on CPU 3 for 300.0 us" },
	};
	struct tw_break brk = late_break(TW_SEND, 1330);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		brk.kept.cycle.t0_ns = at_us(rows[i].begin_us);
		analyse(BOTH_WAIT CLIENT_AWAKES
			SENDS("001013", "3", CLIENT)
			SWITCH("001016", "3", CLIENT, "S", HOG)
			WAKING("001316", "3", HOG, SERVER, "2")
			SWITCH("001320", "2", IDLE, "R", SERVER), &brk);
		assert_says(rows[i].says);
	}
}

/* The client's timer expired: what it waits for afterwards is not that. */
static void test_blocked_after_timer(void **state)
{
	static const double planned_us[] = { 1000, 1003, 1003.4, 1004 };
	struct tw_break brk = late_break(TW_WAKEUP, 1310);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(planned_us) / sizeof(planned_us[0]); i++) {
		brk.kept.cycle.planned_ns = at_us(planned_us[i]);
		analyse(BOTH_WAIT CLIENT_AWAKES
			SWITCH("001007", "3", CLIENT, "S", IDLE)
			WAKING("001303", "3", IDLE, CLIENT, "3")
			SWITCH("001307", "3", IDLE, "R", CLIENT), &brk);
		assert_says("client blocked on something else on CPU 3 for 296.0 us");
	}
	/* Woken before its timer could be: it goes on to wait for that. */
	brk.kept.cycle.planned_ns = at_us(1004.1);
	analyse(BOTH_WAIT CLIENT_AWAKES
		SWITCH("001007", "3", CLIENT, "S", IDLE)
		WAKING("001303", "3", IDLE, CLIENT, "3")
		SWITCH("001307", "3", IDLE, "R", CLIENT), &brk);
	assert_says("client not woken by its timer on CPU 3 for 296.0 us");
}

/* Within its sleep, the server is woken by another, and sleeps on. */
static void test_woken_in_sleep(void **state)
{
	struct tw_break brk = late_break(TW_SLEEP, 1380);

	(void)state;
	analyse(BOTH_WAIT CLIENT_AWAKES CLIENT_SENDS
		SWITCH("001022", "2", IDLE, "R", SERVER)
		SWITCH("001032", "2", SERVER, "S", IDLE)
		WAKING("001050", "1", HOG, SERVER, "2")
		SWITCH("001051", "2", IDLE, "R", SERVER)
		SWITCH("001052", "2", SERVER, "S", IDLE)
		WAKING("001373", "2", IDLE, SERVER, "2")
		SWITCH("001378", "2", IDLE, "R", SERVER), &brk);
	assert_int_equal(analysis.phase, TW_SLEEP);
	assert_says("server not woken by its timer on CPU 2 for 243.0 us");
	assert_wakeup(343, 348);
}

/* Where no timer is waited for, a wake-up is not taken for one. */
static void test_woken_for_nothing(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT CLIENT_AWAKES
		   WAKING("001011", "1", HOG, SERVER, "2")
		   SWITCH("001012", "2", IDLE, "R", SERVER)
		   SWITCH("001014", "2", SERVER, "S", IDLE)
		   SWITCH("001015", "3", CLIENT, "R+", SPINNER)
		   SWITCH("001315", "3", SPINNER, "S", CLIENT)
		   WAKING("001316", "3", CLIENT, SERVER, "2")
		   SWITCH("001320", "2", IDLE, "R", SERVER));
	assert_says("client runnable on CPU 3 for 300.0 us while spinner-400 (300.0 us) ran");
	assert_wakeup(306, 310);
}

/* Once the client has woken the server, its delays are its own. */
static void test_client_interrupted_later(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT CLIENT_AWAKES
		   WAKING("001016", "3", CLIENT, SERVER, "2")
		   SWITCH("001020", "2", IDLE, "R", SERVER)
		   IRQ("001021", "3", CLIENT)
		   IRQ_END("001321", "3", CLIENT));
	assert_says("server running, already awake, on CPU 2 for 310.0 us");
}

#define SERVER_RUNS \
	SWITCH("000100", "2", IDLE, "R", SERVER) \
	SWITCH("000110", "3", CLIENT, "S", IDLE)

/* Or once it has sent, where the server looks for it all the time. */
static void test_busy_and_sent(void **state)
{
	(void)state;
	send_takes(1330, SERVER_RUNS CLIENT_AWAKES
		   SENDS("001013", "3", CLIENT)
		   SWITCH("001014", "3", CLIENT, "R+", SPINNER)
		   SWITCH("001314", "3", SPINNER, "S", CLIENT));
	assert_says("server running, already awake, on CPU 2 for 320.0 us");
}

static void test_busy_client_interrupted(void **state)
{
	(void)state;
	send_takes(1330, SERVER_RUNS CLIENT_AWAKES
		   IRQ("001011", "3", CLIENT)
		   IRQ_END("001311", "3", CLIENT)
		   SENDS("001316", "3", CLIENT)
		   SWITCH("001318", "3", CLIENT, "S", IDLE));
	assert_says("client interrupted on CPU 3 for 300.0 us while interrupt 36 (eth0) (300.0 us) ran");
}

/* What the server waited for a lock before the phase says nothing now. */
static void test_busy_after_lock(void **state)
{
	(void)state;
	send_takes(1330, SERVER_RUNS
		   SWITCH("000200", "2", SERVER, "D", IDLE)
		   WAKING("000210", "2", IDLE, SERVER, "2")
		   SWITCH("000211", "2", IDLE, "R", SERVER)
		   CLIENT_AWAKES
		   SWITCH("001011", "3", CLIENT, "R+", SPINNER)
		   SWITCH("001311", "3", SPINNER, "S", CLIENT)
		   SENDS("001316", "3", CLIENT)
		   SWITCH("001318", "3", CLIENT, "S", IDLE));
	assert_says("client runnable on CPU 3 for 300.0 us while spinner-400 (300.0 us) ran");
}

/* Two CPUs are idle, but they are two. */
static void test_two_idle_cpus(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT
		   SWITCH("000400", "1", SPINNER, "S", IDLE)
		   CLIENT_AWAKES
		   WAKING("001016", "3", CLIENT, SERVER, "2")
		   MIGRATE("001017", "3", CLIENT, SERVER, "2", "1")
		   SWITCH("001317", "1", IDLE, "R", SERVER));
	assert_string_equal(time_line(),
			    "6 peer runs, CPU 3: twoway-client-100\n"
			    "1 runnable, CPU 2: the idle task\n"
			    "300 runnable, CPU 1: the idle task\n"
			    "13 runs, CPU 1: twoway-server-200\n");
}

/* Who had the CPU that it was to run on, no event tells. */
static void test_unseen_cpu(void **state)
{
	(void)state;
	wakeup_takes(1310, SWITCH("000100", "3", CLIENT, "S", IDLE)
		     WAKING("001003", "3", IDLE, CLIENT, "1"));
	assert_string_equal(time_line(),
			    "3 timer late, CPU 3: the idle task\n"
			    "307 runnable, CPU 1: ?\n");
	assert_int_equal(analysis.spans[1].pid, -1);
	assert_int_equal(analysis.spans[1].prio, -1);
}

/* A client that no event names: what it does is not known. */
static void test_unseen_client(void **state)
{
	(void)state;
	send_takes(1330, SWITCH("000100", "2", SERVER, "S", IDLE)
		   WAKING("001316", "1", HOG, SERVER, "2")
		   SWITCH("001320", "2", IDLE, "R", SERVER));
	assert_string_equal(time_line(),
			    "306 unknown, CPU -1: ?\n"
			    "4 runnable, CPU 2: the idle task\n"
			    "10 runs, CPU 2: twoway-server-200\n");
}

/* CPU 0 is interrupted like any other. */
static void test_cpu_0(void **state)
{
	(void)state;
	send_takes(1330, SWITCH("000100", "0", SERVER, "S", IDLE)
		   SWITCH("000110", "3", CLIENT, "S", IDLE)
		   CLIENT_AWAKES
		   WAKING("001016", "3", CLIENT, SERVER, "0")
		   SWITCH("001020", "0", IDLE, "R", SERVER)
		   IRQ("001025", "0", SERVER)
		   IRQ_END("001325", "0", SERVER));
	assert_says("server interrupted on CPU 0 for 300.0 us while interrupt 36 (eth0) (300.0 us)");
}

/* Its first event, of the switch that was not told, is a wake-up it makes. */
static void test_wakes_another(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT
		   SWITCH("000500", "2", IDLE, "R", HOG)
		   CLIENT_AWAKES CLIENT_SENDS
		   WAKING("001316", "2", SERVER, EQUAL, "1"));
	assert_wakeup(6, 306);
	assert_true(analysis.switch_unseen);
}

/* The phase is over when its end comes, and it begins with its begin. */
static void test_bounds(void **state)
{
	struct tw_break brk = late_break(TW_WAKEUP, 1310);

	(void)state;
	analyse(WAKING("001000", "1", IDLE, HOG, "1")
		SWITCH("001001", "1", IDLE, "R", HOG)
		WAKING("001310", "3", IDLE, CLIENT, "3"), &brk);
	assert_null(analysis.lacks);
	assert_wakeup(-0.001, -0.001);
	assert_int_equal(analysis.side_prio, 9);
	analyse(WAKING("001000", "1", IDLE, HOG, "1")
		SWITCH("001001", "1", IDLE, "R", HOG)
		WAKING("001309", "3", IDLE, CLIENT, "3"), &brk);
	assert_wakeup(309, -0.001);
}

/* Of each metric, the phases that it is made of, and no other. */
static void test_phases_of_metrics(void **state)
{
	static const enum tw_metric_id phases[] = {
		TW_WAKEUP, TW_SEND, TW_SLEEP, TW_RECEIVE,
	};
	static const char *const parts[TW_METRICS] = {
		[TW_INTERVAL] = "1111", [TW_SEND] = "0100",
		[TW_SLEEP] = "0010", [TW_RECEIVE] = "0001",
		[TW_RESPONSE] = "0111", [TW_TOTAL] = "1111",
		[TW_WAKEUP] = "1000", [TW_PLANNED] = "1111",
		[TW_NETWORK] = "0101",
	};
	int id, i;

	(void)state;
	for (id = 0; id < TW_METRICS; id++)
		for (i = 0; i < 4; i++) {
			struct tw_break brk = late_break(phases[i], 5000);
			enum tw_metric_id got;

			brk.metric = id;
			got = tw_analysis_phase(&brk, &trace_params);
			if ((got == phases[i]) != (parts[id][i] == '1'))
				fail_msg("%s: %s, of a late %s",
					 tw_metrics[id].token,
					 tw_metrics[got].token,
					 tw_metrics[phases[i]].token);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_softirqs),
		cmocka_unit_test(test_softirq_before),
		cmocka_unit_test(test_other_packets),
		cmocka_unit_test(test_sent_at_once),
		cmocka_unit_test(test_blocked_after_timer),
		cmocka_unit_test(test_woken_in_sleep),
		cmocka_unit_test(test_woken_for_nothing),
		cmocka_unit_test(test_client_interrupted_later),
		cmocka_unit_test(test_busy_and_sent),
		cmocka_unit_test(test_busy_client_interrupted),
		cmocka_unit_test(test_busy_after_lock),
		cmocka_unit_test(test_two_idle_cpus),
		cmocka_unit_test(test_unseen_cpu),
		cmocka_unit_test(test_unseen_client),
		cmocka_unit_test(test_cpu_0),
		cmocka_unit_test(test_wakes_another),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_phases_of_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
