/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command of --on-break: one at a time, in a process group of its own. All
 * is called by main, which waits for it only at the end of the run.
 */
#ifndef TW_ON_BREAK_H
#define TW_ON_BREAK_H

#include <stdint.h>
#include <stdio.h>

struct tw_option;

/* How often. What was left out came while the one before still ran. */
extern struct tw_on_break {
	const char *command;	/* NULL: the others do nothing */
	uint64_t run, failed, left_out;
} tw_on_break;

void tw_on_break_parse(const struct tw_option *option, char *value);

/* Before the run: however main ends, the command is killed. */
void tw_on_break_begin(void);

/* A variable of its environment: behind TWOWAYTEST_BREAK_; NULL: the number. */
struct tw_on_break_about {
	const char *name, *text;
	int64_t number;
};

/* The last variable has no name. What @print prints is its standard input. */
void tw_on_break_start(const struct tw_on_break_about about[],
		       void (*print)(FILE *file));

/* Sees to one that has ended, or must: to be called now and then. */
void tw_on_break_watch(void);

/* After the run: waits for its end, but no longer than it may run. */
void tw_on_break_end(void);

/* How often it was run, if it was given. */
void tw_on_break_text(FILE *file);

#endif /* TW_ON_BREAK_H */
