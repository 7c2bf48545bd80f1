// SPDX-License-Identifier: GPL-2.0-or-later
/* Output during the measurement. It never waits for a slow reader. */
#include <stdio.h>
#include <unistd.h>

#include "frame/tw_run.h"

#define SLOW_MS		10	/* the share of a tick for a slow reader */
#define STATUS_MS	100	/* SIGUSR1's lines may wait for their reader */

static struct tw_show set;
static const struct tw_show initial;

static const struct tw_option options[] = {
	{ 'N', "nsecs", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.nsecs,
	  .help = "print nanoseconds instead of microseconds" },
	{ 'q', "quiet", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.quiet,
	  .help = "print the results only, at the end" },
	{ 'M', "refresh_on_max", TW_NO_ARGUMENT, NULL, tw_option_flag,
	  &set.refresh_on_max,
	  .help = "redraw the display only when a maximum has grown" },
	{ 'u', "unbuffered", TW_NO_ARGUMENT, NULL, tw_option_flag,
	  &set.unbuffered, .help = "do not buffer the output" },
	{ 'v', "verbose", TW_NO_ARGUMENT, NULL, tw_option_flag, &set.verbose,
	  .help = "print every value as n:c:v, column, cycle, value" },
	{ .name = NULL }
};

bool tw_output_shows_cycles(const struct tw_run *run)
{
	return run->show->verbose && !run->show->quiet;
}

bool tw_output_shows_live(const struct tw_run *run)
{
	return run->output.draw && !run->output.silent &&
	       !run->show->quiet && !run->show->verbose;
}

static int tick(struct tw_run *run)
{
	struct tw_flow *text = &run->output.text.flow;

	/* Not while the reader still has the previous one to read. */
	if (tw_output_shows_live(run) && !tw_flow_behind(text))
		run->output.draw(run, false);
	if (run->show->quiet)
		return 0;
	/* Wait a little for a slow reader before cycles are dropped. */
	return tw_output_push(run, &run->output.text,
			      tw_flow_behind(text) > TW_OUTPUT_KEPT / 2 ?
			      SLOW_MS : 0);
}

/* Dropped rather than waited for. */
void tw_output_status(struct tw_run *run)
{
	static const char rule[] = "#---------------------------\n";
	const struct tw_columns columns = run->program->columns(run);
	struct tw_file file;

	if (tw_file_use(&file, STDERR_FILENO))
		return;
	fputs(rule, file.flow.stream);
	tw_status_print(file.flow.stream, &columns);
	fputs(rule, file.flow.stream);
	tw_flow_push(&file.flow, STATUS_MS);
	tw_file_abort(&file);
}

static void print_status(struct tw_run *run)
{
	struct tw_columns columns;

	if (tw_output_shows_live(run)) {
		run->output.draw(run, true);
	} else if (!tw_output_shows_cycles(run)) {
		columns = run->program->columns(run);
		tw_status_print(run->output.text.flow.stream, &columns);
	}
}

static int begin(struct tw_run *run)
{
	tw_output_push(run, &run->output.text, 0);
	return 0;
}

static void end(struct tw_run *run)
{
	if (run->interrupted || run->output.err)
		run->over = true;
	if (run->steps == 1 || run->err)
		return;
	if (!run->window_us)
		print_status(run);
	tw_output_push(run, &run->output.text, 0);
}

static void finish(struct tw_run *run)
{
	if (run->started && run->steps == 1 && !run->window_us)
		print_status(run);
}

static int check(struct tw_run *run)
{
	run->show = &set;
	return tw_output_check(run);
}

const struct tw_part tw_part_output = {
	.name = "output", .options = options, TW_SETTINGS(set, initial),
	.check = check, .begin = begin, .tick = tick, .end = end,
	.finish = finish,
};
