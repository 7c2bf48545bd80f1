/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --json writes. Called by main. */
#ifndef TW_JSON_H
#define TW_JSON_H

#include "tw_run.h"

bool tw_json_is_wanted(void);

/*
 * All of it, with @members, if it was given; the beginning of the member of the
 * program, and all of that of twowaytest; members of an object: a process, how
 * it has changed, and what it has used.
 */
int tw_json_write(const struct tw_run *run, int status,
		  void (*members)(FILE *file, void *run));	/* -errno */
void tw_json_head(FILE *file, const struct tw_run *run);
void tw_json_twoway(FILE *file, const struct tw_run *run);
void tw_json_process(FILE *file, const struct tw_process *process);
void tw_json_changed(FILE *file, const struct tw_process *begun,
		     const struct tw_process *left);
void tw_json_usage(FILE *file, const struct tw_usage *usage);

#endif /* TW_JSON_H */
