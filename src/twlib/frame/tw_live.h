/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The display on a terminal during the run. Called by main. */
#ifndef TW_LIVE_H
#define TW_LIVE_H

#include "frame/tw_column.h"

struct tw_live {
	int loadavg_fd;
	int terminal;		/* descriptor; -1: no terminal */
	int lines;		/* number of lines drawn last time */
	uint64_t shown_max_ns;	/* sum of the maxima drawn last time */
};

/* What is drawn. */
struct tw_view {
	const struct tw_columns *columns;
	const char *policy;
	const char *step;	/* a line on the progress; or "" */
	bool on_max;		/* only if a maximum has grown, */
	bool last;		/* but in any case at the end */
};

/* @fd: the output, a terminal or not. */
void tw_live_open(struct tw_live *live, int fd);

/*
 * Whether anybody sees a display. If not, call tw_live_draw() at the end only:
 * making columns takes the data from who measures.
 */
static inline bool tw_live_is_seen(const struct tw_live *live)
{
	return live->terminal >= 0;
}

/*
 * Draws the display over the previous one, within the size of the terminal.
 */
void tw_live_draw(struct tw_live *live, FILE *file,
		  const struct tw_view *view);

/* Keeps what was drawn; the next display is below it. */
void tw_live_leave(struct tw_live *live);

void tw_live_close(struct tw_live *live);

#endif /* TW_LIVE_H */
