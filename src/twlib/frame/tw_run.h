/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run of the program: what the command line asks for, what the parts do with
 * it, and what failed.
 *
 * All functions here are called by main.
 */
#ifndef TW_RUN_H
#define TW_RUN_H

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

#include "frame/tw_column.h"
#include "frame/tw_output.h"
#include "frame/tw_part.h"

#define TW_OPTIONS_MAX	128

struct tw_environ_params;

/* What a program is: all that the frame does not know of it. */
struct tw_program {
	const char *name;
	const char *object;	/* name of its object in the JSON */
	const char *about;	/* head of --help */
	const char *hint_first;	/* a line for who gives no option; or NULL */
	const struct tw_part *const *parts;	/* the last is NULL */
	/*
	 * Returns what to use instead of an unknown option, for a message; or
	 * NULL. @word: as given, such as "-t5" or "--threads=5". @letter: the
	 * letter where getopt stopped, or 0. NULL: it knows none.
	 */
	const char *(*hint)(const char *word, int letter);
	/*
	 * Runs a step, between the parts' begin() and end(). Returns 0, or
	 * -errno after tw_fail(); the results so far are valid in both cases.
	 */
	int (*run)(struct tw_run *run);
	/* The results as they are now; valid until the next call. */
	struct tw_columns (*columns)(const struct tw_run *run);
	/*
	 * For the display: the policy, and a line on the progress, or ""; NULL:
	 * there is never one.
	 */
	const char *(*policy)(const struct tw_run *run);
	const char *(*progress)(const struct tw_run *run);
	/*
	 * A copy of @run with the sum of all steps so far as its results; NULL:
	 * no memory, or no results yet. And the end of that copy.
	 */
	struct tw_run *(*so_far)(struct tw_run *run);
	void (*forget)(struct tw_run *copy);
	/* For tw_part_check: the settings that its checks depend on. */
	void (*environ_params)(const struct tw_run *run,
			       struct tw_environ_params *params);
	/* What a finding disturbs; NULL: as the table of checks says. */
	const char *disturbs;
};

struct tw_run {
	const struct tw_program *program;
	const struct tw_part *const *parts;	/* the program's */
	cpu_set_t allowed;	/* CPUs of the caller */
	cpu_set_t reachable;	/* CPUs that options may name, isolated too */
	/* The options of all parts, sorted by name. */
	const struct tw_option *options[TW_OPTIONS_MAX];
	bool given[TW_OPTIONS_MAX];	/* by the user */
	int option_count;
	bool help;		/* only print the help, or the version */
	bool version;
	int steps;		/* 1: no ramp */
	int step;		/* index of the current step, from 0 */
	int tick_ms;		/* time between ticks; 0: no ticks */
	bool started;		/* there are results */
	bool over;		/* no further step */
	int interrupted;	/* the signal that ended the run; 0: none */
	int signal_fd;		/* of the part "signals"; -1: not open */
	int64_t window_us;	/* width of the histograms; 0: none */
	bool unwritten;		/* the run ended because of the output */
	bool remarks_elsewhere;	/* not in the text, but in --histfile */
	const struct tw_show *show;
	struct tw_output output;
	double step_s;		/* how long a step may take at the most */
	/* A part that does something else than to measure; NULL: none. */
	const struct tw_part *only;
	bool partial;		/* a copy, of a run that has not ended */
	int return_code;	/* the exit status */
	int argc;		/* the command line as given */
	char **argv;
	int err;		/* the first failure, -errno; 0: none */
	char error[TW_ERROR_MAX];	/* its message; "": none */
};

/*
 * Stores the message of a failure with @err, -errno, unless there is one
 * already: what failed first is likely to be the cause of the others. Returns
 * @err.
 */
int tw_fail(struct tw_run *run, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Resets the settings of all parts, parses the command line and lets each part
 * check it; like getopt, it may reorder @argv. Returns 0; or -EINVAL and one
 * line in run->error: the option, its value, and what is allowed. Prints and
 * starts nothing. Settings point into @argv.
 */
int tw_run_parse(struct tw_run *run, const struct tw_program *program,
		 int argc, char *argv[]);

/* Called by open(): asks for a tick() every @ms at the latest. */
void tw_run_tick_at(struct tw_run *run, int ms);

/*
 * Calls the functions of all parts. tw_run_steps() stops before the next step
 * if a step failed or run->over is set. Return 0, or -errno of the first that
 * failed.
 */
int tw_run_open(struct tw_run *run);
int tw_run_steps(struct tw_run *run);
void tw_run_finish(struct tw_run *run);
void tw_run_close(struct tw_run *run);

/* Called by the program within a step. Return as the functions of the parts. */
int tw_run_tick(struct tw_run *run);
int tw_run_woken(struct tw_run *run);

/*
 * The shared memory of a pair: its size (SIZE_MAX: too large), the distribution
 * to the parts, and the sum of what two pairs have there. @memory is zeroed and
 * aligned to a cache line.
 */
size_t tw_run_room(const struct tw_run *run);
void tw_run_attach(struct tw_run *run, struct tw_pair *pair, void *memory);
void tw_run_merge(const struct tw_run *run, struct tw_pair *sum,
		  const struct tw_pair *pair);

/* Whether the results of any part make the exit status 2. */
bool tw_run_exceeded(const struct tw_run *run);

/*
 * The program: parses the command line, measures, writes the results. Returns
 * the exit status. @run: zeroed.
 */
int tw_run_main(struct tw_run *run, const struct tw_program *program,
		int argc, char *argv[]);

#define TW_EXIT_EXCEEDED	2	/* exit status: a limit, or findings */

/* Parts of every program. */
extern const struct tw_part tw_part_display;
extern const struct tw_part tw_part_histogram;
extern const struct tw_part tw_part_json;
extern const struct tw_part tw_part_latency;
extern const struct tw_part tw_part_percentiles;
extern const struct tw_part tw_part_signals;

/*
 * Called by the program when run->signal_fd can be read: notes what was sent to
 * main. Returns true if the run is to end.
 */
bool tw_run_take_signals(struct tw_run *run);

/*
 * The latency in us that power management is limited to by the run, or would
 * be if it measured; -1: not limited.
 */
int64_t tw_latency_us(const struct tw_run *run);

/* --help and --version: a part of every program. */
extern const struct tw_part tw_part_help;

/* Prints the text of --help, after tw_run_parse(). */
void tw_run_help(const struct tw_run *run, FILE *file);

#endif /* TW_RUN_H */
