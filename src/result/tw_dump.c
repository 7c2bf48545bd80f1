// SPDX-License-Identifier: GPL-2.0-or-later
/* --dump: every cycle, as CSV. */
#include <inttypes.h>

#include "tw_part.h"
#include "tw_ring.h"
#include "tw_stream.h"

static struct tw_stream stream;
static uint64_t lost;		/* cycles that the rings could not take */

static const struct tw_option options[] = {
	{ 0, "dump", TW_FILE, &stream.file.path, .group = TW_OUTPUT,
	  .help = "write every cycle to FILE, as CSV" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	tw_file_add(&stream.file);
	if (stream.file.path)
		run->tick_ms = TW_TICK_MS;
}

static size_t room(const struct tw_run *run)
{
	return stream.file.path ? sizeof(struct tw_ring) : 0;
}

static void begin(struct tw_run *run)
{
	bool stamps = tw_metric_count > TW_METRICS;
	enum tw_time time;

	if (!stream.file.path || run->step)
		return;
	tw_stream_open(&stream);
	fprintf(stream.text, "pair,cycle,planned_ns,t0_ns,t1_ns,t2_ns,t3_ns,missed");
	for (time = TW_CLIENT_SCHED; stamps && time < TW_TIMES; time++)
		fprintf(stream.text, ",%s_ns", tw_metric_time_names[time]);
	fputc('\n', stream.text);
}

static void print_time(int64_t ns)
{
	if (tw_cycle_is_known(ns))
		fprintf(stream.text, ",%" PRId64, ns);
	else
		fputc(',', stream.text);
}

/*
 * A cycle whose reply was lost has no t1, t2 and t3; one in which the clock was
 * set no time at all; --reflect, and one that was cut short: no t1 and t2. One
 * that had not begun when it was cut short is none.
 */
static void print(int pair, const struct tw_cycle *cycle)
{
	bool stamps = tw_metric_count > TW_METRICS;
	enum tw_time time;

	if (cycle->cut_ns && !cycle->t0_ns)
		return;
	fprintf(stream.text, "%d,%" PRIu64, pair,
		cycle->seq - tw_config.warmup - 1);
	print_time(cycle->planned_ns);
	print_time(cycle->t0_ns);
	print_time(cycle->t1_ns);
	print_time(cycle->t2_ns);
	print_time(cycle->t3_ns);
	fprintf(stream.text, ",%" PRIu64, cycle->missed);
	for (time = TW_CLIENT_SCHED; stamps && time < TW_TIMES; time++)
		print_time(cycle->at_ns[time]);
	tw_stream_row(&stream);
}

/* While the file takes no more, the cycles wait in the rings. */
static void woken(struct tw_run *run)
{
	if (stream.file.path && tw_stream_push(&stream, run))
		tw_ring_take(run, &tw_part_dump, print);
}

static void end(struct tw_run *run)
{
	if (!stream.file.path)
		return;
	tw_ring_take(run, &tw_part_dump, print);
	lost += tw_ring_lost(run, &tw_part_dump);
	tw_stream_drain(&stream, run);
}

static void text(FILE *file, const struct tw_run *run)
{
	if (lost)
		fprintf(file, "# Not dumped: %" PRIu64 " cycles\n", lost);
}

static const struct tw_member members[] = {
	{ "not_dumped", TW_AT(lost), TW_COUNT, "Cycles that --dump has left out, as main was late.",
	  TW_IF(stream.file.path) },
	{ .name = NULL }
};

static int write_dump(const struct tw_run *run, int status)
{
	if (!stream.file.path)
		return 0;
	text(stream.text, run);
	return tw_stream_finish(&stream, run);
}

const struct tw_part tw_part_dump = {
	.options = options, .check = check, .begin = begin, .woken = woken,
	.end = end, .room = room, .record = tw_ring_record, .lose = tw_ring_lose,
	.text = text, .members[TW_OF_RUN] = members,
	.write = write_dump,
};
