// SPDX-License-Identifier: GPL-2.0-or-later
/* What is kept of a trace, and where its marks are in the file. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/tw_time.h"
#include "cause/tw_trace_file.h"
#include "unit.h"

#define MS	TW_NS_PER_MS

static void test_from(void **state)
{
	(void)state;
	/* 20 ms before the end; */
	assert_int_equal(tw_trace_file_from_ns(995 * MS, 1000 * MS, 985 * MS),
			 980 * MS);
	/* or 1 ms before the begin; */
	assert_int_equal(tw_trace_file_from_ns(900 * MS, 1000 * MS, 985 * MS),
			 899 * MS);
	assert_int_equal(tw_trace_file_from_ns(980 * MS, 1000 * MS, 985 * MS),
			 979 * MS);
	/* or the begin of the one before. */
	assert_int_equal(tw_trace_file_from_ns(995 * MS, 1000 * MS, 700 * MS),
			 700 * MS);
}

#define LINE(time)	"  a-1   [000] d..2.   " time ": event: x\n"

static void test_write(void **state)
{
	static const struct tw_trace_mark marks[] = {
		{ 9 * TW_NS_PER_S, "first" },
		{ 10 * TW_NS_PER_S + 1000, "second" },
		{ 10 * TW_NS_PER_S + 1500, "third" },
		{ 12 * TW_NS_PER_S + 7, "last" },
	};
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_non_null(file);
	tw_trace_file_write(file, "# head\n" LINE("10.000000")
			    LINE("10.000001") LINE("10.000002"), "us", marks,
			    4);
	fclose(file);
	assert_string_equal(text, "# head\n"
			    "# 9.000000000: us: first\n"
			    LINE("10.000000")
			    "# 10.000001000: us: second\n"
			    LINE("10.000001")
			    "# 10.000001500: us: third\n"
			    LINE("10.000002")
			    "# 12.000000007: us: last\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from),
		cmocka_unit_test(test_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
