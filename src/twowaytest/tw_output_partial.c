// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes the partial JSON of a long run. If the run is killed or the machine
 * crashes, little is lost.
 */
#include <stdlib.h>
#include <time.h>

#include "tw_output.h"
#include "tw_time.h"

#define PARTIAL_MS	60000
#define LONG_S		120	/* writing disturbs: shorter ones go without */

/* As far as it can be told before. */
static bool is_long(const struct tw_config *config)
{
	int64_t cycle_us = config->interval_us ? config->interval_us :
						 config->sleep_us;
	double step_s = 1e300;

	if (config->duration_s)
		step_s = (double)config->duration_s;
	if (config->loops && (double)config->loops * (double)cycle_us / 1e6 <
			     step_s)
		step_s = (double)config->loops * (double)cycle_us / 1e6;
	return step_s * (double)config->steps > LONG_S;
}

int tw_output_partial_ms(const struct tw_output *output)
{
	const struct tw_file *json = &output->json;

	return json->flow.stream && !json->direct &&
	       is_long(output->report->config) ? PARTIAL_MS : 0;
}

/* A report of what there is by now, of which @sum is all steps together. */
static int print(struct tw_output *output, struct tw_pair *sum, FILE *to)
{
	struct tw_session session = *output->report->session;
	struct tw_report report = *output->report;
	struct tw_step_result only = session.steps[0];

	only.pair = sum;
	if (session.steps_done == 1)
		session.steps = &only;
	session.pair = sum;
	report.session = &session;
	report.partial = true;
	report.return_code = EXIT_FAILURE;
	report.error = "these are partial results: the test had not ended when they were written";
	return tw_output_json(&report, to, tw_report_json);
}

/* 0 or -errno. */
static int write_partial(struct tw_output *output, struct tw_pair *sum)
{
	struct tw_file file;
	int err = tw_file_open_partial(&file, &output->json);

	if (err)
		return err;
	err = print(output, sum, file.flow.stream);
	if (!err)
		return tw_file_commit(&file, -1);
	tw_file_abort(&file);
	return err;
}

void tw_output_partial(struct tw_output *output)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	int64_t period_ns = output->partial_ms * TW_NS_PER_MS;
	struct tw_pair *sum;

	if (!period_ns || now_ns < output->partial_ns)
		return;
	/* The next tick may come a little less than a period after this. */
	output->partial_ns = now_ns + period_ns - period_ns / 8;
	sum = tw_session_sum(output->report->session);
	/* What can't be written now is complained of at the end, if ever. */
	if (sum && sum->tally->cycles && !write_partial(output, sum))
		output->json.has_partial = true;
	tw_session_drop(&sum);
}
