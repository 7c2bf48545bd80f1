// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms: which row a value is in, and which cycles are in none. */
#include <stdio.h>
#include <string.h>

#include "tw_part.h"
#include "tw_run.h"
#include "tw_time.h"
#include "unit.h"

static _Alignas(64) char memory[65536];

void *__wrap_tw_part_room(const void *rooms, const struct tw_run *run,
			   const struct tw_part *part);
void *__wrap_tw_part_room(const void *rooms, const struct tw_run *run,
			   const struct tw_part *part)
{
	return memory;
}

static struct tw_pair pair;
static struct tw_run run = { .pairs = { &pair } };

AT_START(three_rows)
{
	char *words[] = { "test", "-h3", NULL };

	tw_option_parse_all(2, words);
	tw_part_histogram.check(&run);
	assert_true(tw_part_histogram.room(&run) <= sizeof(memory));
}

static void add(int64_t ns)
{
	int64_t values_ns[TW_METRICS];

	values_ns[TW_LATENCY] = ns;
	assert_false(tw_part_histogram.record(memory, NULL, values_ns));
}

/* The rows, and the cycles that are in none. */
static void assert_text(const char *rows, const char *overflows)
{
	char text[4096] = "", expected[4096];
	FILE *file = fmemopen(text, sizeof(text), "w");

	assert_non_null(file);
	tw_part_histogram.text(file, &run);
	fclose(file);
	snprintf(expected, sizeof(expected),
		 "# Histogram\n%s# Metrics: latency\n# Min Latencies: 00000\n# Avg Latencies: 00000\n# Max Latencies: 00000\n# Histogram Overflows:%s\n",
		 rows, overflows);
	assert_string_equal(text, expected);
}

BEFORE_EACH
{
	memset(memory, 0, sizeof(memory));
	tw_part_histogram.attach(memory, 0);
}

TEST(rows)
{
	assert_text("", " 00000\n# Histogram Overflow at cycle number:\n# Thread 0: \n");
	add(0);
	add(999);
	add(TW_NO_VALUE);
	add(2999);
	add(3000);
	add(2000);
	add(-1);
	add(INT64_MAX);
	add(1000);
	assert_text("000000 000002\n000001 000001\n000002 000002\n",
		    " 00003\n# Histogram Overflow at cycle number:\n# Thread 0: 00003 00005 00006\n");
}

TEST(many_cycles)
{
	char cycles[1024] = "";
	int i;

	for (i = 0; i < 99; i++) {
		add(5000);
		sprintf(cycles + strlen(cycles), "%s%05d", i ? " " : "", i);
	}
	add(1000);
	add(5000);
	strcat(cycles, " 00100");
	for (i = 0; i < 2; i++) {
		char overflows[2048];

		snprintf(overflows, sizeof(overflows), " %05d\n# Histogram Overflow at cycle number:\n# Thread 0: %s # %05d others\n",
			 100 + i, cycles, i);
		assert_text("000001 000001\n", overflows);
		add(5000);
	}
}
