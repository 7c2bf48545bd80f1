// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The means of 64 equal consecutive blocks of the run, for the JSON: neighbours
 * in time are alike, so the spread of single cycles does not tell how sure a
 * mean is; that of blocks does. The longest cycles, one in 1000, are left out,
 * as few of them would decide it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tw_part.h"
#include "tw_text.h"

#define BLOCKS		64
#define SUMS		2048	/* when all are in use, each two become one */
#define LEFT_OUT	1000	/* one cycle in so many; at most one of a sum */

/* Memory of a pair. */
struct room {
	uint64_t cycles;	/* recorded */
	uint64_t each;		/* of a sum; a power of two */
	struct sum {
		int64_t ns, longest_ns;
	} sums[][SUMS];		/* index: column of the pair */
};

static size_t room(const struct tw_run *run)
{
	return sizeof(struct room) + tw_config.columns * SUMS * sizeof(struct sum);
}

static void attach(void *memory, int pair)
{
	((struct room *)memory)->each = 1;
}

static void add(struct sum *to, struct sum more)
{
	to->ns += more.ns;
	if (more.longest_ns > to->longest_ns)
		to->longest_ns = more.longest_ns;
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
	to->each *= 2;
}

/* A cycle that was cut short may lack the value of a column. */
static bool lacks(const struct tw_cycle *cycle, const int64_t values_ns[])
{
	int i;

	for (i = 0; cycle->cut_ns && i < tw_config.columns; i++)
		if (values_ns[tw_config.metrics[i]] == TW_NO_VALUE)
			return true;
	return false;
}

static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct room *to = memory;
	uint64_t at;
	bool first;
	int i;

	if (lacks(cycle, values_ns))
		return false;
	if (to->cycles == SUMS * to->each)
		halve(to);
	first = !(to->cycles % to->each);
	at = to->cycles++ / to->each;
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

/* Of the sums, the longest cycle that is not left out. */
static int64_t limit_ns(const struct room *room, const struct sum *sums)
{
	struct sum sorted[SUMS];
	uint64_t used = room->cycles / room->each;
	uint64_t left_out = room->cycles / LEFT_OUT;

	memcpy(sorted, sums, sizeof(sorted));
	qsort(sorted, used, sizeof(*sorted), longer_first);
	return left_out < used ? sorted[left_out].longest_ns : INT64_MIN;
}

/* The last cycles, fewer than one 16th, may be in no block. */
static void json(FILE *file, const struct tw_run *run, int column)
{
	const struct room *room = tw_pair_room(run, tw_text_pair(column),
					       &tw_part_blocks);
	const struct sum *sum = room->sums[column % tw_config.columns];
	int64_t limit = limit_ns(room, sum);
	int i, block, together = room->cycles / room->each / BLOCKS;

	fprintf(file, "      \"blocks\": [");
	for (block = 0; together && block < BLOCKS; block++) {
		double ns = 0, cycles = (double)room->each * together;

		for (i = 0; i < together; i++, sum++) {
			ns += (double)sum->ns;
			if (sum->longest_ns > limit) {
				ns -= (double)sum->longest_ns;
				cycles--;
			}
		}
		fprintf(file, "%s%s%.3f", block ? "," : "",
			block % 8 ? " " : "\n        ",
			tw_text_real(ns / cycles));
	}
	fprintf(file, together ? "\n      ],\n" : "],\n");
}

const struct tw_part tw_part_blocks = {
	.room = room, .attach = attach, .record = record, .column = json,
};
