// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --trltp-log: the log format of the reference program (TRLTP). For each step
 * and metric: statistics, and a histogram with bins of 10 us, without empty
 * bins.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tw_report.h"

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
	const struct tw_status status = tw_tally_status(tally, id);

	fprintf(file, "\n%s (Micro Sec)\n", tw_metrics[id].label);
	fprintf(file, "Minimum,%.1f\nAverage,%.1f\nMaximum,%.1f\n",
		us((double)status.min_ns), us(status.mean_ns),
		us((double)status.max_ns));
	fprintf(file, "Standard Deviation,%.1f\nCount,%" PRIu64 "\n",
		us(status.deviation_ns), status.count);
	fprintf(file, "Lower Bound,Count\n");
	print_bins(file, &tally->trltp[id]);
}

void tw_report_trltp(FILE *file, const struct tw_report *report)
{
	const struct tw_session *session = report->session;
	size_t i;
	int step;

	for (step = 0; step < session->steps_done; step++) {
		fprintf(file, "%sWorkers,%d\n", step ? "\n" : "",
			session->steps[step].workers);
		for (i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
			print_metric(file, session->steps[step].pair->tally,
				     metrics[i]);
	}
}
