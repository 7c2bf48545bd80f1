// SPDX-License-Identifier: GPL-2.0-or-later
/* --steps: the same measurement with 0, 1, 2... units of the first load. */
#include <inttypes.h>
#include <stdlib.h>

#include "tw_load.h"
#include "tw_members.h"
#include "tw_output.h"
#include "tw_part.h"
#include "tw_say.h"
#include "tw_text.h"

int64_t tw_ramp_steps = 1;

/* What is kept of each step, over all pairs. NULL: this is no ramp of a load. */
static struct kept {
	double rate;		/* work of the load a second */
	struct tw_results results;
} *kept;

static const struct tw_option options[] = {
	{ 0, "steps", TW_NUMBER, &tw_ramp_steps, NULL, 1, TW_LOAD_MAX + 1,
	  .far = TW_ASKED_OF_LOAD,
	  .help = "N runs, with 0, 1 ... N-1 workers (or groups) of the\n"
		  "first --load" },
	{ .name = NULL }
};

static void check(struct tw_run *run)
{
	int steps = (int)tw_ramp_steps;
	struct tw_load *load = tw_load_number(0);

	/* Another part may have a ramp of something else. */
	if (run->ramp || !tw_option_given("steps"))
		return;
	if (!load)
		tw_say_fatal("--steps=%d: allowed only with --load\n", steps);
	if (!tw_config.loops && !tw_config.duration_s)
		tw_say_fatal("--steps=%d: allowed only with --loops or --duration\n",
			     steps);
	if (load->fixed)
		tw_say_fatal("--load=%s:%d: not allowed with --steps, which sets the number of %s\n",
			     load->ops->name, load->wanted, load->ops->unit);
	run->steps = steps;
	run->ramp = true;
	load->ramped = true;
	kept = calloc(steps, sizeof(*kept));
	if (!kept)
		tw_say_fatal("--steps=%d: no memory\n", steps);
}

static void begin(struct tw_run *run)
{
	if (kept)
		printf("# Step %d/%d: load %s, %d %s\n", run->step + 1,
		       run->steps, tw_load_number(0)->ops->name, run->step,
		       tw_load_unit(tw_load_number(0), run->step));
}

static void end(struct tw_run *run)
{
	int i;

	if (!kept)
		return;
	for (i = 0; i < tw_config.pairs; i++)
		tw_tally_merge(&kept[run->step].results,
			       &run->pairs[i]->tally.results);
	kept[run->step].rate = tw_load_number(0)->rate;
	if (!run->no_status && kept[run->step].results.stats[0].count)
		tw_text_status(stdout, run);
	tw_output_flush();
}

void tw_ramp_stats(FILE *file, const struct tw_stats *of)
{
	if (!of->count) {
		fprintf(file, " %31s", "-");
		return;
	}
	fprintf(file, " %7" PRId64 " %7" PRId64 " %7" PRId64 " %7.1f",
		tw_text_whole(of->min),
		tw_text_whole((int64_t)tw_stats_mean(of)),
		tw_text_whole(of->max),
		tw_text_real(tw_stats_deviation(of)));
}

/* A step that was cut short may have no results, any other is told. */
static int count_of(const struct tw_run *run)
{
	int whole = run->whole;

	return whole + (whole < run->steps &&
			kept[whole].results.stats[0].count);
}

static void text(FILE *file, const struct tw_run *run)
{
	int i;

	if (!kept)
		return;
	fprintf(file, "# Load %s: response and total by %s; work: %s a second\n"
		"# %7s | %31s | %31s | %8s\n",
		tw_load_number(0)->ops->name, tw_load_number(0)->ops->unit,
		tw_load_number(0)->ops->work, tw_load_number(0)->ops->unit,
		"response: min avg max std", "total: min avg max std", "work");
	for (i = 0; i < count_of(run); i++) {
		fprintf(file, "# %7d |", i);
		tw_ramp_stats(file, &kept[i].results.stats[TW_RESPONSE]);
		fprintf(file, " |");
		if (!tw_metric_has_server())
			fprintf(file, " %31s", "-");
		else
			tw_ramp_stats(file, &kept[i].results.stats[TW_TOTAL]);
		fprintf(file, " | %8.1f%s\n", kept[i].rate,
			i < run->whole ? "" : " (incomplete)");
	}
}

/* Nothing is measured where only the load or the servers run. */
static bool has_steps(const void *of)
{
	return ((const struct tw_run *)of)->steps > 1 && kept &&
	       !tw_config.absent[TW_CLIENT];
}

/* What the JSON says of a step. */
struct step {
	int units;
	const struct kept *of;
};

static const void *next_step(const void *of, int *i, const char **key)
{
	static struct step step;

	step = (struct step) { *i, &kept[*i] };
	return *i < count_of(of) ? &step : NULL;
}

const struct tw_member tw_ramp_step[] = {
	{ TW_NAMED(struct step, units), TW_COUNT, "Of the first load." },
	{ TW_NAMED(struct kept, rate), TW_REAL, "Work a second.",
	  "'minimum': 0", TW_VIA(struct step, of) },
	{ "missed", TW_IN(struct kept, results.missed), TW_COUNT,
	  "Expiries that got no cycle.", TW_VIA(struct step, of) },
	{ TW_PHASES(tw_members_next_of_step,
		    TW_OBJECT_IN(struct kept, results)),
	  TW_VIA(struct step, of) },
	{ .name = NULL }
};

/* The schema knows it from the part whose steps are of pairs. */
static const struct tw_member members[] = {
	{ "steps", TW_NOWHERE, TW_ARRAY, NULL, .optional = true, .again = true,
	  .has = has_steps, .next = next_step, .of = tw_ramp_step },
	{ .name = NULL }
};

const struct tw_part tw_part_ramp = {
	.options = options, .group = TW_LOADS, .check = check, .begin = begin,
	.end = end, .text = text,
	.members[TW_OF_RUN] = members,
};
