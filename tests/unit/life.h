/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program of three parts that note in @life.log what of them is called:
 * "a.open b.open ...". What the script names fails, and says so.
 */
#ifndef LIFE_H
#define LIFE_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame/tw_run.h"
#include "unit.h"

static struct {
	const char *fails;	/* "b.begin"; NULL: nothing */
	int at_step;		/* only in this step, */
	int err;		/* with this error */
	bool over;		/* a.tick asks for the end */
	int signal;		/* the step ends by it; 0: by itself */
	bool only;		/* c does something else, ... */
	int instead;		/* ... with this status */
	bool exceeded;
	size_t rooms[3];
	size_t given[3];	/* offsets of what attach() was given */
	char log[2000];
	char out[2000], err_text[2000];	/* what was printed */
} life;

static struct { int64_t number; bool flag; const char *text; } life_set;
static const __typeof__(life_set) life_initial = { .number = 7 };
static struct tw_run life_run;
static char life_memory[64];

static inline void note(const char *what)
{
	size_t used = strlen(life.log);

	snprintf(life.log + used, sizeof(life.log) - used, "%s%s",
		 used ? " " : "", what);
}

static const struct tw_part part_c;

static inline int called(struct tw_run *run, const char *what)
{
	note(what);
	if (!strcmp(what, "a.tick"))
		run->over = life.over;
	if (!strcmp(what, "c.check") && life.only)
		run->only = &part_c;
	if (!life.fails || strcmp(life.fails, what) ||
	    run->step != life.at_step)
		return 0;
	return tw_fail(run, life.err, "%s failed", what);
}

#define LIFE_INT(part, hook) \
	static inline int part##_##hook(struct tw_run *run) \
	{ \
		return called(run, #part "." #hook); \
	}
#define LIFE_VOID(part, hook) \
	static inline void part##_##hook(struct tw_run *run) \
	{ \
		(void)run; \
		note(#part "." #hook); \
	}
#define LIFE_HOOKS(part, index) \
	LIFE_INT(part, check) LIFE_INT(part, open) LIFE_INT(part, begin) \
	LIFE_INT(part, woken) LIFE_INT(part, tick) LIFE_VOID(part, end) \
	LIFE_VOID(part, finish) LIFE_VOID(part, close) \
	static inline void part##_text(FILE *file, const struct tw_run *run) \
	{ \
		(void)run; \
		note(#part ".text"); \
		fprintf(file, #part "\n"); \
	} \
	static inline size_t part##_room(const struct tw_run *run) \
	{ \
		(void)run; \
		return life.rooms[index]; \
	} \
	static inline void part##_attach(struct tw_run *run, \
					 struct tw_pair *pair, void *room) \
	{ \
		(void)run; \
		(void)pair; \
		life.given[index] = (size_t)((char *)room - life_memory); \
	}
#define LIFE_PART(part) \
	.name = #part, .check = part##_check, .open = part##_open, \
	.begin = part##_begin, .end = part##_end, .tick = part##_tick, \
	.woken = part##_woken, .finish = part##_finish, \
	.close = part##_close, .text = part##_text, .room = part##_room, \
	.attach = part##_attach

LIFE_HOOKS(a, 0)
LIFE_HOOKS(b, 1)
LIFE_HOOKS(c, 2)

static inline bool b_exceeded(const struct tw_run *run)
{
	(void)run;
	note("b.exceeded");
	return life.exceeded;
}

static inline int c_instead(struct tw_run *run)
{
	(void)run;
	note("c.instead");
	return life.instead;
}

static const struct tw_option options_a[] = {
	{ 'z', "zeta", TW_NO_ARGUMENT, NULL, tw_option_flag, &life_set.flag,
	  .help = "last of all" },
	{ 0, "number", TW_ARGUMENT, "N", tw_option_number, &life_set.number,
	  .min = 1, .max = 9, .help = "a number of\ntwo lines" },
	{ .name = NULL }
};

static inline bool is_digit(const char *word)
{
	return *word >= '0' && *word <= '9';
}

static const struct tw_option options_c[] = {
	{ 't', "text", TW_OPTIONAL_ARGUMENT, "TEXT", tw_option_string,
	  &life_set.text, .help = "some text", .takes_word = is_digit },
	{ 'b', "bare", TW_OPTIONAL_ARGUMENT, "TEXT", tw_option_string,
	  &life_set.text, .help = "no next word" },
	{ .name = NULL }
};

static const struct tw_part part_a = {
	LIFE_PART(a), .options = options_a,
	TW_SETTINGS(life_set, life_initial),
};
static const struct tw_part part_b = {
	LIFE_PART(b), .exceeded = b_exceeded,
};
static const struct tw_part part_c = {
	LIFE_PART(c), .options = options_c, .instead = c_instead,
};
static const struct tw_part *const life_parts[] = {
	&tw_part_help, &tw_part_output, &tw_part_display,
	&part_a, &part_b, &part_c, NULL
};

/* A step: a tick, and the end of a child. */
static inline int life_step(struct tw_run *run)
{
	int err;

	note("run");
	run->started = true;
	run->interrupted = life.signal;
	err = tw_run_tick(run);
	if (!err)
		err = tw_run_woken(run);
	return err ? err : called(run, "p.run");
}

static inline struct tw_columns life_columns(const struct tw_run *run)
{
	return (struct tw_columns) {
		.unit = tw_unit_of(run->show->nsecs),
	};
}

static inline const char *life_hint(const char *word, int letter)
{
	return !strcmp(word, "--old") ? "give --number" :
	       letter == 'o' ? "give -z" : NULL;
}

static const struct tw_program life_program = {
	.name = "life", .object = "lives", .about = "usage: life\n",
	.parts = life_parts, .hint = life_hint, .run = life_step,
	.columns = life_columns,
};

/* The words of @line, which begins with the name; until the next call. */
static inline int life_words(const char *line, char *argv[], int size)
{
	static char copy[400];
	char *rest = copy;
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	while (argc < size - 1 && (argv[argc] = strsep(&rest, " ")))
		argc++;
	argv[argc] = NULL;
	return argc;
}

static inline int life_parse(const char *line)
{
	char *argv[20];
	int argc = life_words(line, argv, 20);

	return tw_run_parse(&life_run, &life_program, argc, argv);
}

/* Puts @file where @fd is; returns a copy of what was there. */
static inline int redirect(int fd, FILE *file)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	assert_true(copy >= 0);
	assert_int_equal(dup2(fileno(file), fd), fd);
	return copy;
}

static inline void restore(int fd, int copy, FILE *file, char text[2000])
{
	size_t len;

	assert_int_equal(dup2(copy, fd), fd);
	close(copy);
	rewind(file);
	len = fread(text, 1, 1999, file);
	text[len] = '\0';
	fclose(file);
}

/* The program by the command line @line; its exit status. */
static inline int life_main(const struct tw_program *program, const char *line)
{
	FILE *out = tmpfile(), *err = tmpfile();
	int status, argc, out_copy, err_copy;
	char *argv[20];

	assert_non_null(out);
	assert_non_null(err);
	argc = life_words(line, argv, 20);
	fflush(stdout);
	fflush(stderr);
	out_copy = redirect(STDOUT_FILENO, out);
	err_copy = redirect(STDERR_FILENO, err);
	memset(&life_run, 0, sizeof(life_run));
	status = tw_run_main(&life_run, program, argc, argv);
	fflush(stdout);
	fflush(stderr);
	restore(STDOUT_FILENO, out_copy, out, life.out);
	restore(STDERR_FILENO, err_copy, err, life.err_text);
	return status;
}

static inline int life_begin(void **state)
{
	(void)state;
	memset(&life, 0, sizeof(life));
	life.err = -EIO;
	return 0;
}

#define LIFE(test)	cmocka_unit_test_setup(test, life_begin)

#endif /* LIFE_H */
