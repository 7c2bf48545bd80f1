/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small text files of the tests: written, and compared with what they hold. */
#ifndef CONTENT_H
#define CONTENT_H

#include <stdio.h>

#include "unit.h"

static inline void assert_content(const char *path, const char *want)
{
	FILE *file = fopen(path, "r");
	char got[100];
	size_t len;

	assert_non_null(file);
	len = fread(got, 1, sizeof(got) - 1, file);
	fclose(file);
	got[len] = '\0';
	assert_string_equal(got, want);
}

static inline void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

#endif /* CONTENT_H */
