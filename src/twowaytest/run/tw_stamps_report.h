/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results of --stamps as text and JSON. Called by main. */
#ifndef TW_STAMPS_REPORT_H
#define TW_STAMPS_REPORT_H

#include <stdio.h>

#include "measure/tw_stamped.h"

struct tw_json;
struct tw_run;

/* What was asked for, and what it costs. */
struct tw_stamps_about {
	const char *mode;
	int calls_more;		/* in a cycle, of each side */
	/* An exchange, see tw_stamps_cost.h; no count: not known. */
	struct tw_stamped_row without, with;
};

/* A block of lines for each pair; nothing if pairs have no stamps. */
void tw_stamps_print(FILE *file, const struct tw_run *run,
		     const struct tw_stamps_about *about);

/* The member "stamps"; @about: NULL if they were not asked for. */
void tw_stamps_json(struct tw_json *json, const struct tw_run *run,
		    const struct tw_stamps_about *about);

#endif /* TW_STAMPS_REPORT_H */
