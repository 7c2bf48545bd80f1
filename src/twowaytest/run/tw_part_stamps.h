/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's timestamps of requests and replies: --stamps. */
#ifndef TW_PART_STAMPS_H
#define TW_PART_STAMPS_H

#include <stdbool.h>

#include "frame/tw_part.h"
#include "measure/tw_stamped.h"

extern const struct tw_part tw_part_stamps;

/* Whether the user wants any; for later parts. */
bool tw_stamps_wanted(void);

/* The value of --stamps. */
const char *tw_stamps_name(void);

/* Internal: the results as text and JSON; what was asked for, and its cost. */
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

#endif /* TW_PART_STAMPS_H */
