// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -v: every value, as column:cycle:value. The client puts its cycles into a
 * ring, and main prints them. A full ring loses cycles for this output alone;
 * they are counted.
 */
#include <inttypes.h>
#include <string.h>

#include "tw_part.h"
#include "tw_text.h"

#define RING		8192	/* cycles */
#define TICK_MS		50

/* Memory of a pair. */
struct room {
	_Atomic uint64_t written;	/* by the client only */
	_Atomic uint64_t read;		/* by main only */
	uint64_t lost;
	struct value {
		uint64_t seq;
		int64_t values_ns[TW_METRICS];
	} ring[RING];
};

static uint64_t lost;

static const struct tw_option options[] = {
	{ 'v', "verbose", no_argument, NULL, tw_option_flag,
	  &tw_config.verbose,
	  .help = "print every value, as column:cycle:value" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	if (!tw_config.verbose)
		return;
	run->tick_ms = TICK_MS;
	run->no_status = true;
}

static size_t room(const struct tw_run *run)
{
	return tw_config.verbose ? sizeof(struct room) : 0;
}

static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct room *to = memory;
	uint64_t at = atomic_load_explicit(&to->written, memory_order_relaxed);
	struct value *value = &to->ring[at % RING];

	if (at - atomic_load_explicit(&to->read, memory_order_acquire) >=
	    RING) {
		to->lost++;
		return false;
	}
	value->seq = cycle->seq;
	memcpy(value->values_ns, values_ns, sizeof(value->values_ns));
	atomic_store_explicit(&to->written, at + 1, memory_order_release);
	return false;
}

static void print_value(int pair, const struct value *value)
{
	int i;

	for (i = 0; i < tw_config.columns; i++)
		printf("%8d:%8" PRIu64 ":%8" PRId64 "\n",
		       pair * tw_config.columns + i,
		       value->seq - tw_config.warmup - 1,
		       tw_text_whole(value->values_ns[tw_config.metrics[i]]));
}

static void print(struct tw_run *run)
{
	int pair;

	for (pair = 0; tw_config.verbose && pair < tw_config.pairs; pair++) {
		struct room *from = tw_pair_room(run, pair, &tw_part_verbose);
		uint64_t end = atomic_load_explicit(&from->written,
						    memory_order_acquire);
		uint64_t at;

		for (at = from->read; at < end; at++)
			print_value(pair, &from->ring[at % RING]);
		atomic_store_explicit(&from->read, end, memory_order_release);
	}
}

/* The clients have ended: what is left. */
static void end(struct tw_run *run)
{
	int pair;

	print(run);
	for (pair = 0; tw_config.verbose && pair < tw_config.pairs; pair++) {
		struct room *from = tw_pair_room(run, pair, &tw_part_verbose);

		lost += from->lost;
		from->lost = 0;
	}
}

static void text(FILE *file, const struct tw_run *run)
{
	if (lost)
		fprintf(file, "# Not printed: %" PRIu64 " cycles\n", lost);
}

const struct tw_part tw_part_verbose = {
	.options = options, .check = check, .woken = print, .end = end,
	.room = room, .record = record, .text = text,
};
