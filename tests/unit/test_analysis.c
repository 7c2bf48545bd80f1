// SPDX-License-Identifier: GPL-2.0-or-later
/* Why a request arrives late: of what the server's wait was made. */
#include "trace.h"

/* The first 9 us of every request that is sent in time. */
#define SENT_IN_TIME \
	"4 peer runs, CPU 3: twoway-client-100\n" \
	"2 peer interrupted, CPU 3: softirq NET_RX\n"

static void send_takes(double until_us, const char *text)
{
	struct tw_break brk = late_break(TW_SEND, until_us);

	analyse(text, &brk);
	assert_null(analysis.lacks);
	assert_int_equal(analysis.phase, TW_SEND);
	assert_int_equal(analysis.side, TW_SERVER);
	assert_int_equal(analysis.side_pid, SERVER_PID);
	assert_int_equal(analysis.value_ns, at_us(until_us) - at_us(1010));
	assert_true(analysis.mean_ns == 20000);
}

static void test_in_time(void **state)
{
	(void)state;
	send_takes(1031, BOTH_WAIT CLIENT_AWAKES CLIENT_SENDS
		   SWITCH("001022", "2", IDLE, "R", SERVER));
	assert_string_equal(time_line(), SENT_IN_TIME
			    "6 runnable, CPU 2: the idle task\n"
			    "9 runs, CPU 2: twoway-server-200\n");
	assert_wakeup(6, 12);
	assert_int_equal(analysis.side_prio, 10);
	assert_int_equal(analysis.peer_prio, 9);
	assert_says("send +1 us: server running, already awake, on CPU 2 for 9.0 us");
}

static void test_preemption_off(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT
		   SWITCH("000500", "2", IDLE, "R", HOG)
		   CLIENT_AWAKES CLIENT_SENDS
		   SWITCH("001316", "2", HOG, "R+", SERVER));
	assert_string_equal(time_line(), SENT_IN_TIME
			    "300 runnable, CPU 2: hog-300\n"
			    "14 runs, CPU 2: twoway-server-200\n");
	assert_wakeup(6, 306);
	assert_int_equal(analysis.spans[2].pid, 300);
	assert_int_equal(analysis.spans[2].prio, 120);
	assert_says("send +300 us: server runnable on CPU 2 for 300.0 us while hog-300 (300.0 us) ran");
	assert_says("preemption off");
}

static void test_outranked(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT
		   SWITCH("000500", "2", IDLE, "R", SPINNER)
		   CLIENT_AWAKES CLIENT_SENDS
		   SWITCH("001316", "2", SPINNER, "S", SERVER));
	assert_says("server runnable on CPU 2 for 300.0 us while spinner-400 (300.0 us) ran");
	assert_says("outranks");
	assert_int_equal(analysis.spans[2].prio, 0);
}

static void test_same_priority(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT
		   SWITCH("000500", "2", IDLE, "R", EQUAL)
		   CLIENT_AWAKES CLIENT_SENDS
		   SWITCH("001316", "2", EQUAL, "S", SERVER));
	assert_says("server runnable on CPU 2 for 300.0 us while equal-500 (300.0 us) ran");
	assert_says("same priority");
}

#define FAIR	("twoway-server", "twoway-server", "200", "120")

static void test_fair_share(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT
		   SWITCH("000500", "2", IDLE, "R", HOG)
		   CLIENT_AWAKES
		   SENDS("001013", "3", CLIENT)
		   WAKING("001016", "3", CLIENT, FAIR, "2")
		   SWITCH("001019", "3", CLIENT, "S", IDLE)
		   SWITCH("001316", "2", HOG, "R", FAIR));
	assert_int_equal(analysis.side_prio, 120);
	assert_says("server runnable on CPU 2 for 300.0 us while hog-300 (300.0 us) ran");
	assert_says("fair share");
}

static void test_idle_exit(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT CLIENT_AWAKES CLIENT_SENDS
		   SWITCH("001316", "2", IDLE, "R", SERVER));
	assert_string_equal(time_line(), SENT_IN_TIME
			    "300 runnable, CPU 2: the idle task\n"
			    "14 runs, CPU 2: twoway-server-200\n");
	assert_says("the idle task (300.0 us)");
	assert_says("idle state");
}

static void test_interrupts(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT
		   SWITCH("000500", "2", IDLE, "R", HOG)
		   CLIENT_AWAKES CLIENT_SENDS
		   SOFTIRQ("001020", "2", HOG)
		   IRQ("001100", "2", HOG)
		   IRQ_END("001150", "2", HOG)
		   SOFTIRQ_END("001200", "2", HOG)
		   SWITCH("001210", "2", HOG, "R+", SERVER)
		   IRQ("001220", "2", SERVER)
		   IRQ_END("001320", "2", SERVER));
	assert_string_equal(time_line(), SENT_IN_TIME
			    "4 runnable, CPU 2: hog-300\n"
			    "80 runnable, CPU 2: softirq NET_RX\n"
			    "50 runnable, CPU 2: interrupt 36 (eth0)\n"
			    "50 runnable, CPU 2: softirq NET_RX\n"
			    "10 runnable, CPU 2: hog-300\n"
			    "10 runs, CPU 2: twoway-server-200\n"
			    "100 interrupted, CPU 2: interrupt 36 (eth0)\n"
			    "10 runs, CPU 2: twoway-server-200\n");
	assert_says("server runnable on CPU 2 for 194.0 us while softirq NET_RX (130.0 us), interrupt 36 (eth0) (50.0 us), hog-300 (14.0 us) ran");
	assert_true(analysis.spans[3].interrupt);
	assert_false(analysis.spans[2].interrupt);
	/* An interrupt needs no preemption that is off. */
	assert_null(strstr(analysis.sentence, "preemption"));
}

static void test_interrupted(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT CLIENT_AWAKES CLIENT_SENDS
		   SWITCH("001022", "2", IDLE, "R", SERVER)
		   EVENT("001025", "2", SERVER, "ipi_entry: (Function call interrupts)")
		   EVENT("001325", "2", SERVER, "ipi_exit: (Function call interrupts)"));
	assert_says("server interrupted on CPU 2 for 300.0 us while ipi interrupt (300.0 us) ran");
}

static void test_preempted_again(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT CLIENT_AWAKES CLIENT_SENDS
		   SWITCH("001022", "2", IDLE, "R", SERVER)
		   SWITCH("001024", "2", SERVER, "R+", SPINNER)
		   SWITCH("001324", "2", SPINNER, "S", SERVER));
	assert_string_equal(time_line(), SENT_IN_TIME
			    "6 runnable, CPU 2: the idle task\n"
			    "2 runs, CPU 2: twoway-server-200\n"
			    "300 runnable, CPU 2: spinner-400\n"
			    "6 runs, CPU 2: twoway-server-200\n");
	/* When it was switched to first. */
	assert_wakeup(6, 12);
	assert_says("spinner-400 (300.0 us)");
	assert_says("outranks");
}

static void test_throttled(void **state)
{
	struct tw_break brk = late_break(TW_SEND, 51330);

	(void)state;
	brk.kept.throttled = true;
	analyse(BOTH_WAIT CLIENT_AWAKES CLIENT_SENDS
		SWITCH("001022", "2", IDLE, "R", SERVER)
		SWITCH("001024", "2", SERVER, "R+", HOG)
		SWITCH("051324", "2", HOG, "R+", SERVER), &brk);
	assert_says("send +50300 us: server runnable on CPU 2 for 50306.0 us while hog-300 (50300.0 us)");
	assert_says("real-time throttling");
	assert_null(strstr(analysis.sentence, "preemption"));
}

static void test_client_preempted(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT CLIENT_AWAKES
		   SWITCH("001011", "3", CLIENT, "R+", SPINNER)
		   SWITCH("001311", "3", SPINNER, "S", CLIENT)
		   WAKING("001316", "3", CLIENT, SERVER, "2")
		   SWITCH("001320", "2", IDLE, "R", SERVER));
	assert_string_equal(time_line(),
			    "1 peer runs, CPU 3: twoway-client-100\n"
			    "300 peer runnable, CPU 3: spinner-400\n"
			    "5 peer runs, CPU 3: twoway-client-100\n"
			    "4 runnable, CPU 2: the idle task\n"
			    "10 runs, CPU 2: twoway-server-200\n");
	assert_says("send +300 us: client runnable on CPU 3 for 300.0 us while spinner-400 (300.0 us) ran");
	assert_says("outranks");
	assert_says("before it woke the server");
}

static void test_client_interrupted(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT CLIENT_AWAKES
		   IRQ("001011", "3", CLIENT)
		   IRQ_END("001311", "3", CLIENT)
		   WAKING("001316", "3", CLIENT, SERVER, "2")
		   SWITCH("001320", "2", IDLE, "R", SERVER));
	assert_says("client interrupted on CPU 3 for 300.0 us while interrupt 36 (eth0) (300.0 us) ran before it woke the server");
}

/* Others' packets, which an interrupt brings, are not what it sends. */
static void test_client_blocked(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT CLIENT_AWAKES
		   IRQ("001011", "3", CLIENT)
		   SOFTIRQ("001012", "3", CLIENT)
		   EVENT("001013", "3", CLIENT, "netif_receive_skb: dev=eth0 skbaddr=00000000d4f5f3a5 len=60")
		   SOFTIRQ_END("001014", "3", CLIENT)
		   IRQ_END("001015", "3", CLIENT)
		   SWITCH("001016", "3", CLIENT, "D", IDLE)
		   WAKING("001306", "3", IDLE, CLIENT, "3")
		   SWITCH("001311", "3", IDLE, "R", CLIENT)
		   WAKING("001316", "3", CLIENT, SERVER, "2")
		   SWITCH("001320", "2", IDLE, "R", SERVER));
	assert_says("client blocked on CPU 3 for 290.0 us before it woke the server");
}

static void test_on_the_way(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT CLIENT_AWAKES
		   SENDS("001013", "3", CLIENT)
		   SWITCH("001016", "3", CLIENT, "S", HOG)
		   SOFTIRQ("001306", "3", HOG)
		   WAKING("001316", "3", HOG, SERVER, "2")
		   SWITCH("001320", "2", IDLE, "R", SERVER));
	assert_string_equal(time_line(),
			    "6 peer runs, CPU 3: twoway-client-100\n"
			    "290 message on its way, CPU 3: hog-300\n"
			    "10 message on its way, CPU 3: softirq NET_RX\n"
			    "4 runnable, CPU 2: the idle task\n"
			    "10 runs, CPU 2: twoway-server-200\n");
	assert_says("client done, its message on the way, on CPU 3 for 300.0 us while hog-300 (290.0 us), softirq NET_RX (10.0 us) ran before that woke the server");
}

/* What it was to be woken by has come, but it waits for something else. */
static void test_blocked_on_else(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT CLIENT_AWAKES
		   SENDS("001013", "3", CLIENT)
		   SOFTIRQ("001014", "3", CLIENT)
		   SOFTIRQ_END("001016", "3", CLIENT)
		   SWITCH("001018", "3", CLIENT, "S", IDLE)
		   WAKING("001316", "1", HOG, SERVER, "2")
		   SWITCH("001320", "2", IDLE, "R", SERVER));
	assert_string_equal(time_line(),
			    "4 peer runs, CPU 3: twoway-client-100\n"
			    "2 peer interrupted, CPU 3: softirq NET_RX\n"
			    "300 blocked, CPU 2: the idle task\n"
			    "4 runnable, CPU 2: the idle task\n"
			    "10 runs, CPU 2: twoway-server-200\n");
	assert_says("send +300 us: server blocked on something else on CPU 2 for 300.0 us");
}

/* Woken before it sleeps, with the switch still to come: it lacks its CPU. */
static void test_woken_on_its_way(void **state)
{
	(void)state;
	send_takes(1330, SWITCH("000110", "3", CLIENT, "S", IDLE)
		   CLIENT_AWAKES
		   EVENT("001012", "2", SERVER, "other")
		   WAKING("001016", "3", CLIENT, SERVER, "2")
		   SWITCH("001018", "2", SERVER, "S", SPINNER)
		   SWITCH("001019", "3", CLIENT, "S", IDLE)
		   SWITCH("001318", "2", SPINNER, "S", SERVER));
	assert_says("server runnable on CPU 2 for 300.0 us while spinner-400 (300.0 us) ran, which outranks it");
}

/* The wake-up finds another CPU than the one that it was asked for on. */
static void test_migrated(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT
		   SWITCH("000400", "1", IDLE, "R", SPINNER)
		   CLIENT_AWAKES
		   WAKING("001016", "3", CLIENT, SERVER, "2")
		   MIGRATE("001017", "3", CLIENT, SERVER, "2", "1")
		   SWITCH("001019", "3", CLIENT, "S", IDLE)
		   SWITCH("001317", "1", SPINNER, "S", SERVER));
	assert_string_equal(time_line(),
			    "6 peer runs, CPU 3: twoway-client-100\n"
			    "1 runnable, CPU 2: the idle task\n"
			    "300 runnable, CPU 1: spinner-400\n"
			    "13 runs, CPU 1: twoway-server-200\n");
	assert_says("while spinner-400 (300.0 us)");
	assert_says("outranks");
}

/* One CPU for both: the server waits for the client to wait. */
static void test_one_cpu(void **state)
{
	(void)state;
	send_takes(1330, SWITCH("000100", "3", SERVER, "S", CLIENT)
		   SWITCH("000110", "3", CLIENT, "S", IDLE)
		   CLIENT_AWAKES
		   WAKING("001016", "3", CLIENT, SERVER, "3")
		   SWITCH("001316", "3", CLIENT, "S", SERVER));
	assert_says("server runnable on CPU 3 for 300.0 us while twoway-client-100 (300.0 us) ran, which outranks it");
}

/* A server that looks for its request all the time is never woken. */
#define SERVER_RUNS \
	SWITCH("000100", "2", IDLE, "R", SERVER) \
	SWITCH("000110", "3", CLIENT, "S", IDLE)

static void test_busy(void **state)
{
	(void)state;
	send_takes(1330, SERVER_RUNS CLIENT_AWAKES
		   SENDS("001013", "3", CLIENT)
		   SWITCH("001016", "3", CLIENT, "S", IDLE)
		   SWITCH("001018", "2", SERVER, "R+", SPINNER)
		   SWITCH("001318", "2", SPINNER, "S", SERVER));
	assert_says("server runnable on CPU 2 for 300.0 us while spinner-400 (300.0 us) ran");
	assert_wakeup(-0.001, -0.001);
}

static void test_busy_client_preempted(void **state)
{
	(void)state;
	send_takes(1330, SERVER_RUNS CLIENT_AWAKES
		   SWITCH("001011", "3", CLIENT, "R+", SPINNER)
		   SWITCH("001311", "3", SPINNER, "S", CLIENT)
		   SENDS("001316", "3", CLIENT)
		   SWITCH("001318", "3", CLIENT, "S", IDLE));
	assert_says("client runnable on CPU 3 for 300.0 us while spinner-400 (300.0 us) ran");
}

/* No switch is told of: it runs from its first event on, and no more is said. */
static void test_switch_unseen(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT
		   SWITCH("000500", "2", IDLE, "R", HOG)
		   CLIENT_AWAKES CLIENT_SENDS
		   IRQ("001316", "2", SERVER)
		   IRQ_END("001317", "2", SERVER));
	assert_string_equal(time_line(), SENT_IN_TIME
			    "300 runnable, CPU 2: hog-300\n"
			    "1 interrupted, CPU 2: interrupt 36 (eth0)\n"
			    "13 runs, CPU 2: twoway-server-200\n");
	assert_wakeup(6, 306);
	assert_true(analysis.switch_unseen);
	assert_says("server runnable on CPU 2 for 300.0 us while hog-300");
	assert_null(strstr(analysis.sentence, "preemption"));
}

/* The wake-up comes before the server has gone to sleep: it goes on. */
static void test_woken_awake(void **state)
{
	(void)state;
	send_takes(1330, SERVER_RUNS CLIENT_AWAKES CLIENT_SENDS
		   IRQ("001020", "2", SERVER)
		   IRQ_END("001320", "2", SERVER));
	assert_says("server interrupted on CPU 2 for 300.0 us while interrupt 36 (eth0) (300.0 us)");
	assert_wakeup(6, -0.001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_time),
		cmocka_unit_test(test_preemption_off),
		cmocka_unit_test(test_outranked),
		cmocka_unit_test(test_same_priority),
		cmocka_unit_test(test_fair_share),
		cmocka_unit_test(test_idle_exit),
		cmocka_unit_test(test_interrupts),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_preempted_again),
		cmocka_unit_test(test_throttled),
		cmocka_unit_test(test_client_preempted),
		cmocka_unit_test(test_client_interrupted),
		cmocka_unit_test(test_client_blocked),
		cmocka_unit_test(test_on_the_way),
		cmocka_unit_test(test_blocked_on_else),
		cmocka_unit_test(test_woken_on_its_way),
		cmocka_unit_test(test_migrated),
		cmocka_unit_test(test_one_cpu),
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_busy_client_preempted),
		cmocka_unit_test(test_switch_unseen),
		cmocka_unit_test(test_woken_awake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
