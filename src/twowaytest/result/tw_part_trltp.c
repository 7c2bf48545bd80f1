// SPDX-License-Identifier: GPL-2.0-or-later
/* --trltp and --trltp-log: set-up and log of the reference program. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "rt-utils.h"
#include "result/tw_part_result.h"
#include "run/tw_session.h"

static struct {
	bool reference;
	const char *path;
	struct tw_file file;
} set;
static const __typeof__(set) initial;

/* The words that it stands for; later options override them. */
static int parse(const struct tw_option *option, const char *value,
		 struct tw_run *run)
{
	static const struct {
		const char *name, *value;
	} words[] = {
		{ "mlockall", NULL }, { "priority", "98" },
		{ "policy", "fifo" }, { "affinity", NULL },
		{ "posix_timers", NULL }, { "interval", "1000" },
		{ "loops", "100000" }, { "duration", "0" },
		{ "sleep", "100" }, { "load", "fft" }, { "steps", "16" },
		{ "warmup", "1" },
	};
	size_t i;

	(void)value;
	*(bool *)option->to = true;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (tw_option_set(run, words[i].name, words[i].value))
			return -EINVAL;
	return 0;
}

static const struct tw_option options[] = {
	{ 0, "trltp", TW_NO_ARGUMENT, NULL, parse, &set.reference,
	  .help = "the reference set-up: -m -p 98 -a -x -i 1000\n"
		  "-l 100000 --sleep=100 --load=fft --steps=16\n"
		  "--warmup=1; later options override" },
	{ 0, "trltp-log", TW_ARGUMENT, "FILE", tw_option_file, &set.path,
	  .help = "write the reference program's log to FILE" },
	{ .name = NULL }
};

/* Main is at the highest priority, as in the reference program, and silent. */
static int check(struct tw_run *run)
{
	if (!set.reference)
		return 0;
	tw_config_raise_main();
	run->output.silent = true;
	return 0;
}

static size_t room(const struct tw_run *run)
{
	(void)run;
	return set.path ? TW_TRLTP_SIZE : 0;
}

static void attach(struct tw_run *run, struct tw_pair *pair, void *memory)
{
	(void)run;
	if (set.path)
		tw_tally_attach_trltp(pair->tally, memory);
}

/*
 * The log format of the reference program: for each step and metric the
 * statistics, and a histogram with bins of 10 us, without empty bins.
 */
static const enum tw_metric_id metrics[] = {
	TW_INTERVAL, TW_SEND, TW_SLEEP, TW_RECEIVE, TW_RESPONSE, TW_TOTAL,
};

static double us(double ns)
{
	return ns / 1000;
}

static void print_bins(FILE *file, const struct tw_window *bins)
{
	int64_t row;

	if (bins->below)
		fprintf(file, "below,%" PRIu64 "\n", bins->below);
	for (row = 0; row < bins->width_us; row++)
		if (bins->counts[row])
			fprintf(file, "%" PRId64 ",%" PRIu64 "\n",
				bins->base_us + row * bins->bin_us,
				bins->counts[row]);
	if (bins->above)
		fprintf(file, "above,%" PRIu64 "\n", bins->above);
}

static void print_metric(FILE *file, const struct tw_tally *tally,
			 enum tw_metric_id id)
{
	const struct tw_status status = tw_series_status(&tally->series, id);

	fprintf(file, "\n%s (Micro Sec)\n", tw_metrics[id].label);
	fprintf(file, "Minimum,%.1f\nAverage,%.1f\nMaximum,%.1f\n",
		us((double)status.min_ns), us(status.mean_ns),
		us((double)status.max_ns));
	fprintf(file, "Standard Deviation,%.1f\nCount,%" PRIu64 "\n",
		us(status.deviation_ns), status.count);
	fprintf(file, "Lower Bound,Count\n");
	print_bins(file, &tally->trltp[id]);
}

/* The reference program has one pair: of several, each has a log of its own. */
static int write_log(const struct tw_run *run, FILE *file)
{
	const struct tw_session *session = tw_session(run);
	const char *gap = "";
	unsigned int k;
	size_t i;
	int step;

	for (step = 0; step < session->steps_done; step++)
		for (k = 0; k < session->steps[step].count; k++) {
			const struct tw_pair *pair =
				session->steps[step].pair[k];

			fprintf(file, "%sWorkers,%d\n", gap, pair->workers);
			if (session->config->pairs.count > 1)
				fprintf(file, "Pair,%u\n", k);
			for (i = 0; i < ARRAY_SIZE(metrics); i++)
				print_metric(file, pair->tally, metrics[i]);
			gap = "\n";
		}
	return 0;
}

static const struct tw_result result = {
	.option = "trltp-log", .path = &set.path, .file = &set.file,
	.write = write_log,
};

const struct tw_part tw_part_trltp = {
	.name = "trltp", .options = options, TW_SETTINGS(set, initial),
	.check = check, .room = room, .attach = attach, .result = &result,
};
