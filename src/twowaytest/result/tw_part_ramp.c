// SPDX-License-Identifier: GPL-2.0-or-later
/* --ramp and --orb: one client, and from step to step one more beside it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/tw_json.h"
#include "frame/tw_run.h"
#include "result/tw_part_result.h"
#include "run/tw_session.h"

#define OTHERS	"8"	/* of --orb, as in the published tests */

static struct {
	int kind;
	int64_t others;
} set;
static const __typeof__(set) initial;

static const char *const kinds[] = { "load", "pairs", NULL };

static int parse_ramp(const struct tw_option *option, const char *value,
		      struct tw_run *run)
{
	int err = tw_option_word(option, value, run);

	if (!err)
		tw_config_ramp_pairs(set.kind);
	return err;
}

/* The words that it stands for; later options override them. */
static int parse_orb(const struct tw_option *option, const char *value,
		     struct tw_run *run)
{
	static const struct {
		const char *name, *value;
	} words[] = {
		{ "mlockall", NULL }, { "priority", "98" },
		{ "affinity", NULL }, { "interval", "50000,100000" },
		{ "priospread", NULL }, { "servers", "one" },
		{ "ramp", "pairs" }, { "duration", "60" },
	};
	char steps[24];
	size_t i;

	if (tw_option_number(option, value ? value : OTHERS, run))
		return -EINVAL;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (tw_option_set(run, words[i].name, words[i].value))
			return -EINVAL;
	snprintf(steps, sizeof(steps), "%" PRId64, set.others + 1);
	return tw_option_set(run, "steps", steps);
}

static const struct tw_option options[] = {
	{ 0, "orb", TW_OPTIONAL_ARGUMENT, "N", parse_orb, &set.others,
	  .min = 1, .max = 95,
	  .help = "one client beside 0 to N (8) others at one server:\n"
		  "-m -p 98 -a -i 50000,100000 --priospread -D 60\n"
		  "--servers=one --ramp=pairs --steps=N+1; later\n"
		  "options override" },
	{ 0, "ramp", TW_ARGUMENT, "NAME", parse_ramp, &set.kind,
	  .kinds = kinds,
	  .help = "what grows from step to step: load (default),\n"
		  "pairs; these from 1 to --steps" },
	{ .name = NULL }
};

static int check(struct tw_run *run)
{
	if (set.kind && run->steps == 1)
		return tw_fail(run, -EINVAL, "--ramp=pairs: there is one step only; give --steps=N, for 1 to N pairs");
	if (set.kind && !tw_config->loops && !tw_config->duration_s)
		return tw_fail(run, -EINVAL, "--steps=%d: a step must have an end; give --loops or --duration",
			       run->steps);
	return 0;
}

static int begin(struct tw_run *run)
{
	if (!set.kind)
		return 0;
	fprintf(run->output.text.flow.stream, "# Step %d/%d: %d other client%s\n",
		run->step + 1, run->steps, run->step,
		run->step == 1 ? "" : "s");
	tw_output_push(run, &run->output.text, 0);
	return 0;
}

/* The pair whose response took longest, the first excepted; NULL: none. */
static const struct tw_status *worst_other(const struct tw_pairs *step,
					   struct tw_status *worst)
{
	struct tw_status status;
	unsigned int k;

	*worst = (struct tw_status) { .count = 0 };
	for (k = 1; k < step->count; k++) {
		status = tw_series_status(&step->pair[k]->tally->series,
					  TW_RESPONSE);
		if (status.count && (!worst->count ||
				     status.max_ns > worst->max_ns))
			*worst = status;
	}
	return worst->count ? worst : NULL;
}

static void print_status(FILE *file, bool nsecs, const struct tw_status *status)
{
	if (status && status->count)
		fprintf(file, " %8" PRId64 " %8" PRId64 " %8" PRId64,
			tw_value(nsecs, status->min_ns),
			tw_value(nsecs, (int64_t)status->mean_ns),
			tw_value(nsecs, status->max_ns));
	else
		fprintf(file, " %8s %8s %8s", "-", "-", "-");
}

static void print_step(FILE *file, const struct tw_run *run, int step)
{
	const struct tw_pairs *pairs = &tw_session(run)->steps[step];
	const struct tw_tally *first = pairs->pair[0]->tally;
	const struct tw_status response =
		tw_series_status(&first->series, TW_RESPONSE);
	const struct tw_status total =
		tw_series_status(&first->series, TW_TOTAL);
	struct tw_status worst;

	fprintf(file, "# %6u", pairs->count - 1);
	print_status(file, run->show->nsecs, &response);
	print_status(file, run->show->nsecs, &total);
	print_status(file, run->show->nsecs, worst_other(pairs, &worst));
	fprintf(file, " %10" PRIu64 " %8" PRIu64 "\n", first->inversions,
		tw_pairs_counts(pairs).missed);
}

static void text(FILE *file, const struct tw_run *run)
{
	int i;

	if (!set.kind)
		return;
	fprintf(file, "# Pair 0 against the number of other clients, in %s; the others: the one whose response took longest\n",
		run->show->nsecs ? "ns" : "us");
	fprintf(file, "# %6s %26s %26s %26s %10s %8s\n", "", "response",
		"total", "response of others", "", "");
	fprintf(file, "# %6s %8s %8s %8s %8s %8s %8s %8s %8s %8s %10s %8s\n",
		"others", "min", "avg", "max", "min", "avg", "max", "min",
		"avg", "max", "inversions", "missed");
	for (i = 0; i < tw_session(run)->steps_done; i++)
		print_step(file, run, i);
}

static void json_settings(struct tw_json *json, const struct tw_run *run)
{
	(void)run;
	tw_json_text(json, "ramp", kinds[set.kind]);
}

const struct tw_part tw_part_ramp = {
	.name = "ramp", .options = options, TW_SETTINGS(set, initial),
	.check = check, .begin = begin, .text = text,
	.json_settings = json_settings,
};
