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
#include <time.h>

#include "tw_dump.h"
#include "tw_part.h"
#include "tw_ring.h"
#include "tw_run.h"
#include "tw_say.h"
#include "tw_servers.h"
#include "tw_stamps.h"

#define KEPT	(TW_RING_CYCLES + 64)	/* more than a ring of --dump holds */

/* By enum tw_time, from the first stamp on; the columns of --dump, too. */
static const char *const stamps[] = {
	"client_sched", "client_snd", "server_rx", "server_sched",
	"server_snd", "client_rx",
};

#define STAMPS	((int)(sizeof(stamps) / sizeof(stamps[0])))

/* What a cycle is divided into: one span of time, or two. */
static const struct part {
	const char *name;
	bool alone;		/* only without a server of ours */
	enum tw_time ends[4];	/* from, to, from, to; not given: both t0 */
} parts[] = {
	{ "client_app_out", false, { TW_T0, TW_CLIENT_SCHED } },
	{ "client_stack_out", false, { TW_CLIENT_SCHED, TW_CLIENT_SND } },
	{ "client_wake_in", false, { TW_CLIENT_RX, TW_T3 } },
	{ "server_app_out", false, { TW_T2, TW_SERVER_SCHED } },
	{ "server_stack_out", false, { TW_SERVER_SCHED, TW_SERVER_SND } },
	{ "server_wake_in", false, { TW_SERVER_RX, TW_T1 } },
	/* In each cycle, network is the sum of these three. */
	{ "client_stack", false,
	  { TW_T0, TW_CLIENT_SND, TW_CLIENT_RX, TW_T3 } },
	{ "wire", false,
	  { TW_CLIENT_SND, TW_CLIENT_RX, TW_SERVER_SND, TW_SERVER_RX } },
	{ "server_stack", false,
	  { TW_SERVER_RX, TW_T1, TW_T2, TW_SERVER_SND } },
	{ "network", false, { TW_T0, TW_T3, TW_T2, TW_T1 } },
	/* And client_stack + wire_and_device = response. */
	{ "wire_and_device", true, { TW_CLIENT_SND, TW_CLIENT_RX } },
	{ "response_to_rx", true, { TW_T0, TW_CLIENT_RX } },
	{ "response", true, { TW_T0, TW_T3 } },
};

#define PARTS	((int)(sizeof(parts) / sizeof(parts[0])))

/* Of measured cycles. */
struct sum {
	uint64_t cycles;	/* that have all stamps of this run */
	uint64_t left_out;	/* that lack one */
	uint64_t missing[STAMPS];
	struct { int64_t min_ns, max_ns; uint64_t sum_ns; } part[PARTS];
};

/* Memory of a pair; over all steps. */
struct room {
	struct sum sum;
	/* For --dump: written by the client, by number. */
	atomic_ulong read;		/* so far, by main; may wrap */
	struct tw_stamped kept[];
};

static const char *const modes[] = { "off", "rx", "all", NULL };
static const char *mode = "off";
static bool on, dumped;
static bool served;			/* else there is a device */
static bool there[TW_TIMES];		/* in this run */
static struct room *rooms[TW_PAIRS_MAX];

static const struct tw_option options[] = {
	{ 0, "stamps", TW_WORD, &mode, .choices = modes,
	  .with = "--transport=tcp or udp, or with --reflect",
	  .without = "--servers=one", .far = TW_ASKED,
	  .help = "with tcp, udp or --reflect, the kernel's timestamps of\n"
		  "packets: off (default), rx (of those received) or all;\n"
		  "they tell where the time goes, and take some of it" },
	{ .name = NULL }
};

static bool is_known(const struct part *part)
{
	int i;

	for (i = 0; i < 4; i++)
		if (!there[part->ends[i]])
			return false;
	return !part->alone || !served;
}

/* Modulo 2^64: what another host sends can be any. */
static int64_t value_of(const struct part *part, const int64_t at_ns[])
{
	uint64_t value_ns = 0;
	int i;

	for (i = 0; i < 4; i += 2)
		value_ns += (uint64_t)at_ns[part->ends[i + 1]] -
			    (uint64_t)at_ns[part->ends[i]];
	return (int64_t)value_ns;
}

static void merge(struct sum *to, const struct sum *from)
{
	int i;

	to->left_out += from->left_out;
	for (i = 0; i < STAMPS; i++)
		to->missing[i] += from->missing[i];
	for (i = 0; i < PARTS && from->cycles; i++) {
		if (!to->cycles || from->part[i].min_ns < to->part[i].min_ns)
			to->part[i].min_ns = from->part[i].min_ns;
		if (!to->cycles || from->part[i].max_ns > to->part[i].max_ns)
			to->part[i].max_ns = from->part[i].max_ns;
		to->part[i].sum_ns += from->part[i].sum_ns;
	}
	to->cycles += from->cycles;
}

static void add(struct sum *to, const int64_t at_ns[])
{
	struct sum one = { .left_out = 0 };
	int i;

	for (i = 0; i < STAMPS; i++) {
		one.missing[i] = there[TW_CLIENT_SCHED + i] &&
				 !at_ns[TW_CLIENT_SCHED + i];
		one.left_out |= one.missing[i];
	}
	one.cycles = !one.left_out;
	for (i = 0; i < PARTS; i++) {
		int64_t ns = value_of(&parts[i], at_ns);

		one.part[i].min_ns = one.part[i].max_ns = ns;
		one.part[i].sum_ns = (uint64_t)ns;
	}
	merge(to, &one);
}

/* Called by the client. If main does not keep up, --dump lacks this. */
static void record(int pair, const struct tw_stamped *stamped)
{
	struct room *to = rooms[pair];

	add(&to->sum, stamped->at_ns);
	if (dumped && (unsigned long)stamped->seq - to->read < KEPT)
		to->kept[stamped->seq % KEPT] = *stamped;
}

/* Nothing for a stamp that is missing. */
static void dump(FILE *file, int pair, uint64_t seq)
{
	const struct tw_stamped *of = &rooms[pair]->kept[seq % KEPT];
	int i;

	for (i = TW_CLIENT_SCHED; i < TW_TIMES; i++) {
		fputc(',', file);
		if (of->seq == seq && of->at_ns[i])
			fprintf(file, "%" PRId64, of->at_ns[i]);
	}
	rooms[pair]->read = seq;
}

static void check(struct tw_run *run)
{
	static const struct tw_dump_columns columns = {
		",client_sched_ns,client_snd_ns,server_rx_ns,server_sched_ns,server_snd_ns,client_rx_ns",
		dump
	};
	bool all = !strcmp(mode, "all");

	on = strcmp(mode, "off");
	if (!on)
		return;
	/* Only a device makes network mean nothing. */
	served = !tw_metrics[TW_NETWORK].lacks;
	there[TW_T0] = there[TW_T3] = there[TW_CLIENT_RX] = true;
	there[TW_T1] = there[TW_T2] = there[TW_SERVER_RX] = served;
	there[TW_CLIENT_SCHED] = there[TW_CLIENT_SND] = all;
	there[TW_SERVER_SCHED] = there[TW_SERVER_SND] = all && served;
	tw_config.link = tw_stamps_link(tw_config.link, all, served, record);
	dumped = tw_dump_add(&columns);
}

static size_t room(const struct tw_run *run)
{
	return on ? sizeof(struct room) +
	       dumped * KEPT * sizeof(struct tw_stamped) : 0;
}

static void attach(void *memory, int pair)
{
	rooms[pair] = memory;
}

/* What an earlier step has left is of other cycles. */
static void begin(struct tw_run *run)
{
	int pair;

	for (pair = 0; dumped && pair < tw_config.pairs; pair++) {
		rooms[pair]->read = tw_config.warmup;
		memset(rooms[pair]->kept, 0, KEPT * sizeof(struct tw_stamped));
	}
}

static uint64_t measured(const struct tw_run *run, int pair)
{
	return run->pairs[pair]->total.stats[TW_RESPONSE].count;
}

/* Of the last cycle of each step, a server's stamps do not come. */
static uint64_t unfinished(const struct sum *sum, uint64_t cycles)
{
	uint64_t known = sum->cycles + sum->left_out;

	return cycles > known ? cycles - known : 0;
}

static double mean_ns(const struct sum *sum, int part)
{
	return (double)(int64_t)sum->part[part].sum_ns / (double)sum->cycles;
}

static void text(FILE *file, const struct tw_run *run)
{
	struct sum all = { .cycles = 0 };
	uint64_t cycles = 0;
	int i;

	for (i = 0; on && i < tw_config.pairs; i++) {
		merge(&all, &rooms[i]->sum);
		cycles += measured(run, i);
	}
	if (!cycles)
		return;
	fprintf(file, "# Stamps: %" PRIu64 " of %" PRIu64 " cycles, %" PRIu64
		" left out, %" PRIu64 " unfinished\n", all.cycles, cycles,
		all.left_out, unfinished(&all, cycles));
	for (i = 0; i < STAMPS; i++)
		if (all.missing[i])
			fprintf(file, "# Stamps missing: %s %" PRIu64 "\n",
				stamps[i], all.missing[i]);
	fprintf(file, "# %-16s %8s %8s %8s\n", "in ns", "min", "avg", "max");
	for (i = 0; i < PARTS; i++)
		if (all.cycles && is_known(&parts[i]))
			fprintf(file, "# %-16s %8" PRId64 " %8.0f %8" PRId64
				"\n", parts[i].name, all.part[i].min_ns,
				mean_ns(&all, i), all.part[i].max_ns);
}

static void json(FILE *file, const struct tw_run *run, int pair)
{
	const struct sum *sum = on ? &rooms[pair]->sum : NULL;
	const char *comma = "";
	int i;

	fprintf(file, "        \"stamps\": %s", on ? "{" : "null,\n");
	if (!on)
		return;
	fprintf(file, " \"cycles\": %" PRIu64 ", \"left_out\": %" PRIu64
		", \"unfinished\": %" PRIu64 ",\n          \"missing\": {",
		sum->cycles, sum->left_out,
		unfinished(sum, measured(run, pair)));
	for (i = 0; i < STAMPS; i++)
		fprintf(file, "%s \"%s\": %" PRIu64, i ? "," : "",
			stamps[i], sum->missing[i]);
	fprintf(file, " },\n          \"parts\": {");
	for (i = 0; i < PARTS; i++)
		if (sum->cycles && is_known(&parts[i])) {
			fprintf(file, "%s\n            \"%s\": { \"min_ns\": %"
				PRId64 ", \"avg_ns\": %.1f, \"max_ns\": %"
				PRId64 " }", comma, parts[i].name,
				sum->part[i].min_ns, mean_ns(sum, i),
				sum->part[i].max_ns);
			comma = ",";
		}
	fprintf(file, "\n          }\n        },\n");
}

const struct tw_part tw_part_stamps = {
	.options = options, .check = check, .begin = begin, .room = room,
	.attach = attach, .text = text, .pair = json,
};
