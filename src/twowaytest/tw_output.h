/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output: stdout and the result files. All are opened before the
 * measurement starts, and committed after it. A slow reader (pipe, terminal)
 * delays neither the measurement nor the regular files.
 *
 * All functions here are called by main.
 */
#ifndef TW_OUTPUT_H
#define TW_OUTPUT_H

#include "tw_file.h"
#include "tw_report.h"

struct tw_output {
	struct tw_report *report;
	struct tw_file text;	/* stdout, or stderr */
	struct tw_file trace;
	struct tw_file json;
	struct tw_file histogram;
	struct tw_file dump;
	struct tw_file trltp;
	struct tw_live live;
	int partial_ms;		/* interval of partial JSON; 0: none */
	int64_t partial_ns;	/* time of the next; CLOCK_MONOTONIC */
	int err;		/* first error in writing, -errno; or 0 */
	char error[TW_ERROR_MAX];	/* its message for the user */
};

/*
 * Opens all files. Returns 0; or -errno and a message in output->error, also if
 * two options name the same file.
 */
int tw_output_open(struct tw_output *output, struct tw_report *report);

/* Sets the functions that the session calls during the run. */
void tw_output_watch(struct tw_output *output, struct tw_watch *watch);

/* The lines before and after each step of a ramp; without a ramp, nothing. */
void tw_output_begin_step(struct tw_output *output);
void tw_output_end_step(struct tw_output *output);

/*
 * Writes and commits all results. If one file fails, the others are still
 * written. Of the files that wait for no reader, the JSON is last, and it is
 * written again if a later file fails, because it contains the exit status.
 * Returns 0; or the first error (-errno), with a message in output->error.
 */
int tw_output_finish(struct tw_output *output);

/*
 * Returns the time that readers may pause at the end, in ms; -1: no limit,
 * until a signal. The time is short after a signal that was not typed at a
 * terminal, because then there may be no user.
 */
int tw_output_patience_ms(const struct tw_output *output);

/* Deletes all files that were not committed. */
void tw_output_close(struct tw_output *output);

/*
 * --check: writes the findings instead of results. Returns 0, or -errno and
 * output->error.
 */
int tw_output_check(struct tw_output *output);

/*
 * Internal. tw_output_judge() stores that @file failed with @err; 0 is no
 * failure. tw_output_push() writes what the reader accepts within @ms; if the
 * reader is slow, that is no failure. Both return 0 or -errno.
 */
int tw_output_judge(struct tw_output *output, const struct tw_file *file,
		    int err);
int tw_output_push(struct tw_output *output, struct tw_file *file, int ms);

/*
 * Writes the JSON result to @to, with the members that @members writes. Returns
 * 0 or -errno.
 */
int tw_output_json(struct tw_report *report, FILE *to,
		   void (*members)(FILE *file, void *data));

/*
 * During long runs, a partial JSON is written beside the final file.
 * tw_output_partial_ms() returns the interval, 0: never. Call
 * tw_output_partial() at ticks: it writes the JSON if it is time; errors are
 * ignored.
 */
int tw_output_partial_ms(const struct tw_output *output);
void tw_output_partial(struct tw_output *output);

/* With --trltp, main sleeps during the measurement and shows nothing. */
bool tw_output_shows_live(const struct tw_config *config);

/* Prints the final status lines of a step, or of a run without a ramp. */
void tw_output_last_status(struct tw_output *output);

#endif /* TW_OUTPUT_H */
