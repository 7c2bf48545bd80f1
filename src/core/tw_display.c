// SPDX-License-Identifier: GPL-2.0-or-later
/* The status while the test measures, if standard output is a terminal. */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "tw_part.h"
#include "tw_text.h"

#define TICK_MS	100

static bool on, on_max;

static const struct tw_option options[] = {
	{ 'M', "refresh_on_max", no_argument, NULL, tw_option_flag, &on_max,
	  .help = "redraw the display only when a maximum has grown" },
	{ .name = NULL }
};

static void begin(struct tw_run *run)
{
	on = !tw_config.quiet && !tw_config.verbose && !tw_config.silent &&
	     isatty(STDOUT_FILENO);
	if (on && run->tick_ms < 0)
		run->tick_ms = TICK_MS;
}

/* Whether a maximum is not as it was at the last call. */
static bool max_has_changed(const struct tw_run *run)
{
	static int64_t last_ns = -1;
	int64_t before_ns = last_ns;
	int i;

	for (last_ns = 0, i = 0; i < tw_text_columns(); i++)
		last_ns += run->pairs[tw_text_pair(i)]->tally.results.
			   stats[tw_text_metric(i)].max_ns;
	return last_ns != before_ns;
}

/*
 * Over what was printed before. ?7l: the terminal cuts a line that is too wide,
 * so that it stays one; K: erases to its end; A: moves up.
 */
static void redraw(struct tw_run *run)
{
	struct winsize window = { .ws_row = 0 };
	double load[3] = { 0 };
	int lines;

	if (!on || (on_max && !max_has_changed(run)))
		return;
	getloadavg(load, 3);
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) || window.ws_row < 4)
		window.ws_row = 24;
	printf("\033[?7l\033[Kpolicy: %s: loadavg: %.2f %.2f %.2f\n\033[K\n",
	       tw_config_policy(tw_config.policy), load[0], load[1], load[2]);
	lines = tw_text_lines(stdout, run, window.ws_row - 3);
	printf("\033[?7h\033[%dA", lines + 2);
	fflush(stdout);
}

static void end(struct tw_run *run)
{
	if (on)
		printf("\033[J");
}

const struct tw_part tw_part_display = {
	.options = options, .begin = begin, .woken = redraw, .end = end,
};
