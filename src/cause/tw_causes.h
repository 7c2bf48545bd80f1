/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of causes: how often each was found, the longest, the first and the
 * last. Its rows are zeroed at first, and the one behind the last in use is so.
 */
#ifndef TW_CAUSES_H
#define TW_CAUSES_H

#include <stdint.h>
#include <stdio.h>

#define TW_CAUSES	64	/* of a kind beyond, there is one row of others */
#define TW_CAUSES_NOT_LOOKED \
	"not looked into, as it came too soon after another"

struct tw_causes_row {
	int kind;		/* as the caller has them */
	char cause[128];
	uint64_t count;		/* 0: the row is not used */
	int64_t longest_ns;
	int64_t first_ns, last_ns;	/* when they ended */
};

/* The row of both, or the first that is not used, which then has them. */
struct tw_causes_row *tw_causes_find(struct tw_causes_row rows[], int kind,
				     const char *cause);

/* The same, if there are fewer than TW_CAUSES; else that of the others. */
struct tw_causes_row *tw_causes_row(struct tw_causes_row rows[], int kind,
				    const char *cause);

/* By whoever writes the row: what another one has; one more. */
void tw_causes_add(struct tw_causes_row *to, const struct tw_causes_row *from);
void tw_causes_add_one(struct tw_causes_row *to, int64_t value_ns,
		       int64_t at_ns);

/* The most frequent one first. */
void tw_causes_sort(struct tw_causes_row rows[], size_t count);

/* The line above the rows of the text. */
void tw_causes_print_head(FILE *file);

#endif /* TW_CAUSES_H */
