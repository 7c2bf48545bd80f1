/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What users see. Columns (and status lines, and "threads" in JSON) are
 * the metrics of --metrics, in that order, of each pair in turn. Input is
 * const; every function writes to the stream it is given, and leaves it to
 * the caller to ask the stream for errors.
 */
#ifndef TW_REPORT_H
#define TW_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tw_check.h"
#include "tw_config.h"
#include "tw_cycle.h"
#include "tw_session.h"
#include "tw_survey.h"

struct tw_report {
	const struct tw_config *config;
	const struct tw_session *session;
	const struct tw_survey *survey;	/* NULL: nobody asked */
	bool partial;		/* the run has not ended yet */
	int return_code;
	const char *error;	/* of writing the results; empty: none */
	uint64_t not_printed;	/* cycles that -v lacks: a slow reader */
	uint64_t not_dumped;	/* likewise --dump, beside those in the rings */
	int argc;		/* the command line, as given */
	char **argv;
};

/* What the kernel said of @role when it was set up, and at the end. */
void tw_report_settings(const struct tw_report *report, enum tw_role role,
			const struct tw_settings **begin,
			const struct tw_settings **end);

/* In the unit that the user wants: whole us, rounded down, or ns. */
int64_t tw_report_value(const struct tw_config *config, int64_t ns);
double tw_report_real(const struct tw_config *config, double ns);

/* Number of a cycle as users see it: measured ones, from 0. */
uint64_t tw_report_cycle_number(const struct tw_report *report,
				const struct tw_cycle *cycle);

/* Cycles, of all steps, that --dump lacks. */
uint64_t tw_report_not_dumped(const struct tw_report *report);

#define TW_STATUS_MAX	256

/* One status line a column; a single one, without its end. */
void tw_report_status(FILE *file, const struct tw_report *report);
void tw_report_status_line(char line[TW_STATUS_MAX],
			   const struct tw_report *report, int column,
			   const struct tw_status *status);

/* -v: one n:c:v line a column. */
void tw_report_cycle(FILE *file, const struct tw_report *report,
		     unsigned int pair, const struct tw_cycle *cycle);

/* --dump: one CSV line; first the header line. */
void tw_report_dump_header(FILE *file);
void tw_report_dump(FILE *file, const struct tw_report *report,
		    unsigned int pair, const struct tw_cycle *cycle);

/* The histograms with the lines that belong to them. */
void tw_report_histogram(FILE *file, const struct tw_report *report);

/* --percentiles: one line a metric; nothing if not asked for. */
void tw_report_percentiles(FILE *file, const struct tw_report *report);

/* What a run without a histogram ends with, below the status lines. */
void tw_report_remarks(FILE *file, const struct tw_report *report);

/* The means of all metrics. */
void tw_report_means(const struct tw_tally *tally,
		     double means_ns[TW_METRICS]);

/*
 * A cycle in one line: when and where it was, its phases beside their means,
 * and which share each has of metric @id's excess. @means_ns: NULL if no
 * cycle was before it.
 */
void tw_report_kept(FILE *file, const struct tw_report *report,
		    const struct tw_kept *kept,
		    const double means_ns[TW_METRICS], enum tw_metric_id id);

/* --worst, --spike, -b, --limit: nothing if not asked for. */
void tw_report_worst(FILE *file, const struct tw_report *report);
void tw_report_spikes(FILE *file, const struct tw_report *report);
void tw_report_break(FILE *file, const struct tw_report *report);
void tw_report_limits(FILE *file, const struct tw_report *report);

/* False if a limit is exceeded, or cannot be judged. */
bool tw_report_within_limits(const struct tw_report *report);

/* --trace-file: what was traced, the cycle's stamps among it. */
void tw_report_trace(FILE *file, const struct tw_report *report);

/* How far a CPU counter, if that is the clock, ran ahead. */
void tw_report_drift(FILE *file, const struct tw_report *report);

/* -v: what measuring costs. */
void tw_report_cost(FILE *file, const struct tw_report *report);

/* "# Step 2/16: load fft, 1 worker" */
void tw_report_step(FILE *file, const struct tw_report *report);

/* What a ramp ends with: a row a step. */
void tw_report_ramp(FILE *file, const struct tw_report *report);

/* --trltp-log */
void tw_report_trltp(FILE *file, const struct tw_report *report);

/* Pieces of work that the load did in a second of a step. */
double tw_report_work_rate(const struct tw_step_result *step);

/* The callback of rt_write_json(); @data is a struct tw_report. */
void tw_report_json(FILE *file, void *data);

/* The same for --check, which has no session. */
void tw_report_json_check(FILE *file, void *data);

/* Its parts that stand in files of their own, each with its comma. */
void tw_report_json_threads(FILE *file, const struct tw_config *config,
			    const struct tw_pair *pair);
void tw_report_json_load(FILE *file, const struct tw_report *report);
void tw_report_json_steps(FILE *file, const struct tw_report *report);
void tw_report_json_cost(FILE *file, const struct tw_report *report);
void tw_report_json_worst(FILE *file, const struct tw_report *report);
void tw_report_json_break(FILE *file, const struct tw_report *report);
void tw_report_json_limits(FILE *file, const struct tw_report *report);

/* The members of a cycle that is kept, without braces. */
void tw_report_json_kept(FILE *file, const struct tw_report *report,
			 const struct tw_kept *kept);

/* "environment", with its comma: all that is known, and what to fix. */
void tw_report_json_environ(FILE *file, const struct tw_environ *env,
			    const struct tw_finding findings[TW_CHECKS]);

/* --check: a row a check, below a finding why and what fixes it; a sum. */
void tw_report_check(FILE *file, const struct tw_finding findings[TW_CHECKS]);

/* The display while the run lasts: on a terminal. */
struct tw_live {
	int loadavg_fd;
	int terminal;		/* its descriptor; -1: shown at the end only */
	int lines;		/* that were drawn last */
	int64_t shown_max_ns[TW_METRICS];
};

/* @fd: what it is to be written to. */
void tw_live_open(struct tw_live *live, int fd);

/*
 * Draws it, over what was drawn before, as wide and high as the terminal is;
 * the last time, also with -M, and without a terminal.
 */
void tw_live_draw(struct tw_live *live, FILE *file,
		  const struct tw_report *report, bool last);

/* Leaves what was drawn: the next picture stands below it. */
void tw_live_leave(struct tw_live *live);

void tw_live_close(struct tw_live *live);

#endif /* TW_REPORT_H */
