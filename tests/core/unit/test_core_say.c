// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages, and what of a text is shown and written. */
#include <string.h>

#include "child.h"
#include "tw_array.h"
#include "tw_say.h"
#include "tw_string.h"

static void do_warn(void)
{
	tw_say_warn("%d\n", 1);
}

static void do_warn_without_end(void)
{
	tw_say_warn("one %d,", 1);
	tw_say_warn("two\n");
}

static void do_warn_odd(void)
{
	tw_say_warn("%s\n", "a\033[31m\nb\r\n");
}

static void do_fatal(void)
{
	tw_say_fatal("%d\n", 1);
}

static void do_fatal_long(void)
{
	tw_say_fatal("%9000d\n", 1);
}

TEST(test_clean)
{
	static const struct {
		const char *text, *clean;
	} rows[] = {
		{ "", "" }, { "a b~", "a b~" }, { "a\tb", "a\tb" },
		{ "\033[31m", "?[31m" }, { "\001\037\177 ", "??? " },
		{ "a\nb\n", "a?b?" }, { "\303\274", "\303\274" },
		{ "\342\202\254", "\342\202\254" },
		{ "\302\233x", "??x" }, { "\302\240x", "\302\240x" },
		{ "\233x", "?x" }, { "\303", "?" }, { "\303(", "?(" },
		{ "\355\240\200", "???" }, { "\360\237\230", "???" },
	};
	char text[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		strcpy(text, rows[i].text);
		tw_string_clean(text);
		assert_string_equal(text, rows[i].clean);
	}
}

TEST(test_messages)
{
	struct outcome o;

	assert_outcome(do_warn, RETURNED, "WARN: 1\n");
	assert_outcome(do_warn_without_end, RETURNED,
		       "WARN: one 1,WARN: two\n");
	assert_outcome(do_warn_odd, RETURNED, "WARN: a?[31m?b??\n");
	assert_outcome(do_fatal, 1, "FATAL: 1\n");
	/* What is longer than a message may be has no line end. */
	o = run(do_fatal_long);
	assert_int_equal(strlen(o.err), strlen("FATAL: ") + 8191);
}

TEST(test_json_string)
{
	static const struct {
		const char *text, *json;
	} rows[] = {
		{ "", "\"\"" }, { "a b~", "\"a b~\"" },
		{ "\"\\/", "\"\\\"\\\\/\"" },
		{ "\t\n\001\177", "\"\\u0009\\u000a\\u0001\\u007f\"" },
		{ "\303\274\342\202\254", "\"\303\274\342\202\254\"" },
		{ "\303", "\"\\ufffd\"" },
		{ "\355\240\200", "\"\\ufffd\\ufffd\\ufffd\"" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		char written[32] = "";
		FILE *file = fmemopen(written, sizeof(written), "w");

		assert_non_null(file);
		tw_string_json(file, rows[i].text);
		fclose(file);
		assert_string_equal(written, rows[i].json);
	}
}
