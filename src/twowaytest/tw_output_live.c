// SPDX-License-Identifier: GPL-2.0-or-later
/* Output during the measurement. It never waits for a slow reader. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tw_output.h"
#include "tw_time.h"

#define DISPLAY_MS	100
#define CYCLES_MS	25	/* the ring holds more than comes meanwhile */
#define SLOW_MS		10	/* the share of that for a slow reader */
#define STATUS_MS	100	/* SIGUSR1's lines may wait for their reader */
#define KEPT_MAX	(1 << 20)	/* bytes of cycles, for a slow reader */

bool tw_output_shows_live(const struct tw_config *config)
{
	return !config->quiet && !config->verbose && !config->reference;
}

static int on_tick(void *arg)
{
	struct tw_output *output = arg;
	const struct tw_config *config = output->report->config;
	struct tw_flow *text = &output->text.flow;
	int err = 0;

	tw_output_partial(output);
	/* Nobody sees a picture that waits for the one before. */
	if (tw_output_shows_live(config) && !tw_flow_behind(text))
		tw_live_draw(&output->live, text->stream, output->report,
			     false);
	/* A reader that is only slow gets some time before cycles are lost. */
	if (!config->quiet)
		err = tw_output_push(output, &output->text,
				     tw_flow_behind(text) > KEPT_MAX / 2 ?
				     SLOW_MS : 0);
	/* A file, too: a killed run is to leave what there was by now. */
	if (!err && config->dump)
		err = tw_output_push(output, &output->dump, 0);
	return err;
}

static int on_cycle(void *arg, unsigned int pair, const struct tw_cycle *cycle)
{
	struct tw_output *output = arg;
	struct tw_report *report = output->report;
	const struct tw_config *config = report->config;
	struct tw_flow *text = &output->text.flow, *dump = &output->dump.flow;

	if (config->verbose && !config->quiet) {
		if (tw_flow_behind(text) < KEPT_MAX)
			tw_report_cycle(text->stream, report, pair, cycle);
		else
			report->not_printed++;
		if (config->unbuffered)
			tw_flow_push(text, 0);
	}
	if (!config->dump)
		return 0;
	if (tw_flow_behind(dump) < KEPT_MAX)
		tw_report_dump(dump->stream, report, pair, cycle);
	else
		report->not_dumped++;
	return tw_output_judge(output, &output->dump, dump->err);
}

/* Dropped rather than waited for. */
static void on_status(void *arg)
{
	static const char rule[] = "#---------------------------\n";
	struct tw_output *output = arg;
	struct tw_file file;

	if (tw_file_use(&file, STDERR_FILENO))
		return;
	fputs(rule, file.flow.stream);
	tw_report_status(file.flow.stream, output->report);
	fputs(rule, file.flow.stream);
	tw_flow_push(&file.flow, STATUS_MS);
	tw_file_abort(&file);
}

void tw_output_watch(struct tw_output *output, struct tw_watch *watch)
{
	const struct tw_config *config = output->report->config;

	memset(watch, 0, sizeof(*watch));
	watch->arg = output;
	watch->cycle = on_cycle;
	watch->status = on_status;
	if (config->dump || (config->verbose && !config->quiet))
		watch->tick_ms = CYCLES_MS;
	else if (tw_output_shows_live(config))
		watch->tick_ms = DISPLAY_MS;
	else
		watch->tick_ms = output->partial_ms;
	output->partial_ns = tw_now_ns(CLOCK_MONOTONIC) +
			     output->partial_ms * TW_NS_PER_MS;
	if (!config->quiet || config->dump || output->partial_ms)
		watch->tick = on_tick;
}

void tw_output_last_status(struct tw_output *output)
{
	const struct tw_config *config = output->report->config;
	FILE *to = output->text.flow.stream;

	if (tw_output_shows_live(config))
		tw_live_draw(&output->live, to, output->report, true);
	else if (!config->verbose || config->quiet)
		tw_report_status(to, output->report);
}

void tw_output_begin_step(struct tw_output *output)
{
	const struct tw_report *report = output->report;

	tw_live_leave(&output->live);
	if (report->config->steps > 1)
		tw_report_step(output->text.flow.stream, report);
	tw_output_push(output, &output->text, 0);
}

void tw_output_end_step(struct tw_output *output)
{
	const struct tw_config *config = output->report->config;

	if (config->steps == 1)
		return;
	if (!config->histogram_us)
		tw_output_last_status(output);
	tw_output_push(output, &output->text, 0);
}
