// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The means of 64 equal consecutive blocks of the run, for the JSON: neighbours
 * in time are alike, so the spread of single cycles does not tell how sure a
 * mean is; that of blocks does.
 */
#include <inttypes.h>

#include "tw_part.h"
#include "tw_text.h"

#define BLOCKS		64
#define SUMS		2048	/* when all are in use, each two become one */

/* Memory of a pair. */
struct room {
	uint64_t cycles;	/* recorded */
	uint64_t each;		/* of a sum; a power of two */
	int64_t sums_ns[][SUMS];	/* index: column of the pair */
};

static size_t room(const struct tw_run *run)
{
	return sizeof(struct room) + tw_config.columns * SUMS * sizeof(int64_t);
}

static void attach(void *memory, int pair)
{
	((struct room *)memory)->each = 1;
}

static void halve(struct room *to)
{
	int i, at;

	for (i = 0; i < tw_config.columns; i++) {
		int64_t *sums_ns = to->sums_ns[i];

		for (at = 0; at < SUMS; at++)
			sums_ns[at] = at < SUMS / 2 ? sums_ns[2 * at] +
				      sums_ns[2 * at + 1] : 0;
	}
	to->each *= 2;
}

static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct room *to = memory;
	uint64_t at;
	int i;

	if (to->cycles == SUMS * to->each)
		halve(to);
	at = to->cycles++ / to->each;
	for (i = 0; i < tw_config.columns; i++)
		to->sums_ns[i][at] += values_ns[tw_config.metrics[i]];
	return false;
}

/* The last cycles, fewer than one 16th, may be in no block. */
static void json(FILE *file, const struct tw_run *run, int column)
{
	const struct room *room = tw_pair_room(run, tw_text_pair(column),
					       &tw_part_blocks);
	const int64_t *sums_ns = room->sums_ns[column % tw_config.columns];
	int64_t sum_ns;
	int i, block, together = room->cycles / room->each / BLOCKS;

	fprintf(file, "      \"blocks\": [");
	for (block = 0; together && block < BLOCKS; block++) {
		for (sum_ns = 0, i = 0; i < together; i++)
			sum_ns += *sums_ns++;
		fprintf(file, "%s%s%.3f", block ? "," : "",
			block % 8 ? " " : "\n        ",
			tw_text_real((double)sum_ns /
				     ((double)together * (double)room->each)));
	}
	fprintf(file, together ? "\n      ],\n" : "],\n");
}

const struct tw_part tw_part_blocks = {
	.room = room, .attach = attach, .record = record, .column = json,
};
