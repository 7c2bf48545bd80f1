/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is printed of a run. Called by main. */
#ifndef TW_TEXT_H
#define TW_TEXT_H

#include "tw_series.h"

/* A value in the user's unit: us (integers are rounded down) or ns. */
int64_t tw_text_whole(int64_t value);
double tw_text_real(double value);

/* The mean: as min and max are rounded down, no more than that. */
double tw_text_mean(const struct tw_stats *stats);

/* How many there are in the results: see tw_series.h. */
int tw_text_columns(void);

/* Of all columns of all pairs: column i is metric i % columns of a pair. */
int tw_text_pair(int column);
enum tw_metric_id tw_text_metric(int column);
struct tw_series tw_text_series(const struct tw_run *run, int pair,
				enum tw_metric_id id);

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

#endif /* TW_TEXT_H */
