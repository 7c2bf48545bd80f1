// SPDX-License-Identifier: GPL-2.0-or-later
/* The longest value of each of 64 consecutive blocks of trials, for the JSON. */
#include <math.h>

#include "pt_report.h"
#include "tw_part.h"

#define BLOCKS	64
#define SUMS	1024	/* when all are in use, each two become one */

struct room {
	uint64_t trials, each;		/* in all; of a sum, less 1 */
	int64_t longest_ps[PT_METRICS][SUMS];
};

static size_t room(const struct tw_run *run)
{
	return sizeof(struct room);
}

/* Without a value, the least of all numbers. */
static int64_t longest(const int64_t ps[], uint64_t count)
{
	int64_t most = *ps;

	while (--count)
		if (ps[count] > most)
			most = ps[count];
	return most;
}

static void halve(struct room *to)
{
	int i, at;

	for (i = 0; i < PT_METRICS; i++)
		for (at = 0; at < SUMS / 2; at++)
			to->longest_ps[i][at] =
				longest(&to->longest_ps[i][2 * at], 2);
	to->each += to->each + 1;
}

static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ps[])
{
	struct room *to = memory;
	uint64_t at;
	bool first;
	int i;

	if (to->trials == SUMS * (to->each + 1))
		halve(to);
	at = to->trials / (to->each + 1);
	first = to->trials++ == at * (to->each + 1);
	for (i = 0; i < PT_METRICS; i++)
		if (first || values_ps[i] > to->longest_ps[i][at])
			to->longest_ps[i][at] = values_ps[i];
	return false;
}

static const void *next_maximum(const void *of, int *i, const char **key)
{
	static double value;
	const struct tw_spot *spot = of;
	const struct tw_series series = tw_series_of(spot->run, spot->number);
	const struct room *room = tw_part_room(series.rooms, spot->run,
					       &pt_part_maxima);
	uint64_t used = (room->trials + room->each) / (room->each + 1), at;
	int64_t ps;

	if (room->trials < BLOCKS || *i == BLOCKS)
		return NULL;
	at = used * (uint64_t)*i / BLOCKS;
	ps = longest(&room->longest_ps[series.value][at],
		     used * (uint64_t)(*i + 1) / BLOCKS - at);
	value = ps == PT_NO_VALUE ? NAN : tw_text_real((double)ps);
	return &value;
}

static const struct tw_member members[] = {
	{ "maxima", TW_NOWHERE, TW_ARRAY, "The longest value of each of 64 consecutive blocks of trials; null: it has none. Of fewer trials, none.",
	  "'maxItems': 64, 'anyOf': [ { 'maxItems': 0 }, { 'minItems': 64 } ]",
	  .next = next_maximum,
	  .of = TW_EACH(TW_SELF(double), TW_REAL, "A value.", .nullable = true,
			.format = "%.15g") },
	{ .name = NULL }
};

const struct tw_part pt_part_maxima = {
	.room = room, .record = record, .members[TW_OF_COLUMN] = members,
};
