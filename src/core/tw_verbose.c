// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -v: every value, as column:cycle:value. The client puts its cycles into a
 * ring, and main prints them. A full ring loses cycles for this output alone;
 * they are counted.
 */
#include <inttypes.h>

#include "tw_output.h"
#include "tw_part.h"
#include "tw_ring.h"
#include "tw_text.h"

static uint64_t lost;

static const struct tw_option options[] = {
	{ 'v', "verbose", TW_FLAG, &tw_settings.verbose,
	  .help = "print every value, as column:cycle:value" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	if (!tw_config.verbose)
		return;
	run->tick_ms = TW_TICK_MS;
	run->no_status = true;
}

static size_t room(const struct tw_run *run)
{
	return tw_config.verbose ? sizeof(struct tw_ring) : 0;
}

static void print_cycle(int pair, const struct tw_cycle *cycle)
{
	const struct tw_metric_params params = tw_config_params(pair);
	int64_t values_ns[TW_SPANS], ns;
	int i;

	tw_metric_known(values_ns, cycle, &params);
	for (i = 0; i < tw_config.columns; i++) {
		ns = values_ns[tw_config.metrics[i]];
		if (ns != TW_NO_VALUE)
			printf("%8d:%8" PRIu64 ":%8" PRId64 "\n",
			       pair * tw_config.columns + i,
			       cycle->seq - tw_config.warmup - 1,
			       tw_text_whole(ns));
	}
}

static void print(struct tw_run *run)
{
	if (!tw_config.verbose)
		return;
	tw_ring_take(run, &tw_part_verbose, print_cycle);
	tw_output_flush();
}

/* The clients have ended: what is left. */
static void end(struct tw_run *run)
{
	print(run);
	if (tw_config.verbose)
		lost += tw_ring_lost(run, &tw_part_verbose);
}

static void text(FILE *file, const struct tw_run *run)
{
	if (lost)
		fprintf(file, "# Not printed: %" PRIu64 " cycles\n", lost);
}

const struct tw_part tw_part_verbose = {
	.options = options, .group = TW_OUTPUT, .check = check, .woken = print,
	.end = end, .room = room, .record = tw_ring_record, .text = text,
};
