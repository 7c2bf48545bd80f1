// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --limit=rate: when long blocks have a bound, and what it is. The values are those
 * of tests/report/test_report_bound.py.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "tw_blocks.h"
#include "tw_config.h"
#include "tw_limit.h"
#include "tw_metric.h"

#define HOURLY_US	562500	/* of 6400 cycles, which are an hour then */
#define WANDER	"; the longest cycles of its parts change in the course of the run"
#define RISE	"; the longest cycles of its parts become longer in the course of the run"
#define TOGETHER	"; long cycles come together in parts of the run"
#define OFTEN	"; more than a quarter of the run's parts has one: see p99.9"
#define AS_HERE	" while it stays as in this run"

/* The longest value of a block, in us. */
static int mixed(int i)
{
	return 100 + 37 * i % 64;
}

static int rising(int i)
{
	return 100 + i;
}

static int rising_slowly(int i)
{
	return mixed(i) + i;
}

/* Somewhat alike: as known as they are, they count as 14. */
static int twice(int i)
{
	return 100 + 7 * (i / 2) % 32;
}

/* Of two values, the longer one comes more and more often. */
static int one_of_two(int i)
{
	return 100 + (37 * i % 64 < 36 + i / 2);
}

struct row {
	const char *name;	/* the unit */
	double most;
	char long_ones[200];	/* numbers of blocks */
	const char *text;
	int (*us)(int block);	/* NULL: mixed */
	int64_t period_us;	/* 0: HOURLY_US */
	uint64_t missed;
	int steps;
	bool exceeded;
};

static const struct row rows[] = {
	{ "h", 3, "", .text = "0 episodes in 60 min, at most 3.0 an hour" AS_HERE },
	{ "h", 2, "", .text = "0 episodes in 60 min, at most 3.0 an hour" AS_HERE "; without another, 30 min more are needed" },
	{ "h", 9, "9 10 30 50 ", .text = "3 episodes in 60 min, at most 8.3 an hour" AS_HERE },
	{ "h", .5, "9 30 50 ", .text = "3 episodes in 60 min, at least 0.82 an hour",
	  .exceeded = true },
	{ "h", 5, "20 21 ", .text = "1 episode in 60 min" TOGETHER },
	{ "h", 5, "20 22 24 ", .text = "3 episodes in 60 min" TOGETHER },
	{ "h", 5, "20 23 27 ", .text = "3 episodes in 60 min" TOGETHER },
	{ "h", 5, "0 2 33 35 60 62 ", .text = "6 episodes in 60 min" TOGETHER },
	{ "h", 14, "0 3 33 35 58 62 ", .text = "6 episodes in 60 min, at most 13.1 an hour" AS_HERE },
	{ "h", 9, "0 40 63 ", .text = "3 episodes in 60 min, at most 8.1 an hour" AS_HERE },
	{ "h", 40, "0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 ", .text = "16 episodes in 60 min, at most 32.4 an hour" AS_HERE },
	{ "h", 30, "0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 ", .text = "17 episodes in 60 min" OFTEN },
	{ "h", 5, "", .text = "0 episodes in 60 min" WANDER, .us = rising },
	{ "h", 5, "", .text = "0 episodes in 60 min" WANDER, .us = twice },
	{ "h", 5, "", .text = "0 episodes in 60 min" RISE, .us = one_of_two },
	{ "h", 5, "", .text = "0 episodes in 60 min" RISE, .us = rising_slowly },
	{ "h", 5, "", .text = "0 episodes in 60 min; it has steps, which are not alike",
	  .steps = 2 },
	{ "d", 99999, "9 30 50 ", .text = "3 episodes in 64 s, at most 10982.2 a day" AS_HERE ", which is told by less than a day",
	  .period_us = 10000 },
	{ "min", 7, "9 30 50 ", .text = "3 episodes in 64 s, at most 7.6 a minute" AS_HERE "; without another, 5.7 s more are needed",
	  .period_us = 10000 },
	{ "d", 1, "9 ", .text = "1 episode in 100 h, at most 1.2 a day" AS_HERE "; without another, 16 h more are needed",
	  .period_us = 56250000 },
	/* Longer than the period, it may be the one with a missed expiry. */
	{ "min", 99, "", .text = "1 episode in 1 s, at most 278.9 a minute" AS_HERE ", which is told by less than a minute; without another, 1.9 s more are needed",
	  .period_us = 162, .missed = 1 },
	{ .name = NULL }
};

static const struct row *row;

bool __wrap_tw_blocks_maxima(const struct tw_run *run, int pair, int value,
			     int64_t longest_ns[TW_BLOCKS]);

bool __wrap_tw_blocks_maxima(const struct tw_run *run, int pair, int value,
			     int64_t longest_ns[TW_BLOCKS])
{
	char number[8];
	int i;

	assert_int_equal(value, TW_PLANNED);
	for (i = 0; i < TW_BLOCKS; i++) {
		int us = row->us ? row->us(i) : mixed(i);

		snprintf(number, sizeof(number), " %d ", i);
		if (strstr(row->long_ones, number) ||
		    !strncmp(row->long_ones, number + 1, strlen(number + 1)))
			us += 400;
		longest_ns[i] = us * 1000;
	}
	return true;
}

TEST(test_rates)
{
	static struct tw_pair pair;
	struct tw_run run = { .pairs = { &pair } };

	for (row = rows; row->name; row++) {
		struct tw_limit limit = {
			.text = "rate", .most = row->most,
			.unit = tw_limit_rate.unit(row->name),
			.above_ns = 300000,
		};
		struct tw_limit_value of;
		char text[300] = "";
		FILE *file = fmemopen(text, sizeof(text), "w");

		run.steps = row->steps ? row->steps : 1;
		tw_settings.intervals = 1;
		tw_settings.intervals_us[0] = row->period_us ? row->period_us :
							       HOURLY_US;
		pair.total.stats[TW_PLANNED].count = 6400 - row->missed;
		pair.total.missed = row->missed;
		tw_limit_rate.print(file, &run, 0, &limit, row->exceeded);
		fclose(file);
		assert_string_equal(text, row->text);
		of = tw_limit_rate_value(&run, 0, &limit);
		if (strchr(row->text, ';') && !strstr(row->text, "without"))
			assert_true(isinf(of.unknown));
		else
			assert_int_equal(of.value + of.unknown > limit.most,
					 row->exceeded ||
					 strstr(row->text, "without"));
		assert_int_equal(of.value > limit.most, row->exceeded);
	}
}

TEST(test_units)
{
	assert_int_equal(tw_limit_rate.unit("s"), 0);
	assert_int_equal(tw_limit_rate.unit("mi"), 0);
	assert_int_equal(tw_limit_rate.unit("d"), 3);
}
