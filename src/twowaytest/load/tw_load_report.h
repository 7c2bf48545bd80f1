/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the load adds to the text and to the JSON: see struct tw_part. */
#ifndef TW_LOAD_REPORT_H
#define TW_LOAD_REPORT_H

#include <stdio.h>

struct tw_json;
struct tw_run;
struct tw_work;

void tw_load_remarks(FILE *file, const struct tw_run *run);
void tw_load_text(FILE *file, const struct tw_run *run);
void tw_load_json(struct tw_json *json, const struct tw_run *run);

/* "# Step 2/16: load fft, 1 worker" */
void tw_load_print_step(FILE *file, const struct tw_run *run);

/* The program's progress(): the step, and the time that is left. */
const char *tw_load_progress_text(const struct tw_run *run);

/* Returns the work of the load in a step, in units per second. */
double tw_load_rate(const struct tw_work *work);

#endif /* TW_LOAD_REPORT_H */
