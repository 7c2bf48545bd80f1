// SPDX-License-Identifier: GPL-2.0-or-later
/* The histogram of -h and -H, in the format of cyclictest. */
#include <inttypes.h>

#include "tw_report.h"

static const struct tw_window *window_of(const struct tw_report *report,
					 int column)
{
	return &report->session->pair->tally->window[
		report->config->metrics[column]];
}

static struct tw_status status_of(const struct tw_report *report,
					int column)
{
	return tw_tally_status(report->session->pair->tally,
			       report->config->metrics[column]);
}

/* -H, and as with cyclictest only if there is something to sum up. */
static bool sums_up(const struct tw_report *report)
{
	return report->config->histofall && report->config->metric_count > 1;
}

static uint64_t count_at(const struct tw_window *window, int64_t us)
{
	int64_t row = us - window->base_us;

	return row >= 0 && row < window->width_us ? window->counts[row] : 0;
}

/* The first row at @us or above that is not empty; INT64_MAX: none. */
static int64_t next_used(const struct tw_window *window, int64_t us)
{
	int64_t row = us > window->base_us ? us - window->base_us : 0;

	while (row < window->width_us && !window->counts[row])
		row++;
	return row < window->width_us ? window->base_us + row : INT64_MAX;
}

static void print_row(FILE *file, const struct tw_report *report, int64_t us)
{
	uint64_t count, sum = 0;
	int i;

	fprintf(file, "%06" PRId64 " ", us);
	for (i = 0; i < report->config->metric_count; i++) {
		count = count_at(window_of(report, i), us);
		sum += count;
		fprintf(file, "%s%06" PRIu64, i ? "\t" : "", count);
	}
	if (sums_up(report))
		fprintf(file, "\t%06" PRIu64, sum);
	fprintf(file, "\n");
}

/* Columns have windows of their own, which may lie seconds apart. */
static void print_rows(FILE *file, const struct tw_report *report)
{
	int columns = report->config->metric_count;
	int64_t next[TW_METRICS];
	int64_t us;
	int i;

	for (i = 0; i < columns; i++)
		next[i] = next_used(window_of(report, i), INT64_MIN);
	for (;;) {
		us = INT64_MAX;
		for (i = 0; i < columns; i++)
			if (next[i] < us)
				us = next[i];
		if (us == INT64_MAX)
			return;
		print_row(file, report, us);
		for (i = 0; i < columns; i++)
			if (next[i] == us)
				next[i] = next_used(window_of(report, i),
						    us + 1);
	}
}

/* "# Total:", as cyclictest: how many values are in the rows. */
static void print_totals(FILE *file, const struct tw_report *report)
{
	uint64_t all = 0;
	int i;

	fprintf(file, "# Total:");
	for (i = 0; i < report->config->metric_count; i++) {
		uint64_t count = status_of(report, i).count -
				 tw_window_overflows(window_of(report, i));

		all += count;
		fprintf(file, " %09" PRIu64, count);
	}
	if (sums_up(report))
		fprintf(file, " %09" PRIu64, all);
	fprintf(file, "\n");
}

static int64_t min_of(const struct tw_status *status)
{
	return status->min_ns;
}

static int64_t avg_of(const struct tw_status *status)
{
	return (int64_t)status->mean_ns;
}

static int64_t max_of(const struct tw_status *status)
{
	return status->max_ns;
}

/* "# Min Latencies:" and its like; returns the largest value printed. */
static int64_t print_values(FILE *file, const struct tw_report *report,
			    const char *name,
			    int64_t (*value_ns)(const struct tw_status *))
{
	int64_t value, largest = INT64_MIN;
	int i;

	fprintf(file, "# %s Latencies:", name);
	for (i = 0; i < report->config->metric_count; i++) {
		const struct tw_status status = status_of(report, i);

		value = tw_report_value(report->config, value_ns(&status));
		if (value > largest)
			largest = value;
		fprintf(file, " %05" PRId64, value);
	}
	return largest;
}

static void print_overflows(FILE *file, const struct tw_report *report)
{
	uint64_t all = 0;
	int i;

	fprintf(file, "# Histogram Overflows:");
	for (i = 0; i < report->config->metric_count; i++) {
		uint64_t count = tw_window_overflows(window_of(report, i));

		all += count;
		fprintf(file, " %05" PRIu64, count);
	}
	if (sums_up(report))
		fprintf(file, " %05" PRIu64, all);
	fprintf(file, "\n");
}

static void print_overflow_cycles(FILE *file, const struct tw_report *report)
{
	int i;

	fprintf(file, "# Histogram Overflow at cycle number:\n");
	for (i = 0; i < report->config->metric_count; i++) {
		const struct tw_window *window = window_of(report, i);
		uint64_t others = tw_window_overflows(window) - window->kept;
		uint64_t k;

		fprintf(file, "# Thread %d: ", i);
		for (k = 0; k < window->kept; k++)
			fprintf(file, "%05" PRIu64 " ",
				window->overflow_cycles[k]);
		if (others)
			fprintf(file, "# %05" PRIu64 " others", others);
		fprintf(file, "\n");
	}
}

/* What cyclictest has no word for. */
static void print_own(FILE *file, const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	const struct tw_tally *tally = report->session->pair->tally;
	int i;

	fprintf(file, "# Std Deviations:");
	for (i = 0; i < config->metric_count; i++)
		fprintf(file, " %.1f",
			tw_report_real(config,
				       status_of(report, i).deviation_ns));
	fprintf(file, "\n# Metrics:");
	for (i = 0; i < config->metric_count; i++)
		fprintf(file, " %s", tw_metrics[config->metrics[i]].token);
	fprintf(file, "\n# Missed:");
	for (i = 0; i < config->metric_count; i++)
		fprintf(file, " %05" PRIu64, tally->missed);
	fprintf(file, "\n# Throttled:");
	for (i = 0; i < config->metric_count; i++)
		fprintf(file, " %05" PRIu64, tally->throttled);
	fprintf(file, "\n");
}

void tw_report_histogram(FILE *file, const struct tw_report *report)
{
	int64_t max;

	fprintf(file, "# Histogram\n");
	print_rows(file, report);
	print_totals(file, report);
	print_values(file, report, "Min", min_of);
	fprintf(file, "\n");
	print_values(file, report, "Avg", avg_of);
	fprintf(file, "\n");
	max = print_values(file, report, "Max", max_of);
	if (sums_up(report))
		fprintf(file, " %05" PRId64, max);
	fprintf(file, "\n");
	print_overflows(file, report);
	print_overflow_cycles(file, report);
	print_own(file, report);
	tw_report_percentiles(file, report);
	tw_report_remarks(file, report);
	fprintf(file, "\n");
}
