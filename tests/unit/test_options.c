// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of all parts as one table: for getopt, for --help, for parts. */
#include "life.h"
#include "tw_parts.h"

static void accept_line(const char *line)
{
	if (life_parse(line))
		fail_msg("\"%s\" was refused: %s", line, life_run.error);
}

static void refuse_line(const char *line, const char *error)
{
	assert_int_equal(life_parse(line), -EINVAL);
	assert_string_equal(life_run.error, error);
}

static void test_sorted(void **state)
{
	static const char *const names[] = {
		"bare", "help", "nsecs", "number", "quiet", "refresh_on_max",
		"text", "unbuffered", "verbose", "version", "zeta",
	};
	int i;

	(void)state;
	accept_line("life");
	assert_int_equal(life_run.option_count, 11);
	for (i = 0; i < 11; i++)
		assert_string_equal(life_run.options[i]->name, names[i]);
}

/* Every command line begins with the settings that the parts were born with. */
static void test_reset(void **state)
{
	(void)state;
	accept_line("life -z --number=3 -tword");
	assert_true(life_set.flag);
	assert_int_equal(life_set.number, 3);
	assert_string_equal(life_set.text, "word");
	accept_line("life");
	assert_memory_equal(&life_set, &life_initial, sizeof(life_set));
}

static void test_given(void **state)
{
	(void)state;
	accept_line("life -z --num=3");
	assert_true(tw_option_given(&life_run, "zeta"));
	assert_true(tw_option_given(&life_run, "number"));
	assert_false(tw_option_given(&life_run, "text"));
	assert_false(tw_option_given(&life_run, "num"));
	assert_false(tw_option_given(&life_run, "z"));
}

/* A part asks another one: this is no wish of the user. */
static void test_set(void **state)
{
	(void)state;
	accept_line("life");
	assert_int_equal(tw_option_set(&life_run, "number", "5"), 0);
	assert_int_equal(tw_option_set(&life_run, "zeta", NULL), 0);
	assert_int_equal(life_set.number, 5);
	assert_true(life_set.flag);
	assert_false(tw_option_given(&life_run, "number"));
	assert_int_equal(tw_option_set(&life_run, "number", "10"), -EINVAL);
	assert_string_equal(life_run.error,
			    "--number=10: allowed is a whole number from 1 to 9");
	/* What this program does not have, nobody misses. */
	assert_int_equal(tw_option_set(&life_run, "num", "5"), 0);
	assert_int_equal(life_set.number, 5);
}

static void test_named(void **state)
{
	(void)state;
	accept_line("life");
	assert_ptr_equal(tw_option_named(&life_run, "zeta"), &options_a[0]);
	assert_ptr_equal(tw_option_named(&life_run, "bare"), &options_c[1]);
	assert_null(tw_option_named(&life_run, "zet"));
	assert_null(tw_option_named(&life_run, "z"));
}

/* The value of an optional argument: of its own, or the word behind it. */
static void test_next_word(void **state)
{
	static const struct { const char *line, *text; bool zeta; } rows[] = {
		{ "life -t", NULL, false }, { "life -t5", "5", false },
		{ "life -t 5", "5", false }, { "life --text 5", "5", false },
		{ "life --text=5 -z", "5", true },
		{ "life -t -z", NULL, true }, { "life -t 5 -z", "5", true },
		{ "life -zt 5", "5", true }, { "life -bx", "x", false },
		{ "life -b -z", NULL, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		accept_line(rows[i].line);
		if (rows[i].text)
			assert_string_equal(life_set.text, rows[i].text);
		else
			assert_null(life_set.text);
		assert_int_equal(life_set.flag, rows[i].zeta);
	}
	refuse_line("life -t x", "x: unexpected argument; all input is given by options, see --help");
	refuse_line("life -b x", "x: unexpected argument; write --bare=x, see --help");
	refuse_line("life -b -z x", "x: unexpected argument; all input is given by options, see --help");
}

static void test_refused(void **state)
{
	(void)state;
	refuse_line("life --number", "--number: a value is needed: N");
	refuse_line("life --zeta=1",
		    "--zeta=1: takes no value; --help lists the options");
	refuse_line("life --n=1",
		    "--n=1: ambiguous option; --help lists the options");
	refuse_line("life --none",
		    "--none: unknown option; --help lists the options");
	refuse_line("life --old", "--old: unknown option; give --number");
	refuse_line("life -zo", "-o: unknown option; give -z");
	refuse_line("life -y", "-y: unknown option; --help lists the options");
	/* The first mistake, and nothing is checked after it. */
	*life.log = '\0';
	refuse_line("life --number=0 -y",
		    "--number=0: allowed is a whole number from 1 to 9");
	assert_string_equal(life.log, "");
}

static void test_help(void **state)
{
	static const char head[] = "usage: life\n\n"
		"  -b, --bare[=TEXT]        no next word\n"
		"      --help               print this help\n";
	char *text = NULL;
	size_t size;
	FILE *file;

	(void)state;
	accept_line("life");
	file = open_memstream(&text, &size);
	assert_non_null(file);
	tw_run_help(&life_run, file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(strncmp(text, head, strlen(head)), 0);
	assert_non_null(strstr(text,
			       "\n      --number=N           a number of\n"
			       "                           two lines\n"));
	assert_non_null(strstr(text,
			       "\n  -z, --zeta               last of all\n"));
	free(text);
}

/* The real program: nothing that only one of two rows could answer to. */
static void test_real_table(void **state)
{
	char name[] = "twowaytest", *argv[] = { name, NULL };
	static struct tw_run run;
	int i, j;

	(void)state;
	assert_int_equal(tw_run_parse(&run, &tw_program, 1, argv), 0);
	assert_in_range(run.option_count, 50, TW_OPTIONS_MAX);
	for (i = 0; i < run.option_count; i++) {
		const struct tw_option *one = run.options[i];

		assert_non_null(one->parse);
		assert_non_null(one->help);
		assert_true(*one->help);
		assert_true(!one->metavar == (one->argument == TW_NO_ARGUMENT));
		for (j = 0; j < i; j++) {
			const struct tw_option *other = run.options[j];

			assert_true(strcmp(other->name, one->name) < 0);
			assert_false(one->letter &&
				     one->letter == other->letter);
		}
	}
}

static int row_of(const char *name)
{
	int i;

	for (i = 0; tw_program.parts[i]; i++)
		if (!strcmp(tw_program.parts[i]->name, name))
			return i;
	fail_msg("there is no part %s", name);
	return -1;
}

/* Their functions are called in this order, end() and close() in reverse. */
static void test_order_of_parts(void **state)
{
	static const char *const rules[][2] = {
		/* A signal must not leave what the others have set. */
		{ "signals", "throttle" }, { "signals", "load" },
		/* The memory check wants to know the window and the cycles. */
		{ "output", "memory" }, { "histogram", "memory" },
		{ "kept", "memory" }, { "dump", "memory" },
		/* The last cycles are taken before the step's status lines. */
		{ "output", "dump" }, { "output", "load" },
		/* The load is a child of a real-time main, and pairs exist. */
		{ "throttle", "load" }, { "session", "load" },
		{ "session", "trace" }, { "break", "trace" },
		/* It asks what the others have got. */
		{ "latency", "check" }, { "kept", "json" },
		/* Reading all tasks takes long: not before the last row. */
		{ "load", "others" }, { "others", "timeline" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (row_of(rules[i][0]) > row_of(rules[i][1]))
			fail_msg("%s is behind %s", rules[i][0], rules[i][1]);
}

/* Each part of the real program has a name of its own. */
static void test_real_parts(void **state)
{
	const struct tw_part *const *one, *const *other;

	(void)state;
	for (one = tw_program.parts; *one; one++) {
		assert_non_null((*one)->name);
		assert_true(!(*one)->settings == !(*one)->size);
		assert_true(!(*one)->settings == !(*one)->initial);
		for (other = tw_program.parts; other < one; other++)
			assert_string_not_equal((*one)->name, (*other)->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIFE(test_sorted),
		LIFE(test_reset),
		LIFE(test_given),
		LIFE(test_set),
		LIFE(test_named),
		LIFE(test_next_word),
		LIFE(test_refused),
		LIFE(test_help),
		cmocka_unit_test(test_real_table),
		cmocka_unit_test(test_real_parts),
		cmocka_unit_test(test_order_of_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
