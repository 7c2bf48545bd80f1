/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command of --on-break: one at a time, in a process group of its own. All
 * is called by main, which does not wait for it but at the end.
 */
#ifndef TW_ON_BREAK_H
#define TW_ON_BREAK_H

#include <stdint.h>
#include <stdio.h>

/* How often. What was left out came while the one before still ran. */
struct tw_on_break {
	uint64_t run, failed, left_out;
};

extern struct tw_on_break tw_on_break;

/* What @set puts into its environment, @print prints to its standard input. */
void tw_on_break_start(const char *command, void (*set)(void),
		       void (*print)(FILE *file));

/* Sees to one that has ended; to be called now and then. */
void tw_on_break_watch(void);

/* Waits for its end, or until its time is over. */
void tw_on_break_end(void);

#endif /* TW_ON_BREAK_H */
