/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A part is a feature: its options, and what it does in a run. It has files of
 * its own and a row in the program's table of parts. All members may be NULL.
 * main calls the functions, in the order of the table, but for close() and
 * end(): these in the reverse order.
 *
 * A function that returns int returns 0, or -errno after tw_fail().
 */
#ifndef TW_PART_H
#define TW_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "frame/tw_option.h"

struct tw_json;
struct tw_pair;
struct tw_run;

/* A file that a part writes. */
struct tw_result {
	const char *option;	/* "dump" */
	const char **path;	/* as given by the user; NULL: not wanted */
	struct tw_file *file;
	/*
	 * At the end of the run; NULL: it was written during the run. Returns
	 * 0 or -errno; errors of @file are found without it.
	 */
	int (*write)(const struct tw_run *run, FILE *file);
	/* Whether there is anything to write; NULL: always. */
	bool (*has_any)(const struct tw_run *run);
	/* It contains the exit status; "-" is standard output. One has it. */
	bool verdict;
};

struct tw_part {
	const char *name;
	const struct tw_option *options;	/* the last has no name */
	/* The settings, and what they are before the options are read. */
	void *settings;
	const void *initial;
	size_t size;
	/*
	 * Called when all options are read: completes the settings and refuses
	 * contradictions.
	 */
	int (*check)(struct tw_run *run);
	/*
	 * For a part that sets run->only: what it does instead of measuring.
	 * Its text() and json() are printed. Returns the exit status.
	 */
	int (*instead)(struct tw_run *run);
	/* Before the first step. */
	int (*open)(struct tw_run *run);
	/* Before each step, and after it. */
	int (*begin)(struct tw_run *run);
	void (*end)(struct tw_run *run);
	/* During a step: at ticks, see tw_run_tick_at(); after SIGCHLD. */
	int (*tick)(struct tw_run *run);
	int (*woken)(struct tw_run *run);
	/* After the last step, before the results are written. */
	void (*finish)(struct tw_run *run);
	/* Also after a failure of open(), its own or another part's. */
	void (*close)(struct tw_run *run);
	/* Whether the results make the exit status 2. */
	bool (*exceeded)(const struct tw_run *run);
	/*
	 * Memory that each pair shares with main: how many bytes, and what to
	 * do with them when they were mapped (zeroed, aligned for any type).
	 */
	size_t (*room)(const struct tw_run *run);
	void (*attach)(struct tw_run *run, struct tw_pair *pair, void *room);
	/* Adds to a sum of steps what a step's pair has in there. */
	void (*merge)(struct tw_pair *sum, const struct tw_pair *pair);
	/*
	 * What it adds to the text, the remarks before: these are where the
	 * histogram is; and to the program's object and "settings" in the JSON.
	 */
	void (*remarks)(FILE *file, const struct tw_run *run);
	void (*text)(FILE *file, const struct tw_run *run);
	void (*json)(struct tw_json *json, const struct tw_run *run);
	void (*json_settings)(struct tw_json *json, const struct tw_run *run);
	const struct tw_result *result;
};

/* @set: a static struct. @initial: a constant of the same type. */
#define TW_SETTINGS(set_, initial_) \
	.settings = &(set_), .initial = &(initial_), .size = sizeof(set_)

#endif /* TW_PART_H */
