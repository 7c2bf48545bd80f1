// SPDX-License-Identifier: GPL-2.0-or-later
/* --ramp=pairs: step k measures pair 0 and k others; --orb. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_load.h"
#include "tw_members.h"
#include "tw_part.h"
#include "tw_say.h"
#include "tw_servers.h"
#include "tw_text.h"

#define OTHERS		8	/* of --orb, by default */

static const char *const kinds[] = { "load", "pairs", NULL };
static const char *kind = "load";
static int64_t others;		/* of --orb; 0: not given */

/* Of each step that was measured, of each of its pairs. */
static struct kept {
	uint64_t inversions;
	struct tw_results results;
} *kept[TW_PAIRS_MAX];

static void parse_orb(const struct tw_option *option, char *value)
{
	char steps[20];

	others = OTHERS;
	if (value)
		tw_option_number(option, value);
	tw_option_preset("mlockall policy=fifo priority=98 affinity interval=50000,100000 priospread servers=one ramp=pairs duration=60");
	snprintf(steps, sizeof(steps), "steps=%d", (int)others + 1);
	tw_option_preset(steps);
}

static const struct tw_option options[] = {
	{ 0, "orb", TW_NUMBER, &others, NULL, 1, TW_PAIRS_MAX - 1,
	  .optional = true, .parse = parse_orb,
	  .help = "one client and 0 to N (8) others at one server:\n"
		  "-m -p 98 -a -i 50000,100000 --priospread\n"
		  "--servers=one --ramp=pairs --steps=N+1 -D 60; later\n"
		  "options override it" },
	{ 0, "ramp", TW_WORD, &kind, .choices = kinds,
	  .help = "what grows from step to step of --steps: the load\n"
		  "(the default), or the number of pairs" },
	{ .name = NULL }
};

/* The checks of the other parts then see the pairs of the last step. */
static void check(struct tw_run *run)
{
	int steps = (int)tw_ramp_steps;

	if (strcmp(kind, "pairs"))
		return;
	if (steps == 1 || steps > TW_PAIRS_MAX)
		tw_say_fatal("--ramp=pairs: allowed only with --steps from 2 to %d\n",
			     TW_PAIRS_MAX);
	if (tw_config.pairs > 1 || tw_config.smp)
		tw_say_fatal("--ramp=pairs: not allowed with --threads or --smp: step K has K pairs\n");
	if (!tw_config.loops && !tw_config.duration_s)
		tw_say_fatal("--steps=%d: allowed only with --loops or --duration\n",
			     steps);
	tw_settings.pairs = run->steps = steps;
	run->ramp = run->ramps_pairs = true;
}

static void begin(struct tw_run *run)
{
	if (run->ramps_pairs)
		printf("# Step %d/%d: %d other client%s\n", run->step + 1,
		       run->steps, run->step, run->step == 1 ? "" : "s");
}

static void end(struct tw_run *run)
{
	static uint64_t before[TW_PAIRS_MAX];	/* in all earlier steps */
	int pair, step = run->step;
	bool measured = false;

	if (!run->ramps_pairs)
		return;
	kept[step] = calloc(step + 1, sizeof(*kept[step]));
	if (!kept[step])
		tw_say_fatal("--ramp=pairs: no memory\n");
	for (pair = 0; pair <= step; pair++) {
		uint64_t count = tw_servers_inversions(run, pair);

		kept[step][pair] = (struct kept) {
			count - before[pair], run->pairs[pair]->tally.results
		};
		before[pair] = count;
		measured |= kept[step][pair].results.stats[0].count > 0;
	}
	if (!run->no_status && measured)
		tw_text_status(stdout, run);
}

/* A step that was cut short may have no results, any other is told. */
static int count_of(const struct tw_run *run)
{
	const struct kept *last = run->whole < run->steps ? kept[run->whole] :
				  NULL;

	return run->whole + (last && last->results.stats[0].count);
}

static void text(FILE *file, const struct tw_run *run)
{
	int step, pair;

	if (!run->ramps_pairs)
		return;
	fprintf(file, "# Response of pair 0 and of the others, by their number\n"
		"# %7s | %31s | %31s | %10s\n", "others",
		"pair 0: min avg max std", "others: min avg max std",
		"inversions");
	for (step = 0; step < count_of(run); step++) {
		const struct kept *first = kept[step];
		struct tw_results rest = { .missed = 0 };

		for (pair = 1; pair <= step; pair++)
			tw_tally_merge(&rest, &kept[step][pair].results);
		fprintf(file, "# %7d |", step);
		tw_ramp_stats(file, &first->results.stats[TW_RESPONSE]);
		fprintf(file, " |");
		tw_ramp_stats(file, &rest.stats[TW_RESPONSE]);
		fprintf(file, " | %10" PRIu64 "\n", first->inversions);
	}
}

static bool has_steps(const void *of)
{
	return ((const struct tw_run *)of)->ramps_pairs;
}

/* The number of a step is that of its others. */
static const void *next_step(const void *of, int *i, const char **key)
{
	static int step;

	step = *i;
	return *i < count_of(of) ? &step : NULL;
}

static const void *next_pair(const void *of, int *i, const char **key)
{
	int step = *(const int *)of;

	return *i <= step ? &kept[step][*i] : NULL;
}

static const struct tw_member of_pair[] = {
	{ "missed", TW_IN(struct kept, results.missed), TW_COUNT,
	  "Expiries that got no cycle." },
	{ TW_NAMED(struct kept, inversions), TW_COUNT, TW_INVERSIONS },
	{ TW_PHASES(tw_members_next_of_step,
		    TW_OBJECT_IN(struct kept, results)) },
	{ .name = NULL }
};

static const struct tw_member of_step[] = {
	{ "others", TW_SELF(int), TW_COUNT, "Pairs but the first." },
	{ "pairs", TW_NOWHERE, TW_ARRAY, "Each that was measured.",
	  "'minItems': 1", .next = next_pair, .of = of_pair },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "steps", TW_NOWHERE, TW_ARRAY, "Of a ramp: one with k units of the first load, or k other pairs.",
	  "'minItems': 1", .or_of = tw_ramp_step, .optional = true, .has = has_steps,
	  .next = next_step, .of = of_step },
	{ .name = NULL }
};

const struct tw_part tw_part_orb = {
	.options = options, .group = TW_PAIRS, .check = check, .begin = begin,
	.end = end, .text = text, .members[TW_OF_RUN] = members,
};
