/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A display on a pseudoterminal, drawn of the run in report.h. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "frame/tw_live.h"
#include "report.h"

#define CLEAR		"\033[K\n"

static struct tw_live live;
static int master, slave;

static inline void draw_view(FILE *file, const struct tw_run *run, bool last)
{
	const struct tw_columns shown = run->program->columns(run);

	tw_live_draw(&live, file, &(struct tw_view) {
		.columns = &shown, .policy = run->program->policy(run),
		.step = run->program->progress(run),
		.on_max = run->show->refresh_on_max, .last = last,
	});
}

static inline void draw(FILE *file, const struct tw_run *run)
{
	draw_view(file, run, false);
}

static inline void draw_last(FILE *file, const struct tw_run *run)
{
	draw_view(file, run, true);
}

static inline void set_size(unsigned short columns, unsigned short rows)
{
	struct winsize size = { .ws_col = columns, .ws_row = rows };

	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
}

static inline int open_terminal(void **state)
{
	(void)state;
	master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || grantpt(master) || unlockpt(master)) {
		print_message("no pseudoterminals here\n");
		return -1;
	}
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0)
		return -1;
	tw_live_open(&live, slave);
	return 0;
}

static inline int close_terminal(void **state)
{
	(void)state;
	tw_live_close(&live);
	tw_live_close(&live);
	close(slave);
	close(master);
	return 0;
}

#endif /* TERMINAL_H */
