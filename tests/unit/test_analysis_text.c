// SPDX-License-Identifier: GPL-2.0-or-later
/* The sentence on the largest part of a delay, and how it is chosen. */
#include "trace.h"

static void send_takes(double until_us, const char *text)
{
	struct tw_break brk = late_break(TW_SEND, until_us);

	analyse(text, &brk);
	assert_null(analysis.lacks);
	assert_int_equal(analysis.phase, TW_SEND);
}

static void test_running(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT CLIENT_AWAKES
		   WAKING("001316", "3", CLIENT, SERVER, "2")
		   SWITCH("001320", "2", IDLE, "R", SERVER));
	assert_string_equal(analysis.sentence, "send +300 us: client running on CPU 3 for 306.0 us before it woke the server");
	send_takes(1330, BOTH_WAIT CLIENT_AWAKES CLIENT_SENDS
		   SWITCH("001022", "2", IDLE, "R", SERVER));
	assert_string_equal(analysis.sentence, "send +300 us: server running, already awake, on CPU 2 for 308.0 us");
}

/* Of states of equal length, the one that comes first in a wait. */
static void test_tie(void **state)
{
	struct tw_break brk = late_break(TW_WAKEUP, 1310);

	(void)state;
	analyse(BOTH_WAIT
		SWITCH("000900", "3", IDLE, "R", SPINNER)
		WAKING("001150", "3", SPINNER, CLIENT, "3")
		SWITCH("001300", "3", SPINNER, "S", CLIENT), &brk);
	assert_says("client not woken by its timer on CPU 3 for 150.0 us");
}

#define TASK(name, number)	(name, name, number, "120")

/* A state that lasts longest in many parts, none of which is the longest. */
static void test_many_short(void **state)
{
	(void)state;
	send_takes(1150, BOTH_WAIT
		   SWITCH("000500", "2", IDLE, "R", HOG)
		   CLIENT_AWAKES
		   WAKING("001066", "3", CLIENT, SERVER, "2")
		   SWITCH("001069", "3", CLIENT, "S", IDLE)
		   SWITCH("001106", "2", HOG, "S", TASK("other", "301"))
		   SWITCH("001145", "2", TASK("other", "301"), "R+", SERVER));
	assert_string_equal(analysis.sentence, "send +120 us: server runnable on CPU 2 for 79.0 us while hog-300 (40.0 us), other-301 (39.0 us) ran with preemption off");
}

static void test_one_more(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT
		   SWITCH("000500", "2", IDLE, "R", HOG)
		   CLIENT_AWAKES CLIENT_SENDS
		   SWITCH("001056", "2", HOG, "S", TASK("a", "301"))
		   SWITCH("001106", "2", TASK("a", "301"), "S", TASK("b", "302"))
		   SWITCH("001166", "2", TASK("b", "302"), "S", TASK("c", "303"))
		   SWITCH("001316", "2", TASK("c", "303"), "S", SERVER));
	assert_says("for 300.0 us while c-303 (150.0 us), b-302 (60.0 us), a-301 (50.0 us) and 1 more ran");
}

#define FAIR(prio)	("twoway-server", "twoway-server", "200", prio)
#define HIGHEST		("highest", "highest", "302", "100")

static void fair_waits(const char *text, const char *why)
{
	send_takes(1330, text);
	assert_says(why);
}

#define FAIR_WAITS_FOR(task, prio) \
	BOTH_WAIT \
	SWITCH("000500", "2", IDLE, "R", task) \
	CLIENT_AWAKES \
	WAKING("001016", "3", CLIENT, FAIR(prio), "2") \
	SWITCH("001316", "2", task, "R", FAIR(prio))

/* Only among ordinary tasks is time shared, whatever their nice value. */
static void test_ordinary(void **state)
{
	(void)state;
	fair_waits(FAIR_WAITS_FOR(SPINNER, "120"), "ran, which outranks it");
	fair_waits(FAIR_WAITS_FOR(HOG, "120"), "ran, by the fair share");
	fair_waits(FAIR_WAITS_FOR(HIGHEST, "120"), "ran, by the fair share");
	fair_waits(FAIR_WAITS_FOR(HIGHEST, "100"), "ran, by the fair share");
	fair_waits(FAIR_WAITS_FOR(HIGHEST, "99"), "ran with preemption off");
}

/* A priority that is not known outranks nobody. */
static void test_unknown_priority(void **state)
{
	(void)state;
	send_takes(1330, BOTH_WAIT CLIENT_AWAKES CLIENT_SENDS
		   EVENT("001020", "2", HOG, "softirq_raise: vec=3 [action=NET_RX]")
		   SWITCH("001320", "1", HOG, "S", IDLE));
	assert_string_equal(analysis.sentence, "send +300 us: server runnable on CPU 2 for 314.0 us while hog-300 (310.0 us), the idle task (4.0 us) ran");
}

/* Without an analysis there is nothing to be said. */
static void test_lacks(void **state)
{
	struct tw_break brk = late_break(TW_SEND, 1330);

	(void)state;
	analyse("", &brk);
	assert_non_null(analysis.lacks);
	assert_string_equal(analysis.sentence, "");
	assert_false(analysis.throttling);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_running),
		cmocka_unit_test(test_tie),
		cmocka_unit_test(test_many_short),
		cmocka_unit_test(test_one_more),
		cmocka_unit_test(test_ordinary),
		cmocka_unit_test(test_unknown_priority),
		cmocka_unit_test(test_lacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
