/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is printed of a run. Called by main. */
#ifndef TW_TEXT_H
#define TW_TEXT_H

#include "tw_run.h"

/* A value in the user's unit: us (integers are rounded down) or ns. */
int64_t tw_text_whole(int64_t ns);
double tw_text_real(double ns);

/* The mean: as min and max are rounded down, no more than that. */
double tw_text_mean(const struct tw_stats *stats);

/* Of all columns of all pairs: column i is metric i % columns of a pair. */
int tw_text_columns(void);
int tw_text_pair(int column);
enum tw_metric_id tw_text_metric(int column);
const char *tw_text_name(int column);

/* Over all steps. */
static inline const struct tw_stats *tw_text_total(const struct tw_run *run,
						   int column)
{
	return &run->pairs[tw_text_pair(column)]->
		total.stats[tw_text_metric(column)];
}

/*
 * For --json: all of it, with @members, if it was given; the beginning of the
 * member "twoway", and all of that; a member "phases", an object for each
 * metric; members of an object: a process, and what it has used.
 */
int tw_json_write(const struct tw_run *run, int status,
		  void (*members)(FILE *file, void *run));	/* -errno */
void tw_json_head(FILE *file, const struct tw_run *run);
void tw_json_twoway(FILE *file, const struct tw_run *run);
/* @run: of which these are the whole results of @pair; NULL: of a part. */
void tw_json_phases(FILE *file, const struct tw_results *results,
		    const struct tw_run *run, int pair);
void tw_json_process(FILE *file, const struct tw_process *process);
void tw_json_changed(FILE *file, const struct tw_process *begun,
		     const struct tw_process *left);
void tw_json_usage(FILE *file, const struct tw_usage *usage);

/*
 * The status: for each column the line of cyclictest; then, if the columns are
 * the latency alone, the phases as comments, over all pairs, and the maxima of
 * each of several pairs.
 */
void tw_text_status(FILE *file, const struct tw_run *run);

/*
 * At most @lines lines of it, of which the last one tells of columns that are
 * left out: the tables only if there is room. Returns how many.
 */
int tw_text_lines(FILE *file, const struct tw_run *run, int lines);

/* All that is printed at the end. */
void tw_text_print(FILE *file, const struct tw_run *run);

/* How wide a row of a histogram is; another program may set it. */
extern int64_t tw_row_ns;

#endif /* TW_TEXT_H */
