// SPDX-License-Identifier: GPL-2.0-or-later
/* --help names all kinds that an option has, and breaks the lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/tw_run.h"
#include "unit.h"

struct kind {
	const char *name;
	int other;
};

#define KIND(name)	&(const struct kind) { name, 0 }

static const struct kind *const few[] = { KIND("one"), NULL };
static const struct kind *const many[] = {
	KIND("alpha"), KIND("bravo"), KIND("charlie"), KIND("delta"),
	KIND("echo"), KIND("foxtrot"), KIND("golf"), KIND("hotel"), NULL
};
static const void *chosen;

static const struct tw_option options[] = {
	{ 0, "few", TW_ARGUMENT, "KIND", tw_option_kind, &chosen,
	  .kinds = few, .lists_kinds = true, .help = "one (default)" },
	{ 0, "many", TW_ARGUMENT, "KIND", tw_option_kind, &chosen,
	  .kinds = many, .lists_kinds = true,
	  .help = "a kind: alpha (default), but\nthe other is delta" },
	{ 0, "none", TW_ARGUMENT, "KIND", tw_option_kind, &chosen,
	  .kinds = many, .help = "a kind" },
	{ .name = NULL }
};

static const struct tw_part part = { .name = "kinds", .options = options };
static const struct tw_part *const parts[] = { &part, NULL };
static const struct tw_program program = {
	.name = "a", .about = "usage: a", .parts = parts,
};

static void test_kinds(void **state)
{
	static struct tw_run run;
	char *argv[] = { "a", NULL };
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_non_null(file);
	assert_int_equal(tw_run_parse(&run, &program, 1, argv), 0);
	tw_run_help(&run, file);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text,
		"usage: a\n"
		"      --few=KIND           one (default)\n"
		"      --many=KIND          a kind: alpha (default), but\n"
		"                           the other is delta, bravo, charlie, echo, foxtrot,\n"
		"                           golf, hotel\n"
		"      --none=KIND          a kind\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
