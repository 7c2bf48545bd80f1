/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of cases as cmocka tests: CASES(rows, count, function). */
#ifndef TABLE_H
#define TABLE_H

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

/* Each row begins with its name, and is the initial state of its test. */
#define ROWS(rows, function)						\
	table_run(#rows, (char *)(rows), sizeof((rows)[0]),		\
		  sizeof(rows) / sizeof((rows)[0]), function)

static inline int table_run(const char *title, char *rows, size_t size,
			    size_t count, void (*function)(void **state))
{
	struct CMUnitTest *tests = calloc(count, sizeof(*tests));
	size_t i;
	int failed;

	for (i = 0; i < count; i++)
		tests[i] = (struct CMUnitTest) {
			.name = *(const char **)(rows + i * size),
			.test_func = function,
			.initial_state = rows + i * size,
		};
	failed = _cmocka_run_group_tests(title, tests, count, NULL, NULL);
	free(tests);
	return failed;
}

#endif /* TABLE_H */
