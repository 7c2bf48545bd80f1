// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports the load, and the table at the end of a ramp. */
#include <inttypes.h>
#include <stdio.h>

#include "tw_report.h"
#include "tw_time.h"

double tw_report_work_rate(const struct tw_step_result *step)
{
	double seconds = (double)step->elapsed_ns / (double)TW_NS_PER_S;

	return seconds > 0 ? (double)step->work / seconds : 0;
}

void tw_report_step(FILE *file, const struct tw_report *report)
{
	const struct tw_session *session = report->session;
	const struct tw_load_ops *load = report->config->load;
	int workers = session->steps[session->step].workers;

	fprintf(file, "# Step %d/%d: load %s, %d %s\n", session->step + 1,
		(int)report->config->steps, load->name, workers,
		workers == 1 ? load->one : load->many);
}

static void print_step(FILE *file, const struct tw_report *report,
		       const struct tw_step_result *step)
{
	const struct tw_config *config = report->config;
	const struct tw_tally *tally = step->pair->tally;
	const struct tw_status total = tw_tally_status(tally, TW_TOTAL);

	fprintf(file, "# %9d ", step->workers);
	if (total.count)
		fprintf(file, "%8" PRId64 " %8" PRId64 " %8" PRId64 " %8.1f",
			tw_report_value(config, total.min_ns),
			tw_report_value(config, (int64_t)total.mean_ns),
			tw_report_value(config, total.max_ns),
			tw_report_real(config, total.deviation_ns));
	else
		fprintf(file, "%8s %8s %8s %8s", "-", "-", "-", "-");
	fprintf(file, " %8" PRIu64 " %9" PRIu64 " %8.1f\n", tally->missed,
		tally->throttled, tw_report_work_rate(step));
}

void tw_report_ramp(FILE *file, const struct tw_report *report)
{
	const struct tw_session *session = report->session;
	const struct tw_load_ops *load = report->config->load;
	int i;

	fprintf(file, "# Total against load %s, in %s; work: %s a second\n",
		load->name, report->config->nsecs ? "ns" : "us", load->work);
	fprintf(file, "# %9s      min      avg      max      std   missed throttled     work\n",
		load->many);
	for (i = 0; i < session->steps_done; i++)
		print_step(file, report, &session->steps[i]);
}
