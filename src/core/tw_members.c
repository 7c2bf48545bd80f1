// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON: the members that cyclictest has, then those of the parts. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "tw_array.h"
#include "tw_json.h"
#include "tw_members.h"
#include "tw_part.h"
#include "tw_text.h"
#include "tw_time.h"

/* In ns, or in the unit of the JSON. */
static struct tw_told_stats stats_of(const struct tw_stats *of,
				     int64_t target_ns, bool ns)
{
	double unit = ns || tw_config.nsecs ? 1 : TW_NS_PER_US;

	return (struct tw_told_stats) {
		.min = (double)(ns ? of->min : tw_text_whole(of->min)),
		.max = (double)(ns ? of->max : tw_text_whole(of->max)),
		.avg = ns ? tw_stats_mean(of) : tw_text_mean(of),
		.stddev = tw_stats_deviation(of) / unit,
		.rms = target_ns ? tw_stats_rms(of, target_ns) / unit : NAN,
		.target = target_ns ? (double)target_ns / unit : NAN,
		.cycles = of->count,
	};
}

/* In a step, the pairs are together: 0, as each has a period of its own. */
static int64_t target_ns(enum tw_metric_id id, const struct tw_spot *spot)
{
	int pair = spot->run ? spot->number : 0;
	const struct tw_metric_params params = tw_config_params(pair);

	return id == TW_INTERVAL && !spot->run && tw_run_pairs > 1 ? 0 :
	       tw_metric_target_ns(id, &params);
}

struct phase {
	struct tw_spot spot;	/* first: parts add members */
	struct tw_told_stats stats;
};

const void *tw_members_next_phase(const void *of, int *i, const char **key)
{
	static const struct tw_told_stats none = {
		NAN, NAN, NAN, NAN, NAN, NAN, 0
	};
	static struct phase phase;
	const struct tw_metric_params params = tw_config_params(0);
	const struct tw_phases *from = of;

	while (*i < TW_METRICS && !tw_metric_valid(*i, &params))
		++*i;
	if (*i == TW_METRICS)
		return NULL;
	*key = tw_metrics[*i].name;
	phase.spot = from->spot;
	phase.spot.metric = *i;
	phase.stats = from->spot.run || from->results->stats[*i].count ?
		      stats_of(&from->results->stats[*i],
			       target_ns(*i, &from->spot), false) : none;
	return &phase;
}

const void *tw_members_next_of_step(const void *of, int *i, const char **key)
{
	const struct tw_phases phases = { .results = of };

	return tw_members_next_phase(&phases, i, key);
}

const struct tw_member tw_members_phase[] = {
	TW_STATS_IN(struct phase, stats), { .name = NULL }
};

struct column {
	int pair;
	const char *metric;
	int64_t interval_us;
	uint64_t missed;
	struct tw_told_stats stats;
};

static const void *column_of(const void *of)
{
	static struct column column;
	const struct tw_spot *spot = of;
	int pair = tw_text_pair(spot->number);
	enum tw_metric_id id = tw_text_metric(spot->number);

	column = (struct column) {
		.pair = pair,
		.metric = tw_metrics[id].name,
		.interval_us = tw_config_interval_us(pair),
		.missed = spot->run->pairs[pair]->total.missed,
		.stats = stats_of(tw_series_of(spot->run, spot->number).stats,
				  target_ns(id, &(struct tw_spot) {
					.run = spot->run, .number = pair }),
				  false),
	};
	return &column;
}

static const void *phases_of(const void *of)
{
	static struct tw_phases phases;
	const struct tw_spot *spot = of;

	phases.spot = *spot;
	phases.spot.number = tw_text_pair(spot->number);
	phases.results = &spot->run->pairs[phases.spot.number]->total;
	return &phases;
}

static const struct tw_member of_column[] = {
	{ TW_NAMED(struct column, metric), TW_STRING, "The metric.",
	  .word = tw_metric_any_word },
	{ TW_NAMED(struct column, pair), TW_COUNT, "Number of the pair." },
	{ TW_NAMED(struct column, interval_us), TW_COUNT,
	  "Period of the pair." },
	{ TW_NAMED(struct column, missed), TW_COUNT,
	  "Expiries of the pair that got no cycle." },
	TW_STATS_IN(struct column, stats),
	{ .name = NULL }
};

static const struct tw_member columns[] = {
	{ TW_PHASES(tw_members_next_phase, TW_NOWHERE), .get = phases_of,
	  .parts = TW_OF_PHASE },
	{ "column", TW_NOWHERE, TW_OBJECT, .spread = true, .get = column_of,
	  .of = of_column },
	{ .name = NULL }
};

static const void *side_of(const struct tw_spot *spot, enum tw_role role)
{
	static struct tw_side side;
	const struct tw_pair *pair = spot->run->pairs[spot->number];

	side = (struct tw_side) {
		pair->process[role], pair->begun[role], pair->left[role],
		pair->usage[role]
	};
	return side.process.pid ? &side : NULL;
}

static const void *server_of(const void *of)
{
	return side_of(of, TW_SERVER);
}

static const void *client_of(const void *of)
{
	return side_of(of, TW_CLIENT);
}

static const struct tw_member sides[] = {
	{ "server", TW_NOWHERE, TW_OBJECT,
	  "Null: not a process of this host.", .nullable = true,
	  .get = server_of, .of = tw_side_members },
	{ "client", TW_NOWHERE, TW_OBJECT, "Likewise.", .nullable = true,
	  .get = client_of, .of = tw_side_members },
	{ .name = NULL }
};

static int64_t missed_of(const void *of)
{
	const struct tw_spot *spot = of;

	return (int64_t)spot->run->pairs[spot->number]->total.missed;
}

static const struct tw_member pair_begin[] = {
	{ "missed", TW_NUMBER_OF(missed_of), TW_COUNT,
	  "Expiries that got no cycle." },
	{ .name = NULL }
};

static const void *next_pair(const void *of, int *i, const char **key)
{
	static struct tw_spot spot;

	spot = (struct tw_spot) { .run = of, .number = *i };
	return *i < tw_run_pairs ? &spot : NULL;
}

static const void *main_of(const void *of)
{
	static struct tw_process process;

	process.pid = getpid();
	tw_process_read(&process);
	return &process;
}

static bool is_used(enum tw_time time)
{
	const struct tw_metric_params params = tw_config_params(0);
	int id = 0;

	while (id < TW_SPANS && !(tw_metric_valid(id, &params) &&
				  tw_metric_uses(id, time)))
		id++;
	return id < TW_SPANS;
}

static const void *next_time(const void *of, int *i, const char **key)
{
	while (*i < TW_TIMES && !is_used(*i))
		++*i;
	return *i < TW_TIMES ? &tw_metric_time_names[*i] : NULL;
}

/* A name of its own. */
static const void *next_span(const void *of, int *i, const char **key)
{
	static struct tw_told_span told;
	const struct tw_metric_params params = tw_config_params(0);
	const uint8_t *span;
	bool two;

	while (*i < TW_SPANS && (!tw_metric_valid(*i, &params) ||
				 tw_metric_find(tw_metrics[*i].name) != *i))
		++*i;
	if (*i == TW_SPANS)
		return NULL;
	*key = tw_metrics[*i].name;
	span = tw_metrics[*i].span;
	two = span[2] != span[3];
	told = (struct tw_told_span) {
		tw_metric_time_names[span[0]], tw_metric_time_names[span[1]],
		two ? tw_metric_time_names[span[2]] : NULL,
		two ? tw_metric_time_names[span[3]] : NULL,
		*i == TW_LATENCY ? (double)params.sleep_ns : 0,
		*i == TW_TOTAL ? tw_metric_deviations : NULL, 0
	};
	return &told;
}

struct series {
	int pair;
	const char *span;
	bool stamped;
	struct tw_told_stats stats;
};

static const void *next_series(const void *of, int *i, const char **key)
{
	static struct series told;
	const struct tw_run *run = of;
	const struct tw_stats *stats = NULL;
	struct tw_spot spot = { .run = run };
	int id = 0;

	for (; *i < tw_config.pairs * TW_SPANS; ++*i) {
		const struct tw_metric_params params =
			tw_config_params(*i / TW_SPANS);

		spot.number = *i / TW_SPANS;
		id = *i % TW_SPANS;
		stats = &run->pairs[spot.number]->total.stats[id];
		if (stats->count && tw_metric_valid(id, &params))
			break;
	}
	if (*i == tw_config.pairs * TW_SPANS)
		return NULL;
	told = (struct series) {
		spot.number, tw_metrics[id].name, id >= TW_METRICS,
		stats_of(stats, target_ns(id, &spot), true)
	};
	return &told;
}

static const struct tw_member of_series[] = {
	{ TW_NAMED(struct series, pair), TW_COUNT, "Number of the pair." },
	{ TW_NAMED(struct series, span), TW_STRING, "Its name in spans." },
	{ TW_NAMED(struct series, stamped), TW_BOOLEAN,
	  "Of the cycles with all stamps of the kernel." },
	TW_STATS_IN(struct series, stats),
	{ .name = NULL }
};

static const struct tw_member members[] = {
	TW_JSON_SPANS(next_time, next_span, next_series, of_series,
		      .word = tw_metric_any_word),
	{ "main", TW_NOWHERE, TW_OBJECT, "The parent process.",
	  .get = main_of, .of = tw_process_members },
	{ "pairs", TW_NOWHERE, TW_ARRAY, "Client and server of each.",
	  "'minItems': 1", .next = next_pair, .of = pair_begin,
	  .parts = TW_OF_PAIR, .then = sides },
	{ .name = NULL }
};

static const struct tw_member of_limit[] = {
	{ "pair", TW_SELF(int), TW_COUNT, "The worst pair." },
	{ .name = NULL }
};

/* Added by other programs. */
static const bool never;

#define ADDED(name, type, about, ...) \
	{ name, TW_NOWHERE, type, about, __VA_ARGS__ .only = &never, \
	  .only_size = 1 }
#define SHA256	"'pattern': '^[0-9a-f]{64}$'",

static const struct tw_member campaign[] = {
	ADDED("placement", TW_STRING, "one: client and server on one CPU; plan: the placement plan.",
	      "'enum': [ 'one', 'plan' ]",),
	ADDED("load", TW_STRING, "What kept the system busy meanwhile. twoway.load is none then: another program brought it.",
	      "'enum': [ 'none', 'fft', 'hackbench', 'command' ]",),
	ADDED("load_command", TW_STRING, "The command line of that program; null: there was none.",
	      .nullable = true,),
	{ .name = NULL }
};

static const struct tw_member lab[] = {
	ADDED("mode", TW_STRING, "exact: time is counted instructions, and results repeat to the last digit; smp: they are noisy.",
	      "'enum': [ 'exact', 'smp' ]",),
	ADDED("arch", TW_STRING, "The virtual machine's architecture, by Debian's name; absent in older results: amd64.",
	      .optional = true,),
	ADDED("release", TW_STRING, "The kernel's.", .optional = true,),
	ADDED("kernel_sha256", TW_STRING, "Of the kernel's image.", SHA256
	      .optional = true,),
	ADDED("initramfs_sha256", TW_STRING, "Of what the kernel started from.",
	      SHA256 .optional = true,),
	ADDED("qemu", TW_STRING, "Its version.", .optional = true,),
	ADDED("cpus", TW_INTEGER, "How many the virtual machine had.",
	      "'minimum': 1", .optional = true,),
	ADDED("memory_mib", TW_INTEGER, "How much it had.", "'minimum': 1",
	      .optional = true,),
	ADDED("qemu_arguments", TW_STRING, "All of qemu's.", .optional = true,),
	ADDED("kernel_arguments", TW_STRING, "The kernel's command line.",
	      .optional = true,),
	{ .name = NULL }
};

const char tw_json_column[] = TW_JSON_COLUMN;

const struct tw_member tw_json_added[] = {
	ADDED("campaign", TW_OBJECT, "Added by contrib/campaign to what it measured.",
	      .optional = true, .of = campaign,),
	ADDED("lab", TW_OBJECT, "Added by the virtual lab to what was measured in it.",
	      .optional = true, .of = lab,),
	{ .name = NULL }
};

static void text(FILE *file, const struct tw_run *run)
{
	static const enum tw_role sides[] = { TW_SERVER, TW_CLIENT };
	char before[64];
	size_t k;
	int i;

	for (i = 0; i < tw_run_pairs; i++)
		for (k = 0; k < ARRAY_SIZE(sides); k++) {
			const struct tw_pair *pair = run->pairs[i];
			enum tw_role role = sides[k];

			/* All pairs may have one server. */
			if (i && pair->left[role].pid ==
				 run->pairs[0]->left[role].pid)
				continue;
			snprintf(before, sizeof(before),
				 TW_CHANGED "pair %d: %s, ", i,
				 tw_config_roles[role]);
			tw_process_print_change(file, before,
						&pair->begun[role],
						&pair->left[role]);
		}
}

const struct tw_part tw_part_members = {
	.text = text, .tells_end = true,
	.members = {
		[TW_OF_RUN] = members, [TW_OF_COLUMN] = columns,
		[TW_OF_LIMIT] = of_limit,
	},
};
