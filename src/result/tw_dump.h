/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --dump. Called by main. */
#ifndef TW_DUMP_H
#define TW_DUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Columns of another part, at the end of each line. */
struct tw_dump_columns {
	const char *names;	/* as the first line has them: ",a,b" */
	/*
	 * Prints them, of cycle @seq: a comma before each. What a part learns
	 * of a cycle before the next one is recorded is there.
	 */
	void (*print)(FILE *file, int pair, uint64_t seq);
};

/* Called by a part's check(). Returns whether there is a dump. */
bool tw_dump_add(const struct tw_dump_columns *columns);

#endif /* TW_DUMP_H */
