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

/* What is written of the object with these @rows. */
static const char *write_rows(const struct tw_member *rows,
			      const struct thing *of)
{
	const struct tw_member owner = { .of = rows };
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

	assert_string_equal(write_rows(rows, &things),
		"{\n  \"number\": -5,\n"
		"  \"signed_ns\": 9223372036854775807,\n"
		"  \"count\": 18446744073709551615,\n  \"real\": 0.333,\n"
		"  \"short\": 0.3,\n  \"is\": true,\n  \"word\": \"a\\\"b\",\n"
		"  \"text\": \"x\\\\y\",\n  \"own\": 42\n}");
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

	assert_string_equal(write_rows(rows, &none),
		"{\n  \"ns\": null,\n  \"least\": -9223372036854775808,\n"
		"  \"real\": null,\n  \"word\": null,\n  \"object\": null,\n"
		"  \"value\": null\n}");
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
	{ "n", TW_SELF(int), TW_INTEGER, "" }, { .name = NULL }
};

#define EACH	.next = next, .of = TW_EACH(TW_SELF(int), TW_INTEGER, "")

static const struct tw_member several[] = {
	{ "list", TW_NOWHERE, TW_ARRAY, "", EACH },
	{ "map", TW_NOWHERE, TW_MAP, "", EACH },
	{ "objects", TW_NOWHERE, TW_MAP, "", .next = next, .of = inner },
	{ "array", TW_NOWHERE, TW_ARRAY, "", .next = next, .of = inner },
	{ "spread", TW_NOWHERE, TW_MAP, "", EACH, .spread = true },
	{ .name = NULL }
};

TEST(test_elements)
{
	struct thing empty = things;

	assert_string_equal(write_rows(several, &things),
		"{\n  \"list\": [0, 20],\n"
		"  \"map\": {\n    \"a\": 0,\n    \"c\": 20\n  },\n"
		"  \"objects\": {\n    \"a\": {\n      \"n\": 0\n    },\n"
		"    \"c\": {\n      \"n\": 20\n    }\n  },\n"
		"  \"array\": [\n    {\n      \"n\": 0\n    },\n"
		"    {\n      \"n\": 20\n    }\n  ],\n"
		"  \"a\": 0,\n  \"c\": 20\n}");
	empty.elements = 0;
	assert_string_equal(write_rows(several, &empty),
		"{\n  \"list\": [],\n  \"map\": {},\n  \"objects\": {},\n"
		"  \"array\": []\n}");
}

/* Eight in a line. */
static const void *next_of_nine(const void *of, int *i, const char **key)
{
	return *i < 9 ? i : NULL;
}

TEST(test_long_array)
{
	const struct tw_member rows[] = {
		{ "nine", TW_NOWHERE, TW_ARRAY, "", .next = next_of_nine,
		  .of = TW_EACH(TW_SELF(int), TW_INTEGER, "") },
		{ .name = NULL }
	};

	assert_string_equal(write_rows(rows, &things),
		"{\n  \"nine\": [0, 1, 2, 3, 4, 5, 6, 7,\n    8]\n}");
}

struct outer {
	const struct thing *thing;
	bool is;
	int list[4], count;
};

static int64_t twice(const void *of)
{
	return 2 * ((const struct thing *)of)->number;
}

static double half(const void *of)
{
	return ((const struct thing *)of)->number / 2.0;
}

static const char *said(const void *of)
{
	return ((const struct thing *)of)->word;
}

#define THING	TW_VIA(struct outer, thing)

/* Where a value is: behind a pointer, asked of a function, in a list. */
TEST(test_places)
{
	static const struct thing other = { .number = 7 };
	static const int none, some = 256;
	const struct outer outer = { &things, true, { 1, 2, 3 }, 2 };
	const struct outer empty = { .thing = NULL };
	const struct tw_member inside[] = {
		{ TW_NAMED(struct thing, number), TW_INTEGER, "" },
		{ .name = NULL }
	};
	const struct tw_member rows[] = {
		{ TW_NAMED(struct thing, number), TW_INTEGER, "", THING },
		{ TW_NAMED(struct thing, number), TW_BOOLEAN, "", THING },
		{ "twice", TW_NUMBER_OF(twice), TW_INTEGER, "", THING },
		{ "half", TW_REAL_OF(half), TW_REAL, "", THING },
		{ "said", TW_TEXT_OF(said), TW_STRING, "", THING },
		{ "object", TW_NOWHERE, TW_OBJECT, "", THING, .of = inside },
		{ "at", TW_OBJECT_AT(other), TW_OBJECT, "", .of = inside },
		{ "none", TW_AT(none), TW_INTEGER, "", TW_IF(none) },
		{ "some", TW_AT(some), TW_INTEGER, "", TW_IF(some) },
		{ "if", TW_AT(some), TW_INTEGER, "",
		  TW_IF_IN(struct outer, is) },
		{ "unless", TW_AT(some), TW_INTEGER, "",
		  TW_UNLESS_IN(struct outer, is) },
		{ "list", TW_LIST_IN(struct outer, list, count), TW_ARRAY, "",
		  .of = TW_EACH(TW_SELF(int), TW_INTEGER, "") },
		{ .name = NULL }
	};

	assert_string_equal(write_rows(rows, (const void *)&outer),
		"{\n  \"number\": -5,\n  \"number\": true,\n  \"twice\": -10,\n"
		"  \"half\": -2.500,\n  \"said\": \"a\\\"b\",\n"
		"  \"object\": {\n    \"number\": -5\n  },\n"
		"  \"at\": {\n    \"number\": 7\n  },\n  \"some\": 256,\n"
		"  \"if\": 256,\n  \"list\": [1, 2]\n}");
	assert_string_equal(write_rows(&rows[5], (const void *)&empty),
		"{\n  \"object\": null,\n  \"at\": {\n    \"number\": 7\n  },\n"
		"  \"some\": 256,\n  \"unless\": 256,\n  \"list\": []\n}");
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
	assert_string_equal(write_rows(rows, &things),
		"{\n  \"first\": 3,\n  \"number\": -5,\n  \"is\": true,\n"
		"  \"word\": \"a\\\"b\"\n}");
	assert_int_equal(asked, 1);
}
