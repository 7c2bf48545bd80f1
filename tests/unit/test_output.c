// SPDX-License-Identifier: GPL-2.0-or-later
/* The output of a run: its files, their order, and what goes wrong in it. */
#include <dirent.h>
#include <signal.h>

#include "life.h"

#define LARGE	200000		/* more than a pipe holds */

static struct {
	const char *one, *two, *last;
	struct tw_file one_file, two_file, last_file;
} set;
static const __typeof__(set) initial;

static struct {
	int one_err, two_err;	/* of their write() */
	bool nothing;		/* --one has nothing to write */
	bool large;		/* the text is */
	int reader;		/* closed when --last is written; 0: none */
} script;

static char home[] = "/tmp/test_output.XXXXXX";

static const struct tw_option one_option[] = {
	{ 0, "one", TW_ARGUMENT, "FILE", tw_option_file, &set.one,
	  .help = "one" },
	{ .name = NULL }
};
static const struct tw_option two_option[] = {
	{ 0, "two", TW_ARGUMENT, "FILE", tw_option_file, &set.two,
	  .help = "two" },
	{ .name = NULL }
};
static const struct tw_option last_option[] = {
	{ 0, "last", TW_ARGUMENT, "FILE", tw_option_file, &set.last,
	  .help = "last" },
	{ .name = NULL }
};

static int write_one(const struct tw_run *run, FILE *file)
{
	(void)run;
	note("one");
	fputs("1\n", file);
	return script.one_err;
}

static int write_two(const struct tw_run *run, FILE *file)
{
	(void)run;
	note("two");
	fputs("2\n", file);
	return script.two_err;
}

static int write_last(const struct tw_run *run, FILE *file)
{
	note("last");
	fprintf(file, "%d %s\n", run->return_code, run->output.error);
	if (script.reader)
		close(script.reader);
	script.reader = 0;
	return 0;
}

static bool has_one(const struct tw_run *run)
{
	(void)run;
	return !script.nothing;
}

static void print(FILE *file, const struct tw_run *run)
{
	int i;

	(void)run;
	note("text");
	fputs("text\n", file);
	for (i = 0; script.large && i < LARGE; i++)
		fputc('x', file);
}

static const struct tw_result one_result = {
	.option = "one", .path = &set.one, .file = &set.one_file,
	.write = write_one, .has_any = has_one,
};
static const struct tw_result two_result = {
	.option = "two", .path = &set.two, .file = &set.two_file,
	.write = write_two,
};
static const struct tw_result last_result = {
	.option = "last", .path = &set.last, .file = &set.last_file,
	.write = write_last, .verdict = true,
};
static const struct tw_part one = {
	.name = "one", .options = one_option, TW_SETTINGS(set, initial),
	.text = print, .result = &one_result,
};
static const struct tw_part two = {
	.name = "two", .options = two_option, .result = &two_result,
};
static const struct tw_part last = {
	.name = "last", .options = last_option, .result = &last_result,
};

static int measure(struct tw_run *run)
{
	run->started = true;
	tw_run_tick(run);
	tw_run_tick(run);
	return life.at_step ? tw_fail(run, -EIO, "no measurement") : 0;
}

static int do_instead(struct tw_run *run)
{
	(void)run;
	return 5;
}

static const struct tw_part other;

static int check_other(struct tw_run *run)
{
	if (life.only)
		run->only = &other;
	return 0;
}

static void print_other(FILE *file, const struct tw_run *run)
{
	if (run->only)
		fputs("other\n", file);
}

static const struct tw_part other = {
	.name = "other", .check = check_other, .instead = do_instead,
	.text = print_other,
};

static const char *policy(const struct tw_run *run)
{
	(void)run;
	return "none";
}

static const struct tw_part *const parts[] = {
	&tw_part_output, &tw_part_display,
	&other, &one, &two, &last, NULL
};
static const struct tw_program program = {
	.name = "out", .object = "outs", .parts = parts, .hint = life_hint,
	.run = measure, .columns = life_columns, .policy = policy,
	.progress = policy,
};

static int enter(void **state)
{
	life_begin(state);
	memset(&script, 0, sizeof(script));
	strcpy(home + sizeof(home) - 7, "XXXXXX");
	return !mkdtemp(home) || chdir(home);
}

/* Number of files here, hidden ones too. */
static int files(void)
{
	DIR *dir = opendir(".");
	int count = -2;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static int leave(void **state)
{
	(void)state;
	unlink("f");
	unlink("g");
	unlink("h");
	return chdir("/") || rmdir(home);
}

/* Of a small file, until the next call; "-": there is none. */
static const char *content(const char *name)
{
	static char text[600];
	FILE *file = fopen(name, "r");
	size_t len;

	if (!file)
		return "-";
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = '\0';
	return text;
}

static void test_all(void **state)
{
	(void)state;
	assert_int_equal(life_main(&program, "out -q --last=h --two=g --one=f"),
			 0);
	assert_string_equal(life.log, "one two text last");
	assert_string_equal(life.out, "text\n");
	assert_string_equal(life.err_text, "");
	assert_string_equal(content("f"), "1\n");
	assert_string_equal(content("g"), "2\n");
	assert_string_equal(content("h"), "0 \n");
	assert_int_equal(files(), 3);
}

#define OWN	": allowed is a file of its own, not that of "

/* The one that another program reads is not the one to blame. */
static void test_same_file(void **state)
{
	static const struct { const char *line, *error; } rows[] = {
		{ "out -q --one=f --two=f", "out: --two=f" OWN "--one\n" },
		{ "out -q --two=./f --one=f", "out: --two=./f" OWN "--one\n" },
		{ "out -q --one=f --last=./f", "out: --one=f" OWN "--last\n" },
		{ "out -q --two=g --last=f --one=f",
		  "out: --one=f" OWN "--last\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(life_main(&program, rows[i].line), 1);
		assert_string_equal(life.err_text, rows[i].error);
		assert_string_equal(life.out, "");
		assert_string_equal(life.log, "");
		assert_int_equal(files(), 0);
	}
}

static void test_standard_output(void **state)
{
	(void)state;
	assert_int_equal(life_main(&program, "out -q --one=-"), 1);
	assert_string_equal(life.err_text,
			    "out: --one=-: only --json can go to standard output; name a file\n");
	assert_int_equal(life_main(&program, "out -q --one=f --two=-"), 1);
	assert_int_equal(files(), 0);
	/* The text then goes to the other one. */
	assert_int_equal(life_main(&program, "out -q --last=- --one=f"), 0);
	assert_string_equal(life.out, "0 \n");
	assert_string_equal(life.err_text, "text\n");
	assert_string_equal(life.log, "one text last");
	assert_string_equal(content("f"), "1\n");
}

static void test_not_opened(void **state)
{
	FILE *before = fopen("f", "w");

	(void)state;
	assert_non_null(before);
	fputs("before\n", before);
	fclose(before);
	assert_int_equal(life_main(&program,
				   "out -q --one=f --two=no/g --last=h"), 1);
	assert_string_equal(life.err_text,
			    "out: --two=no/g: cannot write: No such file or directory\n");
	assert_string_equal(life.log, "");
	assert_string_equal(content("f"), "before\n");
	assert_int_equal(files(), 1);
}

/* The others are written, and the last one tells the first error. */
static void test_not_written(void **state)
{
	(void)state;
	script.one_err = -EIO;
	script.two_err = -EDQUOT;
	assert_int_equal(life_main(&program, "out -q --one=f --two=g --last=h"),
			 1);
	assert_string_equal(life.log, "one two text last");
	assert_string_equal(life.out, "text\n");
	assert_string_equal(life.err_text,
			    "out: --one=f: cannot write: Input/output error\n");
	assert_string_equal(content("h"),
			    "1 --one=f: cannot write: Input/output error\n");
	assert_int_equal(files(), 1);
	script.one_err = 0;
	assert_int_equal(life_main(&program, "out -q --one=f --two=g"), 1);
	assert_non_null(strstr(life.err_text, "out: --two=g: cannot write: "));
	assert_string_equal(content("f"), "1\n");
	assert_string_equal(content("g"), "-");
}

/* Neither of the two follows from the other: both are told. */
static void test_two_failures(void **state)
{
	(void)state;
	life.at_step = 1;
	script.one_err = -EIO;
	assert_int_equal(life_main(&program, "out -q --one=f"), 1);
	assert_string_equal(life.err_text,
			    "out: --one=f: cannot write: Input/output error\n"
			    "out: no measurement\n");
}

static void test_nothing_to_write(void **state)
{
	(void)state;
	script.nothing = true;
	assert_int_equal(life_main(&program, "out -q --one=f --two=g"), 0);
	assert_string_equal(life.log, "two text");
	assert_string_equal(content("f"), "-");
}

/*
 * The reader of the text goes when --last has been written: it is written
 * again, as the exit status is another now.
 */
static void test_written_again(void **state)
{
	int ends[2], copy;
	FILE *out;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	fflush(stdout);
	out = fdopen(ends[1], "w");
	assert_non_null(out);
	script.large = true;
	script.reader = ends[0];
	/* life_main() would read all: the run alone. */
	memset(&life_run, 0, sizeof(life_run));
	assert_int_equal(tw_run_parse(&life_run, &program, 3, (char *[]) {
		(char *)"out", (char *)"-q", (char *)"--last=h", NULL }), 0);
	copy = redirect(STDOUT_FILENO, out);
	assert_int_equal(tw_output_open(&life_run), 0);
	assert_true(tw_output_finish(&life_run) < 0);
	tw_output_close(&life_run);
	assert_int_equal(dup2(copy, STDOUT_FILENO), STDOUT_FILENO);
	close(copy);
	fclose(out);
	assert_string_equal(life.log, "text last last");
	assert_int_equal(strncmp(content("h"),
				 "1 standard output: cannot write: ", 33), 0);
	assert_int_equal(files(), 1);
}

/* Nobody sees a display: there is only its last picture. */
static void test_no_terminal(void **state)
{
	static const char begin[] = "policy: none: loadavg: ";

	(void)state;
	assert_int_equal(life_main(&program, "out"), 0);
	assert_int_equal(strncmp(life.out, begin, strlen(begin)), 0);
	assert_null(strstr(life.out + 1, "policy"));
	assert_non_null(strstr(life.out, "\nnone\ntext\n"));
	assert_int_equal(life_main(&program, "out -v"), 0);
	assert_string_equal(life.out, "text\n");
}

/* Nothing was measured: there are no other results to write. */
static void test_instead(void **state)
{
	(void)state;
	life.only = true;
	assert_int_equal(life_main(&program, "out --one=f --last=h"), 5);
	assert_string_equal(life.log, "last");
	assert_string_equal(life.out, "other\n");
	assert_string_equal(content("h"), "5 \n");
	assert_int_equal(files(), 1);
}

static void test_patience(void **state)
{
	static const struct { int number, ms; } rows[] = {
		{ 0, -1 }, { SIGINT, -1 }, { SIGTERM, 1000 }, { SIGHUP, 1000 },
	};
	struct tw_run run = { .tick_ms = 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		run.interrupted = rows[i].number;
		assert_int_equal(tw_output_patience_ms(&run), rows[i].ms);
	}
}

#define IN_HOME(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_HOME(test_all),
		IN_HOME(test_same_file),
		IN_HOME(test_standard_output),
		IN_HOME(test_not_opened),
		IN_HOME(test_not_written),
		IN_HOME(test_two_failures),
		IN_HOME(test_nothing_to_write),
		IN_HOME(test_written_again),
		IN_HOME(test_no_terminal),
		IN_HOME(test_instead),
		cmocka_unit_test(test_patience),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
