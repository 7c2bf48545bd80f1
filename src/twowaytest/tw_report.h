/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text, JSON and CSV output. A column (also a status line, and an entry of
 * "threads" in JSON) is a metric of --metrics, in that order, for each pair.
 * The functions write to @file and do not check for errors; the caller does
 * this with ferror(). The report is not changed.
 *
 * All functions here are called by main.
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
	const struct tw_survey *survey;	/* NULL: not requested */
	bool partial;		/* the run has not ended yet */
	int return_code;
	const char *error;	/* error in writing results; "": none */
	uint64_t not_printed;	/* cycles that -v left out: slow reader */
	uint64_t not_dumped;	/* the same for --dump; add lost of rings */
	int argc;		/* the command line */
	char **argv;
};

/* The kernel's settings of @role, at the start and at the end of the run. */
void tw_report_settings(const struct tw_report *report, enum tw_role role,
			const struct tw_settings **begin,
			const struct tw_settings **end);

/* Converts ns to the user's unit: us (integers are rounded down) or ns. */
int64_t tw_report_value(const struct tw_config *config, int64_t ns);
double tw_report_real(const struct tw_config *config, double ns);

/* Number of a measured cycle in reports, from 0. */
uint64_t tw_report_cycle_number(const struct tw_report *report,
				const struct tw_cycle *cycle);

/* Number of cycles that --dump does not contain, over all steps. */
uint64_t tw_report_not_dumped(const struct tw_report *report);

#define TW_STATUS_MAX	256

/* Prints a status line for each column; or writes one, without newline. */
void tw_report_status(FILE *file, const struct tw_report *report);
void tw_report_status_line(char line[TW_STATUS_MAX],
			   const struct tw_report *report, int column,
			   const struct tw_status *status);

/* -v: prints a line "n:c:v" for each column. */
void tw_report_cycle(FILE *file, const struct tw_report *report,
		     unsigned int pair, const struct tw_cycle *cycle);

/* --dump: prints the header line; prints a cycle as a CSV line. */
void tw_report_dump_header(FILE *file);
void tw_report_dump(FILE *file, const struct tw_report *report,
		    unsigned int pair, const struct tw_cycle *cycle);

/* The histograms, and the summary lines below them. */
void tw_report_histogram(FILE *file, const struct tw_report *report);

/* --percentiles: a line for each metric; nothing if not requested. */
void tw_report_percentiles(FILE *file, const struct tw_report *report);

/* The notes below the status lines, in a run without a histogram. */
void tw_report_remarks(FILE *file, const struct tw_report *report);

/* Stores the means of all metrics. */
void tw_report_means(const struct tw_tally *tally,
		     double means_ns[TW_METRICS]);

/*
 * Prints a cycle in one line: time, CPUs, the phases with their means, and the
 * share of each phase in the excess of metric @id. @means_ns: NULL if there was
 * no cycle before.
 */
void tw_report_kept(FILE *file, const struct tw_report *report,
		    const struct tw_kept *kept,
		    const double means_ns[TW_METRICS], enum tw_metric_id id);

/* --worst, --spike, -b, --limit: nothing if not requested. */
void tw_report_worst(FILE *file, const struct tw_report *report);
void tw_report_spikes(FILE *file, const struct tw_report *report);
void tw_report_break(FILE *file, const struct tw_report *report);
void tw_report_limits(FILE *file, const struct tw_report *report);

/* Returns false if a limit was exceeded or could not be decided. */
bool tw_report_within_limits(const struct tw_report *report);

/* --trace-file: the trace, with the times of the cycle inserted. */
void tw_report_trace(FILE *file, const struct tw_report *report);

/* Drift of a CPU counter; nothing with other clocks. */
void tw_report_drift(FILE *file, const struct tw_report *report);

/* -v: cost of measuring. */
void tw_report_cost(FILE *file, const struct tw_report *report);

/* "# Step 2/16: load fft, 1 worker" */
void tw_report_step(FILE *file, const struct tw_report *report);

/* The table at the end of a ramp: a row for each step. */
void tw_report_ramp(FILE *file, const struct tw_report *report);

/* --trltp-log */
void tw_report_trltp(FILE *file, const struct tw_report *report);

/* Returns the work of the load in a step, in units per second. */
double tw_report_work_rate(const struct tw_step_result *step);

/* Callback for rt_write_json(). @data: struct tw_report. */
void tw_report_json(FILE *file, void *data);

/* The same for --check, without a session. */
void tw_report_json_check(FILE *file, void *data);

/* Internal: parts of the JSON in other files, each with its comma. */
void tw_report_json_threads(FILE *file, const struct tw_config *config,
			    const struct tw_pair *pair);
void tw_report_json_load(FILE *file, const struct tw_report *report);
void tw_report_json_steps(FILE *file, const struct tw_report *report);
void tw_report_json_cost(FILE *file, const struct tw_report *report);
void tw_report_json_worst(FILE *file, const struct tw_report *report);
void tw_report_json_break(FILE *file, const struct tw_report *report);
void tw_report_json_limits(FILE *file, const struct tw_report *report);

/* Internal: the members of a kept cycle, without braces. */
void tw_report_json_kept(FILE *file, const struct tw_report *report,
			 const struct tw_kept *kept);

/*
 * Internal: "environment", with its comma: the state of the system, and
 * findings.
 */
void tw_report_json_environ(FILE *file, const struct tw_environ *env,
			    const struct tw_finding findings[TW_CHECKS]);

/*
 * --check: a row for each check, below a finding its reason and remedy; at the
 * end their number.
 */
void tw_report_check(FILE *file, const struct tw_finding findings[TW_CHECKS]);

/* The display on a terminal during the run. */
struct tw_live {
	int loadavg_fd;
	int terminal;		/* descriptor; -1: no terminal */
	int lines;		/* number of lines drawn last time */
	int64_t shown_max_ns[TW_METRICS];
};

/* @fd: the output, a terminal or not. */
void tw_live_open(struct tw_live *live, int fd);

/*
 * Draws the display over the previous one, within the size of the terminal.
 * @last: draws it also with -M and without a terminal.
 */
void tw_live_draw(struct tw_live *live, FILE *file,
		  const struct tw_report *report, bool last);

/* Keeps what was drawn; the next display is below it. */
void tw_live_leave(struct tw_live *live);

void tw_live_close(struct tw_live *live);

#endif /* TW_REPORT_H */
