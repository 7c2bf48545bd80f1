// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The means of 64 consecutive blocks of the run, for the JSON: neighbours in
 * time are alike, so the spread of single cycles does not tell how sure a mean
 * is; that of blocks does. The longest cycles, one in 1000, are left out, as few
 * of them would decide it. And the longest value of each block, which tells how
 * often, and when, it took long.
 */
#include <stdlib.h>
#include <string.h>

#include "tw_blocks.h"
#include "tw_part.h"
#include "tw_text.h"

#define SUMS		2048	/* when all are in use, each two become one */
#define LEFT_OUT	1000	/* one cycle in so many; at most one of a sum */

/* Memory of a pair. */
struct room {
	uint64_t cycles;	/* recorded */
	uint64_t each;		/* of a sum; a power of two */
	struct sum {
		int64_t ns, longest_ns;
	} sums[][SUMS];		/* index: column of the pair */
	/* int64_t longest_ns[tw_metric_count][SUMS]: see longest_of() */
};

static size_t room(const struct tw_run *run)
{
	return sizeof(struct room) + SUMS *
	       (tw_config.columns * sizeof(struct sum) +
		tw_metric_count * sizeof(int64_t));
}

/* The longest of all cycles of each sum. */
static int64_t *longest_of(const struct room *of, int metric)
{
	return (int64_t *)of->sums[tw_config.columns] + metric * SUMS;
}

static void attach(void *memory, int pair)
{
	struct room *of = memory;
	int i;

	of->each = 1;
	for (i = 0; i < tw_metric_count; i++)
		*longest_of(of, i) = TW_NO_VALUE;
}

static void add(struct sum *to, struct sum more)
{
	to->ns += more.ns;
	if (more.longest_ns > to->longest_ns)
		to->longest_ns = more.longest_ns;
}

static int64_t longest_ns(const int64_t ns[], int count)
{
	int64_t longest = ns[0];

	while (--count)
		if (ns[count] > longest)
			longest = ns[count];
	return longest;
}

static void halve(struct room *to)
{
	int i, at;

	for (i = 0; i < tw_config.columns; i++) {
		struct sum *sums = to->sums[i];

		for (at = 0; at < SUMS / 2; at++) {
			sums[at] = sums[2 * at];
			add(&sums[at], sums[2 * at + 1]);
		}
	}
	for (i = 0; i < tw_metric_count; i++) {
		int64_t *ns = longest_of(to, i);

		for (at = 0; at < SUMS / 2; at++)
			ns[at] = longest_ns(&ns[2 * at], 2);
	}
	to->each *= 2;
}

/* One that was cut short may lack a column's value; any may lack stamps. */
static bool lacks(const struct tw_cycle *cycle, const int64_t values_ns[])
{
	int i;

	if (!cycle->cut_ns && tw_metric_count == TW_METRICS)
		return false;
	for (i = 0; i < tw_config.columns; i++)
		if (values_ns[tw_config.metrics[i]] == TW_NO_VALUE)
			return true;
	return false;
}

/* Of a cycle without a value, that is the least of all numbers. */
static void keep(struct room *to, uint64_t at, bool first,
		 const int64_t values_ns[])
{
	int i;

	for (i = 0; i < tw_metric_count; i++) {
		int64_t *ns = longest_of(to, i) + at;

		if (first || values_ns[i] > *ns)
			*ns = values_ns[i];
	}
}

static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct room *to = memory;
	uint64_t at;
	bool first;
	int i;

	if (lacks(cycle, values_ns)) {	/* it is in no mean */
		at = to->cycles ? (to->cycles - 1) / to->each : 0;
		keep(to, at, false, values_ns);
		return false;
	}
	if (to->cycles == SUMS * to->each)
		halve(to);
	first = !(to->cycles % to->each);
	at = to->cycles++ / to->each;
	keep(to, at, first && at, values_ns);
	for (i = 0; i < tw_config.columns; i++) {
		int64_t ns = values_ns[tw_config.metrics[i]];
		struct sum *sum = &to->sums[i][at], own = { ns, ns };

		if (first)
			*sum = own;
		else
			add(sum, own);
	}
	return false;
}

static int longer_first(const void *a, const void *b)
{
	int64_t one = ((const struct sum *)a)->longest_ns;
	int64_t two = ((const struct sum *)b)->longest_ns;

	return (one < two) - (one > two);
}

/* How many sums have cycles; of the last one, maybe fewer than @each. */
static uint64_t used(const struct room *room)
{
	return (room->cycles + room->each - 1) / room->each;
}

/* The first sum of a block: every cycle is in one. */
static uint64_t begin(const struct room *room, int block)
{
	return used(room) * block / TW_BLOCKS;
}

static const struct room *room_of(const struct tw_run *run, int pair)
{
	return tw_pair_room(run, pair, &tw_part_blocks);
}

/* Of the sums, the longest cycle that is not left out. */
static int64_t limit_ns(const struct room *room, const struct sum *sums)
{
	struct sum sorted[SUMS];
	uint64_t left_out = room->cycles / LEFT_OUT;

	memcpy(sorted, sums, sizeof(sorted));
	qsort(sorted, used(room), sizeof(*sorted), longer_first);
	return left_out < used(room) ? sorted[left_out].longest_ns : INT64_MIN;
}

static double mean_ns(const struct room *room, const struct sum *sums,
		      int block, int64_t limit_ns)
{
	uint64_t at = begin(room, block), end = begin(room, block + 1);
	uint64_t cycles = room->each * (end - at);
	double ns = 0;

	if (block == TW_BLOCKS - 1)
		cycles -= room->each * end - room->cycles;
	for (; at < end; at++) {
		ns += (double)sums[at].ns;
		if (sums[at].longest_ns > limit_ns) {
			ns -= (double)sums[at].longest_ns;
			cycles--;
		}
	}
	return ns / (double)cycles;
}

/* None, if there are fewer cycles than blocks. */
static int count_of(const struct room *room)
{
	return room->cycles < TW_BLOCKS ? 0 : TW_BLOCKS;
}

/* The longest value of each block. */
static int64_t maximum_ns(const struct room *room, int value, int block)
{
	return longest_ns(longest_of(room, value) + begin(room, block),
			  (int)(begin(room, block + 1) - begin(room, block)));
}

bool tw_blocks_maxima(const struct tw_run *run, int pair, int value,
		      int64_t longest_ns[TW_BLOCKS])
{
	const struct room *room = room_of(run, pair);
	int i;

	for (i = 0; i < count_of(room); i++)
		longest_ns[i] = maximum_ns(room, value, i);
	return i;
}

static const void *next_maximum(const struct tw_spot *spot, int pair,
				int metric, int block)
{
	static int64_t value;
	const struct room *room = room_of(spot->run, pair);
	int64_t ns;

	if (block == count_of(room))
		return NULL;
	ns = maximum_ns(room, metric, block);
	/* But for a cycle that was cut short. */
	value = ns == TW_NO_VALUE ? ns : tw_text_whole(ns);
	return &value;
}

static const void *next_of_column(const void *of, int *i, const char **key)
{
	const struct tw_spot *spot = of;

	return next_maximum(spot, tw_text_pair(spot->number),
			    tw_text_metric(spot->number), *i);
}

static const void *next_of_phase(const void *of, int *i, const char **key)
{
	const struct tw_spot *spot = of;

	return next_maximum(spot, spot->number, spot->metric, *i);
}

static const void *next_block(const void *of, int *i, const char **key)
{
	static double value;
	static int64_t limit;
	const struct tw_spot *spot = of;
	const struct room *room = room_of(spot->run,
					  tw_text_pair(spot->number));
	const struct sum *sums = room->sums[spot->number % tw_config.columns];

	if (*i == count_of(room))
		return NULL;
	limit = *i ? limit : limit_ns(room, sums);
	value = tw_text_real(mean_ns(room, sums, *i, limit));
	return &value;
}

#define EACH	"'maxItems': 64, 'anyOf': [ { 'maxItems': 0 }, { 'minItems': 64 } ]"
#define MAXIMA \
	"maxima", TW_NOWHERE, TW_ARRAY, \
	"The longest value of each of the 64 blocks of the run; null: of a cycle that was cut short, that is not known. A missed expiry is in planned, of the cycle after it.", \
	EACH, .of = TW_EACH(TW_SELF(int64_t), TW_INTEGER, "A value.", \
			    .nullable = true)

static const struct tw_member columns[] = {
	{ "blocks", TW_NOWHERE, TW_ARRAY, "Means of 64 consecutive blocks of all cycles (each of a run has one 64th of them, but for one 16th of that, or one cycle, more or fewer), without the longest cycles, one in 1000; none if there are fewer than 64 cycles.",
	  EACH,
	  .next = next_block, .of = TW_EACH(TW_SELF(double), TW_REAL, "A mean.") },
	{ MAXIMA, .next = next_of_column },
	{ .name = NULL }
};

static const struct tw_member phases[] = {
	{ MAXIMA, .next = next_of_phase },
	{ .name = NULL }
};

const struct tw_part tw_part_blocks = {
	.room = room, .attach = attach, .record = record,
	.members = { [TW_OF_COLUMN] = columns, [TW_OF_PHASE] = phases },
};
