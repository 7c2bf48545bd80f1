// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --steps: the same measurement with 0, 1, 2 ... units of the first load, or
 * with --ramp=pairs, of pairs besides the first; --orb.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tw_hosts.h"
#include "tw_load.h"
#include "tw_members.h"
#include "tw_output.h"
#include "tw_part.h"
#include "tw_servers.h"
#include "tw_text.h"

#define OTHERS		8	/* of --orb, by default */

static int64_t steps = 1;
static const char *const kinds[] = { "load", "pairs", NULL };
static const char *kind = "load";
static int64_t others;		/* of --orb; 0: not given */
static bool of_pairs;

/* Of each step that was measured: each of its pairs, or of a load, all as one. */
static struct kept {
	uint64_t inversions;
	double rate;		/* work of the load a second */
	struct tw_results results;
} *kept[TW_LOAD_MAX + 1];

static void parse_orb(const struct tw_option *option, char *value)
{
	char words[20];

	others = OTHERS;
	if (value)
		tw_option_number(option, value);
	tw_option_preset("mlockall policy=fifo priority=98 affinity interval=50000,100000 priospread servers=one ramp=pairs duration=60");
	snprintf(words, sizeof(words), "steps=%d", (int)others + 1);
	tw_option_preset(words);
}

static const struct tw_option options[] = {
	{ 0, "orb", TW_NUMBER, &others, NULL, 1, TW_PAIRS_MAX - 1,
	  .optional = true, .parse = parse_orb,
	  .help = "a set-up: a client and 0 to N (8) others at one server" },
	{ 0, "ramp", TW_WORD, &kind, .choices = kinds,
	  .help = "what grows with --steps:" },
	{ 0, "steps", TW_NUMBER, &steps, NULL, 1, TW_LOAD_MAX + 1,
	  .far = TW_ASKED_OF_LOAD, .group = TW_LOADS,
	  .help = "N runs, with 0 to N-1 units of the first --load" },
	{ .name = NULL }
};

/* The checks of the other parts then see the pairs of the last step. */
static void check_pairs(void)
{
	if (steps == 1 || steps > TW_PAIRS_MAX)
		tw_say_fatal("--ramp=pairs: allowed only with --steps from 2 to %d\n",
			     TW_PAIRS_MAX);
	if (tw_config.pairs > 1 || tw_config.smp)
		tw_say_fatal("--ramp=pairs: not allowed with --threads or --smp: step K has K pairs\n");
	if (tw_talk_way.text && !tw_reflect_kind)
		tw_say_fatal("--ramp=pairs: not allowed with --connect; give --threads\n");
	tw_settings.pairs = steps;
}

static void check_load(struct tw_load *load)
{
	if (!load)
		tw_say_fatal("--steps=%d: allowed only with --load\n",
			     (int)steps);
	if (load->fixed)
		tw_say_fatal("--load=%s:%d: not allowed with --steps, which sets the number of %s\n",
			     load->ops->name, load->wanted, load->ops->unit);
	load->ramped = true;
}

static void check(struct tw_run *run)
{
	of_pairs = !strcmp(kind, "pairs");
	if (!of_pairs && !tw_option_given("steps"))
		return;
	if (of_pairs)
		check_pairs();
	else
		check_load(tw_load_number(0));
	if (!tw_config.loops && !tw_config.duration_s)
		tw_say_fatal("--steps=%d: allowed only with --loops or --duration\n",
			     (int)steps);
	run->steps = (int)steps;
	run->ramp = true;
}

static void begin(struct tw_run *run)
{
	const struct tw_load *load = tw_load_number(0);
	int step = run->step;

	if (!run->ramp)
		return;
	kept[step] = calloc(of_pairs ? step + 1 : 1, sizeof(*kept[step]));
	if (!kept[step])
		tw_say_fatal("--steps=%d: no memory\n", run->steps);
	printf("# Step %d/%d: ", step + 1, run->steps);
	if (of_pairs) {
		tw_run_pairs = step + 1;
		printf("%d other client%s\n", step, step == 1 ? "" : "s");
	} else {
		printf("load %s, %d %s\n", load->ops->name, step,
		       tw_load_unit(load, step));
	}
}

static void end(struct tw_run *run)
{
	static uint64_t before[TW_PAIRS_MAX];	/* in all earlier steps */
	struct kept *to = kept[run->step];
	bool measured = false;
	int i;

	if (!run->ramp)
		return;
	for (i = 0; i < tw_run_pairs; i++, to += of_pairs) {
		tw_tally_merge(&to->results, &run->pairs[i]->tally.results);
		to->inversions = tw_servers_inversions(run, i) - before[i];
		before[i] += to->inversions;
		measured |= to->results.stats[0].count > 0;
	}
	if (!of_pairs)
		to->rate = tw_load_number(0)->rate;
	if (!run->no_status && measured)
		tw_text_status(stdout, run);
	tw_output_flush();
}

static void print_stats(FILE *file, const struct tw_stats *of)
{
	if (of->count)
		fprintf(file, " %7" PRId64 " %7" PRId64 " %7" PRId64 " %7.1f |",
			tw_text_whole(of->min),
			tw_text_whole((int64_t)tw_stats_mean(of)),
			tw_text_whole(of->max),
			tw_text_real(tw_stats_deviation(of)));
	else
		fprintf(file, " %31s |", "-");
}

/* A step that was cut short may have no results, any other is told. */
static int count_of(const struct tw_run *run)
{
	const struct kept *last = run->whole < run->steps ? kept[run->whole] :
				  NULL;

	return run->whole + (last && last->results.stats[0].count);
}

static void print_pairs(FILE *file, const struct tw_run *run)
{
	int step, pair;

	fprintf(file, "# Response of pair 0 and of the others, by their number\n"
		"# %7s | %31s | %31s | %10s\n", "others",
		"pair 0: min avg max std", "others: min avg max std",
		"inversions");
	for (step = 0; step < count_of(run); step++) {
		struct tw_results rest = { .missed = 0 };

		for (pair = 1; pair <= step; pair++)
			tw_tally_merge(&rest, &kept[step][pair].results);
		fprintf(file, "# %7d |", step);
		print_stats(file, &kept[step]->results.stats[TW_RESPONSE]);
		print_stats(file, &rest.stats[TW_RESPONSE]);
		fprintf(file, " %10" PRIu64 "\n", kept[step]->inversions);
	}
}

static void print_load(FILE *file, const struct tw_run *run)
{
	static const struct tw_stats none;
	const struct tw_load_ops *ops = tw_load_number(0)->ops;
	int step;

	fprintf(file, "# Load %s: response and total by %s; work: %s a second\n"
		"# %7s | %31s | %31s | %8s\n",
		ops->name, ops->unit, ops->work, ops->unit,
		"response: min avg max std", "total: min avg max std", "work");
	for (step = 0; step < count_of(run); step++) {
		const struct tw_stats *stats = kept[step]->results.stats;

		fprintf(file, "# %7d |", step);
		print_stats(file, &stats[TW_RESPONSE]);
		print_stats(file, tw_metric_has_server() ? &stats[TW_TOTAL] :
			    &none);
		fprintf(file, " %8.1f%s\n", kept[step]->rate,
			step < run->whole ? "" : " (incomplete)");
	}
}

static void text(FILE *file, const struct tw_run *run)
{
	if (run->ramp)
		(of_pairs ? print_pairs : print_load)(file, run);
}

static bool has_pairs(const void *of)
{
	return of_pairs;
}

/* Nothing is measured where only the load or the servers run. */
static bool has_loads(const void *of)
{
	const struct tw_run *run = of;

	return run->ramp && !of_pairs && run->steps > 1 &&
	       !tw_config.absent[TW_CLIENT];
}

/* What the JSON says of a step. */
struct step {
	int units;	/* of the first load, or others */
	const struct kept *of;
};

static const void *next_step(const void *of, int *i, const char **key)
{
	static struct step step;

	if (*i >= count_of(of))
		return NULL;
	step = (struct step) { *i, kept[*i] };
	return &step;
}

static const void *next_pair(const void *of, int *i, const char **key)
{
	const struct step *step = of;

	return *i <= step->units ? &step->of[*i] : NULL;
}

static const struct tw_member of_pair[] = {
	{ "missed", TW_IN(struct kept, results.missed), TW_COUNT,
	  "Expiries that got no cycle." },
	{ TW_NAMED(struct kept, inversions), TW_COUNT, TW_INVERSIONS },
	{ TW_PHASES(tw_members_next_of_step, TW_OBJECT_IN(struct kept, results)) },
	{ .name = NULL }
};

static const struct tw_member step_of_pairs[] = {
	{ "others", TW_IN(struct step, units), TW_COUNT,
	  "Pairs but the first." },
	{ "pairs", TW_NOWHERE, TW_ARRAY, "Each that was measured.",
	  "'minItems': 1", .next = next_pair, .of = of_pair },
	{ .name = NULL }
};

static const struct tw_member step_of_load[] = {
	{ TW_NAMED(struct step, units), TW_COUNT, "Of the first load." },
	{ TW_NAMED(struct kept, rate), TW_REAL, "Work a second.",
	  "'minimum': 0", TW_VIA(struct step, of) },
	{ "missed", TW_IN(struct kept, results.missed), TW_COUNT,
	  "Expiries that got no cycle.", TW_VIA(struct step, of) },
	{ TW_PHASES(tw_members_next_of_step, TW_OBJECT_IN(struct kept, results)),
	  TW_VIA(struct step, of) },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "steps", TW_NOWHERE, TW_ARRAY, "Of a ramp: one with k units of the first load, or k other pairs.",
	  "'minItems': 1", .or_of = step_of_load, .optional = true, .has = has_pairs,
	  .next = next_step, .of = step_of_pairs },
	{ "steps", TW_NOWHERE, TW_ARRAY, NULL, .optional = true, .again = true,
	  .has = has_loads, .next = next_step, .of = step_of_load },
	{ .name = NULL }
};

const struct tw_part tw_part_ramp = {
	.options = options, .group = TW_PAIRS, .check = check, .begin = begin,
	.end = end, .text = text, .members[TW_OF_RUN] = members,
};
