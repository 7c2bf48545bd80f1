// SPDX-License-Identifier: GPL-2.0-or-later
/* --dump and -v: every cycle, as the client puts it into the ring. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/tw_json.h"
#include "base/tw_time.h"
#include "measure/tw_ring.h"
#include "result/tw_part_result.h"
#include "run/tw_session.h"

#define CYCLES_MS	25	/* the ring holds more than comes meanwhile */
#define RING_NS		(2 * TW_NS_PER_S)	/* what it holds, if it can */

static struct {
	const char *path;
	struct tw_file file;
	uint64_t not_printed;	/* cycles that -v left out: slow reader */
	uint64_t not_dumped;	/* the same for --dump */
} set;
static const __typeof__(set) initial;

/* Of each pair the last cycle, if the rest of it comes with the next one. */
static struct tw_cycle held[TW_PAIRS_MAX];	/* seq 0: none */

static const struct tw_option options[] = {
	{ 0, "dump", TW_ARGUMENT, "FILE", tw_option_file, &set.path,
	  .help = "write every cycle to FILE, as CSV" },
	{ .name = NULL }
};

/* Called by the client for each cycle. */
static void record_whole(void *sink, const struct tw_cycle *cycle)
{
	struct tw_pair *pair = sink;

	tw_tally_add(pair->tally, cycle);
	tw_ring_put(pair->ring, cycle);
}

static void lose_whole(void *sink, const struct tw_cycle *cycle)
{
	struct tw_pair *pair = sink;

	tw_tally_lose(pair->tally, cycle);
	tw_ring_put(pair->ring, cycle);
}

static bool wants_cycles(const struct tw_run *run)
{
	return set.path || tw_output_shows_cycles(run);
}

/* Enough for the shortest period of all pairs; a closed loop gets the most. */
static uint32_t ring_cycles(void)
{
	uint32_t cycles = TW_RING_LEAST;
	int64_t shortest_us = INT64_MAX, us;
	unsigned int k;

	for (k = 0; k < tw_config->pairs.count; k++) {
		us = tw_config_interval_us(tw_config, k);
		if (us < shortest_us)
			shortest_us = us;
	}
	while (cycles < TW_RING_MOST &&
	       cycles * shortest_us * TW_NS_PER_US < RING_NS)
		cycles *= 2;
	return cycles;
}

/* Twice as many entries: they must outlive their cycles in the ring. */
static size_t room(const struct tw_run *run)
{
	const struct tw_dumped *more = tw_config->dumped;

	if (!wants_cycles(run))
		return 0;
	return tw_size_add(tw_ring_size(ring_cycles()),
			   more ? 2 * ring_cycles() * more->size : 0);
}

static void attach(struct tw_run *run, struct tw_pair *pair, void *memory)
{
	if (!wants_cycles(run))
		return;
	pair->ring = tw_ring_init(memory, ring_cycles());
	pair->record = record_whole;
	pair->lose = lose_whole;
	if (tw_config->dumped)
		tw_config->dumped->attach(pair, (char *)memory +
					  tw_ring_size(ring_cycles()),
					  2 * ring_cycles());
}

/* Stamps of the server's own clock have names of their own. */
static int open_dump(struct tw_run *run)
{
	const char *clock = tw_config->two_clocks ? "server_" : "";

	if (wants_cycles(run))
		tw_run_tick_at(run, CYCLES_MS);
	if (set.path)
		fprintf(set.file.flow.stream,
			"pair,cycle,planned_ns,t0_ns,%st1_ns,%st2_ns,t3_ns,missed%s\n",
			clock, clock,
			tw_config->dumped ? tw_config->dumped->head : "");
	memset(held, 0, sizeof(held));
	return 0;
}

/* "n:c:v", as cyclictest. */
static void print(FILE *file, const struct tw_run *run,
		  const struct tw_pair *pair, const struct tw_cycle *cycle)
{
	const struct tw_config *config = tw_session(run)->config;
	int i;

	if (tw_cycle_is_lost(cycle))
		return;
	for (i = 0; i < config->metric_count; i++) {
		const struct tw_metric *metric =
			&tw_metrics[config->metrics[i]];

		fprintf(file, "%8d:%8" PRIu64 ":%8" PRId64 "\n",
			(int)pair->number * config->metric_count + i,
			cycle->seq - pair->tally->first_seq,
			tw_value(run->show->nsecs,
				 metric->value_ns(cycle,
						  &pair->tally->params)));
	}
}

static void dump(FILE *file, const struct tw_pair *pair,
		 const struct tw_cycle *cycle)
{
	fprintf(file, "%u,%" PRIu64 ",%" PRId64 ",%" PRId64 ",",
		pair->number, cycle->seq - pair->tally->first_seq,
		cycle->planned_ns, cycle->t0_ns);
	if (tw_cycle_is_lost(cycle))
		fprintf(file, ",,");
	else
		fprintf(file, "%" PRId64 ",%" PRId64 ",%" PRId64,
			cycle->t1_ns, cycle->t2_ns, cycle->t3_ns);
	fprintf(file, ",%" PRIu64, cycle->missed);
	if (tw_config->dumped)
		tw_config->dumped->print(file, pair, cycle->seq);
	fprintf(file, "\n");
}

static int take(struct tw_run *run, const struct tw_pair *pair,
		const struct tw_cycle *cycle)
{
	struct tw_flow *text = &run->output.text.flow;
	struct tw_flow *file = &set.file.flow;

	if (tw_output_shows_cycles(run)) {
		if (tw_flow_behind(text) < TW_OUTPUT_KEPT)
			print(text->stream, run, pair, cycle);
		else
			set.not_printed++;
		if (run->show->unbuffered)
			tw_flow_push(text, 0);
	}
	if (!set.path)
		return 0;
	if (tw_flow_behind(file) < TW_OUTPUT_KEPT)
		dump(file->stream, pair, cycle);
	else
		set.not_dumped++;
	return tw_output_judge(run, &set.file, file->err);
}

/* If it is to be held, the one held before is taken in its place. */
static int take_next(struct tw_run *run, const struct tw_pair *pair,
		     const struct tw_cycle *cycle)
{
	const struct tw_cycle last = held[pair->number];

	if (!tw_config->dumped)
		return cycle->seq ? take(run, pair, cycle) : 0;
	held[pair->number] = *cycle;
	return last.seq ? take(run, pair, &last) : 0;
}

static int drain(struct tw_run *run)
{
	struct tw_cycle cycle;
	struct tw_pair *pair;
	unsigned int k;
	int err = 0;

	for (k = 0; (pair = tw_session_pair(tw_session(run), k)); k++)
		while (!err && pair->ring && tw_ring_get(pair->ring, &cycle))
			err = take_next(run, pair, &cycle);
	return err;
}

/* Also to a regular file, in case that the run is killed. */
static int tick(struct tw_run *run)
{
	int err = drain(run);

	return err || !set.path ? err : tw_output_push(run, &set.file, 0);
}

static void end(struct tw_run *run)
{
	const struct tw_cycle none = { .seq = 0 };
	struct tw_pair *pair;
	unsigned int k;

	if (run->unwritten)
		return;
	drain(run);
	for (k = 0; (pair = tw_session_pair(tw_session(run), k)); k++)
		take_next(run, pair, &none);
}

/* Over all steps. */
static uint64_t not_dumped(const struct tw_session *session)
{
	uint64_t lost = set.not_dumped;
	const struct tw_ring *ring;
	unsigned int k;
	int i;

	for (i = 0; i < session->steps_done; i++)
		for (k = 0; k < session->steps[i].count; k++) {
			ring = session->steps[i].pair[k]->ring;
			lost += ring ? ring->lost : 0;
		}
	return lost;
}

static void remarks(FILE *file, const struct tw_run *run)
{
	uint64_t lost = not_dumped(tw_session(run));

	if (lost)
		fprintf(file, "# Not dumped: %" PRIu64 " cycles, as the parent process could not keep up\n",
			lost);
	if (set.not_printed)
		fprintf(file, "# Not printed: %" PRIu64 " cycles, as the reader did not keep up\n",
			set.not_printed);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	tw_json_uint(json, "not_dumped", not_dumped(tw_session(run)));
}

static const struct tw_result result = {
	.option = "dump", .path = &set.path, .file = &set.file,
};

const struct tw_part tw_part_dump = {
	.name = "dump", .options = options, TW_SETTINGS(set, initial),
	.open = open_dump, .tick = tick, .end = end, .room = room,
	.attach = attach, .remarks = remarks, .json = json, .result = &result,
};
