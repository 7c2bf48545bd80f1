// SPDX-License-Identifier: GPL-2.0-or-later
/* The events of a whole trace: all that there is memory for. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define EVENTS	5000

static int grants;	/* so often memory is given */
static size_t given;	/* bytes, at last */

static void *realloc_by_script(void *old, size_t size)
{
	if (!grants--)
		return NULL;
	given = size;
	return realloc(old, size);
}

#define realloc realloc_by_script
#include "cause/tw_event.c"
#undef realloc

/* Events one us apart. */
static char *new_trace(int count)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	int i;

	assert_non_null(file);
	for (i = 0; i < count; i++)
		fprintf(file, "a-%d [001] d..2. 1.%06d: x: y\n", i, i);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void assert_whole(const struct tw_event *events, size_t count)
{
	size_t i;

	assert_in_range(count * sizeof(*events), 0, given);
	for (i = 0; i < count; i++) {
		assert_int_equal(events[i].pid, i);
		assert_int_equal(events[i].time_ns,
				 TW_NS_PER_S + (int64_t)i * TW_NS_PER_US);
	}
}

static void test_many(void **state)
{
	char *text = new_trace(EVENTS);
	struct tw_event *events;
	size_t count;

	(void)state;
	grants = -1;
	given = 0;
	count = tw_events_read(text, &events);
	assert_int_equal(count, EVENTS);
	assert_whole(events, count);
	free(events);
	free(text);
}

/* What was read before the memory was used up is kept. */
static void test_no_memory(void **state)
{
	char *text = new_trace(EVENTS);
	struct tw_event *events;
	size_t count, before = 0;
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		grants = i;
		given = 0;
		count = tw_events_read(text, &events);
		assert_true(i ? count > before && count < EVENTS : !count);
		assert_int_equal(count * sizeof(*events), given);
		assert_whole(events, count);
		assert_true(i ? events != NULL : events == NULL);
		free(events);
		before = count;
	}
	free(text);
}

static void assert_count(const char *text, size_t want)
{
	struct tw_event *events;
	size_t count;

	grants = -1;
	count = tw_events_read(text, &events);
	if (count != want)
		fail_msg("%zu events: %s", count, text);
	free(events);
}

/* The last line may lack its end; what follows the text is not read. */
static void test_end(void **state)
{
	(void)state;
	assert_count("", 0);
	assert_count("\n\n", 0);
	assert_count("a-1 [001] d..2. 1.000001: x: y", 1);
	assert_count("a-1 [001] d..2. 1.000001: x: y\0"
		     "a-2 [001] d..2. 1.000002: x: y\n", 1);
	assert_count("a-1 [001] d..2. 1.000001: x: y\n\n"
		     "a-2 [001] d..2. 1.000002: x: y\n\0"
		     "a-3 [001] d..2. 1.000003: x: y\n", 2);
}

#define WAKING(cpu, target) \
	"a-1 [" cpu "] d..2. 1.000001: sched_waking: comm=x pid=1 prio=9 target_cpu=" \
	target "\n"

/* The play-back has a place for each of its CPUs, and for no other. */
static void test_places(void **state)
{
	(void)state;
	assert_int_equal(CPU_SETSIZE, 1024);
	assert_count(WAKING("000", "000"), 1);
	assert_count(WAKING("1023", "1023"), 1);
	assert_count(WAKING("1024", "000"), 0);
	assert_count(WAKING("000", "1024"), 0);
	assert_count(WAKING("000", "-01"), 0);
	/* Read as an int, this is less than 0. */
	assert_count(WAKING("4294967295", "000"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
