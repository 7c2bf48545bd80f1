/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_MEMBERS_H
#define TW_MEMBERS_H

#include "tw_run.h"

/*
 * A member "phases" of the JSON, an object for each metric. @run: of which these
 * are the whole results of @pair; NULL: of a step, in which a metric that has no
 * value has no statistics. Called by main.
 */
void tw_members_phases(FILE *file, const struct tw_results *results,
		       const struct tw_run *run, int pair);

#endif /* TW_MEMBERS_H */
