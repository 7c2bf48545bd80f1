/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output: the text and the result files of the parts. All are opened before
 * the measurement starts, and committed after it. A slow reader (pipe,
 * terminal) delays neither the measurement nor the regular files.
 *
 * All functions here are called by main.
 */
#ifndef TW_OUTPUT_H
#define TW_OUTPUT_H

#include <stdbool.h>

#include "base/tw_file.h"
#include "frame/tw_part.h"

#define TW_ERROR_MAX	768
#define TW_OUTPUT_KEPT	(1 << 20)	/* bytes kept for a slow reader */

/* How results are shown: -q, -v, -M, -N and -u. */
struct tw_show {
	bool quiet;
	bool verbose;
	bool refresh_on_max;
	bool nsecs;
	bool unbuffered;
};

struct tw_output {
	struct tw_file text;	/* stdout, or stderr */
	/* Draws the display, a @last time; NULL: there is none. */
	void (*draw)(struct tw_run *run, bool last);
	bool silent;		/* no display, whatever there is */
	int err;		/* first error in writing, -errno; or 0 */
	char error[TW_ERROR_MAX];	/* its message for the user */
};

/* The status lines; tw_part_display draws them in the display. */
extern const struct tw_part tw_part_output;

/* Whether the cycles are to be printed, by -v; and whether the display is. */
bool tw_output_shows_cycles(const struct tw_run *run);
bool tw_output_shows_live(const struct tw_run *run);

/*
 * Opens all files. Returns 0; or -errno and a message in output->error, also if
 * two options name the same file.
 */
int tw_output_open(struct tw_run *run);

/* Called after SIGUSR1: prints the status lines on stderr. */
void tw_output_status(struct tw_run *run);

/*
 * Writes and commits all results. If one file fails, the others are still
 * written. Of the files that wait for no reader, the one with the exit status
 * is last, and it is written again if a later file fails. Returns 0; or the
 * first error (-errno), with a message in output->error.
 */
int tw_output_finish(struct tw_run *run);

/*
 * Returns the time that readers may pause at the end, in ms; -1: no limit,
 * until a signal. The time is short after a signal that was not typed at a
 * terminal, because then there may be no user.
 */
int tw_output_patience_ms(const struct tw_run *run);

/* Deletes all files that were not committed. */
void tw_output_close(struct tw_run *run);

/* Refuses "-" as the name of most files. Returns 0 or -EINVAL. */
int tw_output_check(struct tw_run *run);

/*
 * For parts. tw_output_judge() stores that @file failed with @err; 0 is no
 * failure. tw_output_push() writes what the reader accepts within @ms; if the
 * reader is slow, that is no failure. Both return 0 or -errno.
 */
int tw_output_judge(struct tw_run *run, const struct tw_file *file, int err);
int tw_output_push(struct tw_run *run, struct tw_file *file, int ms);

/* Prints the histogram, percentiles and remarks of all parts. */
void tw_output_remarks(FILE *file, const struct tw_run *run);

#endif /* TW_OUTPUT_H */
