// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of members: what is written, byte by byte, and the schema of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tw_member.h"
#include "tw_metric.h"
#include "unit.h"

struct thing {
	int number;
	int64_t signed_ns;
	uint64_t count;
	double real;
	bool is;
	const char *word;
	char text[8];
	int elements;
};

static char *written;
static const struct thing things = {
	-5, INT64_MAX, UINT64_MAX, 1.0 / 3, true, "a\"b", "x\\y", 3
};

/* What is written of @rows, an object whose bracket stands after @close. */
static const char *write_rows(const struct tw_member *rows,
			      const struct thing *of, int close)
{
	const struct tw_member owner = { .of = rows, .close = close };
	size_t size;
	FILE *file;

	free(written);
	file = open_memstream(&written, &size);
	tw_member_object(file, &owner, of);
	fclose(file);
	return written;
}

AFTER_EACH
{
	free(written);
	written = NULL;
}

TEST(test_each_kind_of_value)
{
	static const int own = 42;
	const struct tw_member rows[] = {
		{ TW_NAMED(struct thing, number), TW_INTEGER, "" },
		{ TW_NAMED(struct thing, signed_ns), TW_INTEGER, "" },
		{ TW_NAMED(struct thing, count), TW_COUNT, "" },
		{ TW_NAMED(struct thing, real), TW_REAL, "" },
		{ "short", TW_IN(struct thing, real), TW_REAL, "",
		  .format = "%.1f" },
		{ TW_NAMED(struct thing, is), TW_BOOLEAN, "" },
		{ TW_NAMED(struct thing, word), TW_STRING, "" },
		{ TW_NAMED(struct thing, text), TW_STRING, "" },
		{ "own", TW_AT(own), TW_INTEGER, "" },
		{ .name = NULL }
	};

	assert_string_equal(write_rows(rows, &things, 0),
		"{ \"number\": -5, \"signed_ns\": 9223372036854775807, "
		"\"count\": 18446744073709551615, \"real\": 0.333, "
		"\"short\": 0.3, \"is\": true, \"word\": \"a\\\"b\", "
		"\"text\": \"x\\\\y\", \"own\": 42 }");
}

static const void *nothing(const void *of)
{
	return NULL;
}

static bool never(const void *of)
{
	return false;
}

TEST(test_null_and_missing)
{
	const struct thing none = {
		.signed_ns = TW_NO_VALUE, .real = NAN, .word = NULL
	};
	const struct tw_member rows[] = {
		{ "gone", TW_IN(struct thing, number), TW_INTEGER, "",
		  .has = never },
		{ "ns", TW_IN(struct thing, signed_ns), TW_INTEGER, "",
		  .nullable = true },
		{ "least", TW_IN(struct thing, signed_ns), TW_INTEGER, "" },
		{ TW_NAMED(struct thing, real), TW_REAL, "" },
		{ TW_NAMED(struct thing, word), TW_STRING, "" },
		{ "object", TW_NOWHERE, TW_OBJECT, "", .get = nothing },
		{ "value", TW_SELF(int), TW_INTEGER, "", .get = nothing },
		{ .name = NULL }
	};

	assert_string_equal(write_rows(rows, &none, 0),
		"{ \"ns\": null, \"least\": -9223372036854775808, "
		"\"real\": null, \"word\": null, \"object\": null, "
		"\"value\": null }");
}

static const void *next(const void *of, int *i, const char **key)
{
	static const char *const keys[] = { "a", "b", "c" };
	static int value;

	if (*i == 1)	/* that one is left out */
		++*i;
	if (*i >= ((const struct thing *)of)->elements)
		return NULL;
	*key = keys[*i];
	value = 10 * *i;
	return &value;
}

static const struct tw_member inner[] = {
	{ "n", TW_SELF(int), TW_INTEGER, "", .line = 4 },
	{ .name = NULL }
};

#define EACH	.next = next, .of = TW_EACH(TW_SELF(int), TW_INTEGER, "")

static const struct tw_member several[] = {
	{ "list", TW_NOWHERE, TW_ARRAY, "", EACH },
	{ "apart", TW_NOWHERE, TW_ARRAY, "", EACH, .lines = TW_APART },
	{ "lines", TW_NOWHERE, TW_ARRAY, "", EACH, .line = 2, .lines = 4,
	  .close = 2 },
	{ "map", TW_NOWHERE, TW_MAP, "", EACH, .line = 2 },
	{ "objects", TW_NOWHERE, TW_MAP, "", .next = next, .of = inner,
	  .line = 2, .lines = 3, .close = 2, .shut = 3 },
	{ "spread", TW_NOWHERE, TW_MAP, "", EACH, .spread = true },
	{ .name = NULL }
};

TEST(test_elements)
{
	struct thing empty = things;

	assert_string_equal(write_rows(several, &things, TW_MARGIN),
		"{ \"list\": [0, 20], \"apart\": [ 0, 20],\n"
		"  \"lines\": [\n    0,\n    20\n  ],\n"
		"  \"map\": { \"a\": 0, \"c\": 20 },\n"
		"  \"objects\": {\n   \"a\": {\n    \"n\": 0\n   },\n"
		"   \"c\": {\n    \"n\": 20\n   }\n  }, "
		"\"a\": 0, \"c\": 20\n}");
	empty.elements = 0;
	assert_string_equal(write_rows(several, &empty, 0),
		"{ \"list\": [], \"apart\": [],\n  \"lines\": [],\n"
		"  \"map\": { },\n  \"objects\": {} }");
}

static int asked;

static const void *once(const void *of)
{
	asked++;
	return of;
}

/* The members of an object that are among those of the outer: read once. */
TEST(test_spread_object)
{
	static const struct tw_member both[] = {
		{ TW_NAMED(struct thing, number), TW_INTEGER, "" },
		{ TW_NAMED(struct thing, is), TW_BOOLEAN, "" },
		{ .name = NULL }
	};
	const struct tw_member rows[] = {
		{ "first", TW_IN(struct thing, elements), TW_INTEGER, "" },
		{ "both", TW_NOWHERE, TW_OBJECT, "", .spread = true,
		  .get = once, .of = both },
		{ TW_NAMED(struct thing, word), TW_STRING, "" },
		{ .name = NULL }
	};

	asked = 0;
	assert_string_equal(write_rows(rows, &things, 0),
		"{ \"first\": 3, \"number\": -5, \"is\": true, \"word\": \"a\\\"b\" }");
	assert_int_equal(asked, 1);
}
