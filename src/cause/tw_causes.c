// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "tw_causes.h"

#define OTHERS	"other causes"

struct tw_causes_row *tw_causes_find(struct tw_causes_row rows[], int kind,
				     const char *cause)
{
	struct tw_causes_row *row = rows;

	while (row->count && (row->kind != kind || strcmp(row->cause, cause)))
		row++;
	row->kind = kind;
	snprintf(row->cause, sizeof(row->cause), "%s", cause);
	return row;
}

struct tw_causes_row *tw_causes_row(struct tw_causes_row rows[], int kind,
				    const char *cause)
{
	struct tw_causes_row *row = tw_causes_find(rows, kind, cause);

	return row->count || row < rows + TW_CAUSES ? row :
	       tw_causes_find(rows, kind, OTHERS);
}

void tw_causes_add(struct tw_causes_row *to, const struct tw_causes_row *from)
{
	if (!to->count || from->first_ns < to->first_ns)
		to->first_ns = from->first_ns;
	if (from->last_ns > to->last_ns)
		to->last_ns = from->last_ns;
	if (from->longest_ns > to->longest_ns)
		to->longest_ns = from->longest_ns;
	to->count += from->count;
}

void tw_causes_add_one(struct tw_causes_row *to, int64_t value_ns,
		       int64_t at_ns)
{
	const struct tw_causes_row one = {
		.count = 1, .longest_ns = value_ns,
		.first_ns = at_ns, .last_ns = at_ns,
	};

	tw_causes_add(to, &one);
}

static int by_count(const void *a, const void *b)
{
	const struct tw_causes_row *first = a, *second = b;

	return (first->count < second->count) - (first->count > second->count);
}

void tw_causes_sort(struct tw_causes_row rows[], size_t count)
{
	qsort(rows, count, sizeof(rows[0]), by_count);
}

void tw_causes_print_head(FILE *file)
{
	fprintf(file, "# %8s %10s %10s %10s  %s\n", "breaks", "longest",
		"first s", "last s", "cause");
}
