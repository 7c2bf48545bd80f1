// SPDX-License-Identifier: GPL-2.0-or-later
/* A stretch in which the side or its peer is to work, and its names. */
#include "trace.h"

/* The server is to run from 1000 us on; or it waits for the client. */
static struct tw_stretch work(double until_us, double mean_us)
{
	return (struct tw_stretch) {
		.phase = 7, .side = 3,
		.names = { .phase = "time", .side = "prim-a",
			   .peer = "prim-b", .title = "task " },
		.side_pid = SERVER_PID, .waits = TW_BLOCKED, .works = true,
		.mean_ns = mean_us * 1000, .begin_ns = at_us(1000),
		.end_ns = at_us(until_us),
	};
}

static void look_into(const struct tw_stretch *stretch, const char *text)
{
	memset(&analysis, 0x5a, sizeof(analysis));
	tw_analyse_stretch(&analysis, text, stretch);
	assert_null(analysis.lacks);
	assert_int_equal(analysis.phase, 7);
	assert_int_equal(analysis.side, 3);
}

#define RUNS \
	SWITCH("000500", "2", IDLE, "R", SERVER)
#define DISTURBED(from, to) \
	SWITCH(from, "2", SERVER, "R", SPINNER) \
	SWITCH(to, "2", SPINNER, "S", SERVER)
#define LATER	WAKING("009000", "3", IDLE, CLIENT, "3")

/* Its work is the longest, and is no delay. */
static void test_preempted(void **state)
{
	const struct tw_stretch stretch = work(2300, 1000);

	(void)state;
	look_into(&stretch, RUNS DISTURBED("001400", "001700") LATER);
	assert_string_equal(analysis.sentence, "time +300 us: task prim-a runnable on CPU 2 for 300.0 us while spinner-400 (300.0 us) ran, which outranks it");
}

static void test_undisturbed(void **state)
{
	const struct tw_stretch stretch = work(2300, 1000);

	(void)state;
	/* All but 100 us of what it took longer. */
	look_into(&stretch, RUNS DISTURBED("001400", "001500") LATER);
	assert_string_equal(analysis.sentence, "time +300 us: task prim-a running, undisturbed, on CPU 2 for 1200.0 us");
}

static void test_blocked(void **state)
{
	const struct tw_stretch stretch = work(2300, 1000);

	(void)state;
	look_into(&stretch, RUNS SWITCH("001400", "2", SERVER, "D", IDLE)
		  WAKING("001690", "3", IDLE, SERVER, "2")
		  SWITCH("001700", "2", IDLE, "R", SERVER) LATER);
	assert_says("time +300 us: task prim-a blocked on something else on CPU 2 for 290.0 us");
}

/* The peer works first, for 400 us; each has its share in the usual time. */
static void test_peer_works(void **state)
{
	struct tw_stretch stretch = work(2300, 1000);

	(void)state;
	stretch.waits = TW_UNKNOWN;
	stretch.peer_pid = CLIENT_PID;
	look_into(&stretch,
		  SWITCH("000500", "2", SERVER, "S", IDLE)
		  SWITCH("000600", "3", IDLE, "R", CLIENT)
		  SWITCH("001100", "3", CLIENT, "R", SPINNER)
		  SWITCH("001400", "3", SPINNER, "S", CLIENT)
		  WAKING("001700", "3", CLIENT, SERVER, "2")
		  SWITCH("001700", "2", IDLE, "R", SERVER));
	assert_string_equal(analysis.sentence, "time +300 us: task prim-b runnable on CPU 3 for 300.0 us while spinner-400 (300.0 us) ran, which outranks it before it woke the task prim-a");
	look_into(&stretch,
		  SWITCH("000500", "2", SERVER, "S", IDLE)
		  SWITCH("000600", "3", IDLE, "R", CLIENT)
		  WAKING("002100", "3", CLIENT, SERVER, "2")
		  SWITCH("002100", "2", IDLE, "R", SERVER));
	assert_string_equal(analysis.sentence, "time +300 us: task prim-b running on CPU 3 for 1100.0 us before it woke the task prim-a");
}

/* While another task of the measurement works, it is to wait. */
#define TURNS \
	RUNS SWITCH("001100", "2", SERVER, "R", EQUAL) \
	SWITCH("001900", "2", EQUAL, "R", SERVER)

static void test_own_tasks(void **state)
{
	struct tw_stretch stretch = work(2300, 1000);

	(void)state;
	stretch.names.own = "equ";
	look_into(&stretch, TURNS IRQ("001900", "2", SERVER)
		  IRQ_END("002200", "2", SERVER) LATER);
	assert_string_equal(analysis.sentence, "time +300 us: task prim-a interrupted on CPU 2 for 300.0 us while interrupt 36 (eth0) (300.0 us) ran");
	look_into(&stretch, TURNS DISTURBED("001900", "002200") LATER);
	assert_string_equal(analysis.sentence, "time +300 us: task prim-a runnable on CPU 2 for 1100.0 us while equal-500 (800.0 us), spinner-400 (300.0 us) ran, which outranks it");
	/* An interrupt in its time is not its work. */
	look_into(&stretch, RUNS SWITCH("001100", "2", SERVER, "R", EQUAL)
		  IRQ("001200", "2", EQUAL) IRQ_END("001500", "2", EQUAL)
		  SWITCH("002200", "2", EQUAL, "R", SERVER) LATER);
	assert_says("time +300 us: task prim-a runnable on CPU 2 for 1100.0 us");
	/* Others are not ours. */
	stretch.names.own = "prim-";
	look_into(&stretch, TURNS IRQ("001900", "2", SERVER)
		  IRQ_END("002200", "2", SERVER) LATER);
	assert_says("time +300 us: task prim-a runnable on CPU 2 for 800.0 us");
}

static void test_not_work(void **state)
{
	struct tw_stretch stretch = work(2300, 1000);

	(void)state;
	stretch.works = false;
	look_into(&stretch, RUNS DISTURBED("001400", "001700") LATER);
	assert_string_equal(analysis.sentence, "time +300 us: task prim-a running, already awake, on CPU 2 for 1000.0 us");
}

static void test_time_line(void **state)
{
	const struct tw_stretch stretch = work(1300, 100);
	char *text;
	size_t size;
	FILE *file;

	(void)state;
	look_into(&stretch, SWITCH("000500", "2", SERVER, "S", IDLE)
		  WAKING("001010", "3", IDLE, SERVER, "2")
		  SWITCH("001030", "2", IDLE, "R", SERVER));
	file = open_memstream(&text, &size);
	tw_analysis_print(file, &analysis, true);
	fclose(file);
	assert_non_null(strstr(text, "# Wake-up of the task prim-a: 20.0 us from"));
	assert_non_null(strstr(text, "# Time line of time: 300.0 us, on average 100.0\n"));
	assert_non_null(strstr(text, "CPU  prim-a             who had"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_preempted),
		cmocka_unit_test(test_undisturbed),
		cmocka_unit_test(test_blocked),
		cmocka_unit_test(test_peer_works),
		cmocka_unit_test(test_own_tasks),
		cmocka_unit_test(test_not_work),
		cmocka_unit_test(test_time_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
