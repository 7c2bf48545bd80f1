// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --stamps: where the time of a request and its reply goes.
 *
 *	client	t0 ..app_out.. sched ..stack_out.. snd      rx ..wake_in.. t3
 *	                                            \       /
 *	                                             wire
 *	                                            /       \
 *	server	t2 ..app_out.. sched ..stack_out.. snd      rx ..wake_in.. t1
 *
 * Each is a difference of times of one side, so it needs no common clock. What
 * is missing is counted, never waited for. With --reflect, there is no server,
 * so wire and device are one part.
 */
#include <inttypes.h>
#include <string.h>

#include "tw_part.h"
#include "tw_stamps.h"

/* Memory of a pair, over all steps: of measured cycles. */
struct room {
	uint64_t left_out;	/* that lack a stamp */
	uint64_t missing[TW_TIMES];
};

static const char *const modes[] = { "off", "rx", "all", NULL };
static bool on;

static const struct tw_option options[] = {
	{ 0, "stamps", TW_WORD, &tw_metric_stamps, .choices = modes,
	  .with = "--transport=tcp or udp, or with --reflect",
	  .without = "--servers=one", .far = TW_ASKED,
	  .help = "timestamps by the kernel:" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	const char *mode = tw_metric_stamps;
	bool served = tw_metric_has_server();

	on = strcmp(mode, "off");
	if (!on)
		return;
	tw_settings.link = tw_stamps_link(tw_config.link, !strcmp(mode, "all"),
					served);
	tw_metric_divide();
}

static size_t room(const struct tw_run *run)
{
	return on ? sizeof(struct room) : 0;
}

/* Until the server's have come, nobody knows what is missing. */
static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct room *to = memory;
	enum tw_time time;

	if (values_ns[TW_CLIENT_WAKE_IN] != TW_NO_VALUE ||
	    cycle->at_ns[TW_CLIENT_RX] == TW_NO_VALUE)
		return false;
	to->left_out++;
	for (time = TW_CLIENT_SCHED; time < TW_TIMES; time++)
		to->missing[time] += tw_metric_is_stamped(time) &&
				     !cycle->at_ns[time];
	return false;
}

static const struct room *room_of(const struct tw_run *run, int pair)
{
	return tw_pair_room(run, pair, &tw_part_stamps);
}

/* Those that have all stamps. */
static uint64_t whole(const struct tw_results *of)
{
	return of->stats[TW_CLIENT_WAKE_IN].count;
}

/* Of the last cycle of each step, a server's stamps do not come. */
static uint64_t unfinished(const struct tw_results *of, uint64_t left_out)
{
	return of->stats[TW_RESPONSE].count - whole(of) - left_out;
}

/* The rows of the table: they divide network, or without it the response. */
static bool is_row(enum tw_metric_id id, const struct tw_results *of)
{
	return of->stats[id].count &&
	       (!tw_metric_has_server() || id < TW_WIRE_AND_DEVICE);
}

static void text(FILE *file, const struct tw_run *run)
{
	struct tw_results all = { .missed = 0 };
	struct room sum = { .left_out = 0 };
	enum tw_metric_id id;
	enum tw_time time;
	int i;

	for (i = 0; on && i < tw_config.pairs; i++) {
		tw_tally_merge(&all, &run->pairs[i]->total);
		sum.left_out += room_of(run, i)->left_out;
		for (time = TW_CLIENT_SCHED; time < TW_TIMES; time++)
			sum.missing[time] += room_of(run, i)->missing[time];
	}
	if (!all.stats[TW_RESPONSE].count)
		return;
	fprintf(file, "# Stamps: %" PRIu64 " of %" PRIu64 " cycles, %" PRIu64
		" left out, %" PRIu64 " unfinished\n", whole(&all),
		all.stats[TW_RESPONSE].count, sum.left_out,
		unfinished(&all, sum.left_out));
	for (time = TW_CLIENT_SCHED; time < TW_TIMES; time++)
		if (sum.missing[time])
			fprintf(file, "# Stamps missing: %s %" PRIu64 "\n",
				tw_metric_time_names[time], sum.missing[time]);
	fprintf(file, "# %-16s %8s %8s %8s\n", "in ns", "min", "avg", "max");
	for (id = TW_METRICS; id < TW_SPANS; id++)
		if (is_row(id, &all))
			fprintf(file, "# %-16s %8" PRId64 " %8.0f %8" PRId64
				"\n", tw_metrics[id].name,
				all.stats[id].min,
				tw_stats_mean(&all.stats[id]),
				all.stats[id].max);
}

/* What the JSON says of a pair. */
struct stamped {
	const struct room *room;
	uint64_t cycles, unfinished;
};

static const void *stamped_of(const void *of)
{
	static struct stamped stamped;
	const struct tw_spot *spot = of;
	const struct tw_results *total =
		&spot->run->pairs[spot->number]->total;

	if (!on)
		return NULL;
	stamped.room = room_of(spot->run, spot->number);
	stamped.cycles = whole(total);
	stamped.unfinished = unfinished(total, stamped.room->left_out);
	return &stamped;
}

static const void *next_missing(const void *of, int *i, const char **key)
{
	int time = TW_CLIENT_SCHED + *i;

	if (time >= TW_TIMES)
		return NULL;
	*key = tw_metric_time_names[time];
	return &((const struct stamped *)of)->room->missing[time];
}

static const char *stamp(int i)
{
	return TW_CLIENT_SCHED + i < TW_TIMES ?
	       tw_metric_time_names[TW_CLIENT_SCHED + i] : NULL;
}

static const struct tw_member stamps[] = {
	{ TW_NAMED(struct stamped, cycles), TW_COUNT, "Cycles with all of them: those of the series that are stamped." },
	{ TW_NAMED(struct room, left_out), TW_COUNT, "Cycles that lack one.",
	  TW_VIA(struct stamped, room) },
	{ TW_NAMED(struct stamped, unfinished), TW_COUNT, "Cycles whose stamps of the server had not come at the end: the last of each step." },
	{ "missing", TW_NOWHERE, TW_MAP, "How often each was missing.",
	  "'minProperties': 6", .word = stamp, .next = next_missing,
	  .of = TW_EACH(TW_SELF(uint64_t), TW_COUNT, "So often.") },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "stamps", TW_NOWHERE, TW_OBJECT, "The kernel's timestamps of measured cycles; null: off.",
	  .nullable = true, .get = stamped_of, .of = stamps },
	{ .name = NULL }
};

const struct tw_part tw_part_stamps = {
	.options = options, .check = check, .room = room, .record = record,
	.whole = true, .text = text, .members[TW_OF_PAIR] = members,
};
