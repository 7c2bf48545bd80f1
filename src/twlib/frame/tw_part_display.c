// SPDX-License-Identifier: GPL-2.0-or-later
/* The display during the run, and the status lines that it leaves. */
#include <stdio.h>

#include "frame/tw_live.h"
#include "frame/tw_run.h"

#define DISPLAY_MS	100

static struct tw_live live;

static void draw(struct tw_run *run, bool last)
{
	struct tw_columns columns;

	if (!last && !tw_live_is_seen(&live))
		return;
	columns = run->program->columns(run);
	tw_live_draw(&live, run->output.text.flow.stream, &(struct tw_view) {
		.columns = &columns, .policy = run->program->policy(run),
		.step = run->program->progress ?
			run->program->progress(run) : "",
		.on_max = run->show->refresh_on_max, .last = last,
	});
}

static int check(struct tw_run *run)
{
	run->output.draw = draw;
	live.loadavg_fd = -1;
	return 0;
}

static int open_display(struct tw_run *run)
{
	if (!tw_output_shows_live(run))
		return 0;
	tw_live_open(&live, run->output.text.flow.fd);
	if (run->argc == 1 && live.terminal >= 0 && run->program->hint_first)
		fprintf(run->output.text.flow.stream, "%s\n",
			run->program->hint_first);
	tw_run_tick_at(run, DISPLAY_MS);
	return 0;
}

static int begin(struct tw_run *run)
{
	(void)run;
	tw_live_leave(&live);
	return 0;
}

static void close_display(struct tw_run *run)
{
	(void)run;
	tw_live_close(&live);
}

const struct tw_part tw_part_display = {
	.name = "display", .check = check, .open = open_display,
	.begin = begin, .close = close_display,
};
