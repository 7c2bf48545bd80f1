/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the results go: stdout and the files that were asked for. Opened
 * before anything is measured, committed after. A reader that pauses holds up
 * nothing while the test runs, and no regular file after it.
 */
#ifndef TW_OUTPUT_H
#define TW_OUTPUT_H

#include "tw_file.h"
#include "tw_report.h"

struct tw_output {
	struct tw_report *report;
	struct tw_file text;	/* for the user to read */
	struct tw_file trace;
	struct tw_file json;
	struct tw_file histogram;
	struct tw_file dump;
	struct tw_file trltp;
	struct tw_live live;
	int partial_ms;		/* from one partial JSON to the next; 0: none */
	int64_t partial_ns;	/* when the next is due, CLOCK_MONOTONIC */
	int err;		/* of what could not be written first; or 0 */
	char error[TW_ERROR_MAX];	/* that, as users are told */
};

/*
 * 0, or -errno and a message in output->error: also if two options name the
 * same file.
 */
int tw_output_open(struct tw_output *output, struct tw_report *report);

/* Fills in what main is to be told of while the run lasts. */
void tw_output_watch(struct tw_output *output, struct tw_watch *watch);

/* What a ramp prints before and after each step; nothing without a ramp. */
void tw_output_begin_step(struct tw_output *output);
void tw_output_end_step(struct tw_output *output);

/*
 * Prints and commits all results; what can't be written does not keep the
 * rest from being. The JSON comes last of those that wait for no reader, and
 * again if one of these fails: it tells the final return code. 0, or -errno
 * and in output->error the first that failed.
 */
int tw_output_finish(struct tw_output *output);

/*
 * How long those who read may pause at the end, in ms: not long after a
 * signal that nobody typed, as nobody may be there; -1: until a signal comes.
 */
int tw_output_patience_ms(const struct tw_output *output);

/* Drops what was not committed. */
void tw_output_close(struct tw_output *output);

/*
 * --check: prints and writes what was found, instead of all that. 0, or
 * -errno and output->error.
 */
int tw_output_check(struct tw_output *output);

/*
 * For the output itself: notes that @file could not be written, where 0 is no
 * failure; hands on what the reader will take within @ms, where only an error
 * is one. Both return @err, or 0.
 */
int tw_output_judge(struct tw_output *output, const struct tw_file *file,
		    int err);
int tw_output_push(struct tw_output *output, struct tw_file *file, int ms);

/* What tw_report_json() or the like prints, to @to. 0 or -errno. */
int tw_output_json(struct tw_report *report, FILE *to,
		   void (*members)(FILE *file, void *data));

/*
 * How often a long run writes its JSON so far, beside the file that it is to
 * be; 0: never. At ticks: writes it if it is due, and if it can be.
 */
int tw_output_partial_ms(const struct tw_output *output);
void tw_output_partial(struct tw_output *output);

/* The reference set-up leaves main asleep while it measures. */
bool tw_output_shows_live(const struct tw_config *config);

/* The status lines that a step, or a run without a ramp, ends with. */
void tw_output_last_status(struct tw_output *output);

#endif /* TW_OUTPUT_H */
