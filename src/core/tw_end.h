/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a run has ended, in its other files besides the text, so that none of a run
 * that was cut short or disturbed is taken for one that was not. Called by main.
 */
#ifndef TW_END_H
#define TW_END_H

#include <inttypes.h>
#include <stdio.h>

struct tw_run;

/*
 * What the text has of the parts that tell it, in its order: lines that begin
 * with "# ".
 */
void tw_end_print(FILE *file, const struct tw_run *run);

/* The same, and the last line of a table: without it, the table was cut off. */
void tw_end_table(FILE *file, const struct tw_run *run, uint64_t rows);

#endif /* TW_END_H */
