// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports the load, and the table at the end of a ramp. */
#include <inttypes.h>
#include <stdio.h>

#include "base/tw_time.h"
#include "load/tw_load_report.h"
#include "load/tw_part_load.h"
#include "run/tw_columns.h"

double tw_load_rate(const struct tw_work *work)
{
	double seconds = (double)work->elapsed_ns / (double)TW_NS_PER_S;

	return seconds > 0 ? (double)work->done / seconds : 0;
}

void tw_load_print_step(FILE *file, const struct tw_run *run)
{
	const struct tw_load_ops *load = tw_load_kind();
	int workers = tw_load_workers(run, run->step);

	fprintf(file, "# Step %d/%d: load %s, %d %s\n", run->step + 1,
		run->steps, load->name, workers,
		workers == 1 ? load->one : load->many);
}

static void print_step(FILE *file, const struct tw_run *run, int step)
{
	const struct tw_pairs *pairs = &tw_session(run)->steps[step];
	const struct tw_counts counts = tw_pairs_counts(pairs);
	const struct tw_status total =
		tw_series_status(&pairs->pair[0]->tally->series, TW_TOTAL);

	fprintf(file, "# %9d ", tw_load_workers(run, step));
	if (total.count)
		fprintf(file, "%8" PRId64 " %8" PRId64 " %8" PRId64 " %8.1f",
			tw_value(run->show->nsecs, total.min_ns),
			tw_value(run->show->nsecs, (int64_t)total.mean_ns),
			tw_value(run->show->nsecs, total.max_ns),
			tw_real(run->show->nsecs, total.deviation_ns));
	else
		fprintf(file, "%8s %8s %8s %8s", "-", "-", "-", "-");
	fprintf(file, " %8" PRIu64 " %9" PRIu64 " %8.1f\n", counts.missed,
		counts.throttled, tw_load_rate(tw_load_work(step)));
}

void tw_load_text(FILE *file, const struct tw_run *run)
{
	const struct tw_load_ops *load = tw_load_kind();
	int i;

	if (run->steps == 1 || tw_config->ramp_of_pairs)
		return;
	fprintf(file, "# Total%s against load %s, in %s; work: %s a second\n",
		tw_config->pairs.count > 1 ? " of pair 0" : "", load->name,
		run->show->nsecs ? "ns" : "us", load->work);
	fprintf(file, "# %9s      min      avg      max      std   missed throttled     work\n",
		load->many);
	for (i = 0; i < tw_session(run)->steps_done; i++)
		print_step(file, run, i);
}

void tw_load_remarks(FILE *file, const struct tw_run *run)
{
	const struct tw_load_ops *load = tw_load_kind();
	int workers = tw_load_workers(run, 0);
	double rate;

	if (!load || run->steps > 1)
		return;
	rate = tw_load_rate(tw_load_work(0));
	fprintf(file, "# Load: %s, %d %s, %.1f %s a second, %.1f a %s\n",
		load->name, workers, workers == 1 ? load->one : load->many,
		rate, load->work, workers ? rate / workers : 0, load->one);
}

const char *tw_load_progress_text(const struct tw_run *run)
{
	static char line[128];
	const struct tw_load_ops *load = tw_load_kind();
	int count = tw_load_workers(run, run->step);
	const char *one, *many;
	int64_t left_s = tw_session_seconds_left(tw_session(run));
	char left[32] = "";

	if (run->steps == 1)
		return "";	/* cyclictest leaves it empty */
	if (left_s >= 0)
		snprintf(left, sizeof(left), ": %" PRId64 " s left", left_s);
	one = load ? load->one : "";
	many = load ? load->many : "";
	if (tw_config->ramp_of_pairs) {
		count = run->step + 1;
		one = "pair";
		many = "pairs";
	}
	snprintf(line, sizeof(line), "step: %d/%d: %d %s%s          ",
		 run->step + 1, run->steps, count, count == 1 ? one : many,
		 left);
	return line;
}
