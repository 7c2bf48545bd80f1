/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A test of one primitive: its kinds, its metrics and its tasks, in a const
 * struct in a file of rows/, with a row in pt_rows.h. A case is a test of one
 * kind with its tasks as threads or processes, on one CPU or two. A trial is a
 * few timestamps; metrics are functions of them. Values are in ps, as that of
 * one operation out of a hundred is a fraction of a ns.
 */
#ifndef PT_TEST_H
#define PT_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tw_metric.h"
#include "tw_time.h"

#define PT_STAMPS	5	/* timestamps of a trial */
#define PT_BEFORE	PT_STAMPS	/* from here on: of the one before it */
#define PT_TIMES	(2 * PT_STAMPS)
#define PT_METRICS	5	/* of a test */
#define PT_TASKS	17
#define PT_PS_PER_NS	1000
#define PT_NO_VALUE	TW_NO_VALUE

struct pt_case;
struct pt_task;

struct pt_trial {
	int64_t t_ns[PT_STAMPS];	/* PT_NO_VALUE: see pt_no_trial */
	int copy;		/* whose it is, of copies that each have some */
	int pid;		/* of a task that lives for it only; 0: none */
};

/* The levels of priority: P - 2, P - 1, P and P + 1, if -p is P. */
enum pt_level {
	PT_LOW,
	PT_MID,
	PT_HIGH,
	PT_ABOVE,
	PT_ORDERED,	/* as --order says, of who answers one of PT_MID */
	PT_BOTTOM,	/* 1 */
	PT_STEPPED	/* of the first copy P, of the next P - 1, and so on */
};

/* What a task is to do from the first time of a metric to the second. */
enum pt_to {
	PT_TO_NOTHING,		/* others do, within it; or it is not a time */
	PT_TO_ADD,		/* it adds up all spans of the trial */
	PT_TO_RUN,
	PT_TO_WAIT,		/* until another task wakes it... */
	PT_TO_WAIT_LONG,	/* ...which has work to do before */
	PT_TO_EXPIRE,		/* to be woken by a timer, due at the first */
	PT_TO_SLEEP,		/* the same; it began to sleep at t_ns[0] */
	PT_TO_REPEAT		/* woken each target_ps() since the last */
};

#define PT_OF_TRIAL	(-1)	/* the task whose pid is in the trial */

/* For --trace: who is late if a trial is, by number among the tasks. */
struct pt_who {
	enum pt_to to;
	int task;		/* who is to do it; of copies, the first one */
	int by;			/* who is to wake it */
};

struct pt_metric {
	const char *token;	/* NULL: end of the table */
	const char *label;
	/* Between times of a trial, as in struct tw_metric. */
	uint8_t span[4];
	bool not_zero;		/* 0 is none */
	struct pt_who who;
	/* What one value is one of, as "messages", for "# Rate:"; or NULL. */
	const char *rate;
	/*
	 * Above 1: so many operations are between the two times. Then
	 * the clock's cost is subtracted, and the rest divided.
	 */
	int per;
	/* What it is to be; NULL: as short as can be. */
	int64_t (*target_ps)(const struct pt_case *c);
};

/* From a time to another, the last words may be more members; and two spans. */
#define PT_METRIC(name, text, from, to, ...) \
	PT_METRIC2(name, text, from, to, 0, 0, __VA_ARGS__)
#define PT_METRIC2(name, text, from, to, from2, to2, ...) \
	{ .token = name, .label = text, .span = { from, to, from2, to2 }, \
	  __VA_ARGS__ }
#define PT_WHO(...)	.who = { __VA_ARGS__ }
#define PT_RUNS		PT_WHO(PT_TO_RUN, 0, 0)

/* A table of metrics, kinds or roles. */
#define PT_TABLE(of, ...)	(const struct pt_##of[]) { __VA_ARGS__, { 0 } }

struct pt_role {
	const char *name;	/* of the task: "prim-" and this; NULL: end */
	enum pt_level level;
	bool other_cpu;		/* with --cpus=cross */
	/*
	 * One of three, which return 0 or -errno. All trials; or of the task
	 * that leads, one; or what another does each time that it is woken by
	 * pt_wake().
	 */
	int (*run)(struct pt_task *task);
	int (*once)(struct pt_task *task);
	int (*serve)(struct pt_task *task);
};

struct pt_kind {
	const char *name;	/* NULL: end of the table */
	int64_t value;		/* what the test understands by it */
	const void *ops;
	/* The following replace what the test has; 0 and NULL: they do not. */
	int switches;
	int64_t trials;
	const struct pt_metric *metrics;
	const struct pt_role *roles;
	int copies;		/* so many tasks of the last role; 0: one */
	/* System calls of a round trip that wake and wait, if it is known. */
	int calls;
	/* Not every system has it: skipped unless it is named itself. */
	bool optional;
	const char *words;	/* what it is; NULL: the name says it */
};

/* Groups of tests, for --test. */
enum {
	PT_AEGIS = 1 << 0, PT_SAMPLES = 1 << 1, PT_PCSERVER = 1 << 2,
	PT_NOTES = 1 << 3, PT_OVERHEADS = 1 << 4, PT_RHEALSTONE = 1 << 5
};

/* What a test cannot do without, or does not distinguish. */
enum {
	PT_ALONE = 1 << 0,	/* one task: no threads or processes in names */
	PT_SAME = 1 << 1,	/* tasks are on one CPU */
	PT_THREADS = 1 << 2,	/* tasks are threads */
	PT_REALTIME = 1 << 3,	/* needs -p */
	PT_SPINS = 1 << 4,	/* spins half of each second: see pt_rest() */
	/* Copies have trials of their own; every second is on the other CPU. */
	PT_SPREAD = 1 << 5,
	PT_PACED = 1 << 6,	/* -i is for it */
	PT_TELLS = 1 << 7,	/* a verdict even if nothing was wrong */
	PT_TURNS = 1 << 8	/* with time slices, it may go wrong */
};

/* Options that replace a test's kinds by one that they name. */
enum pt_own {
	PT_OWN_NONE,
	PT_OWN_SIZE,
	PT_OWN_PERIOD,
	PT_OWN_COPIES,
	PT_OWNS
};

struct pt_test {
	const char *name;
	const char *about;	/* for --list */
	unsigned int groups;
	unsigned int flags;
	enum pt_own own;
	/* Completes the kind that @own names; NULL: it is as the first one. */
	void (*own_kind)(struct pt_kind *kind);
	const struct pt_kind *kinds;	/* NULL: none */
	const struct pt_metric *metrics;
	/* One for each task; NULL: one, PT_HIGH, of once() or run(). */
	const struct pt_role *roles;
	int (*once)(struct pt_task *task);
	int (*run)(struct pt_task *task);
	/* Called by each task, before the first trial; NULL: by none. */
	int (*enter)(struct pt_task *task);
	/*
	 * How many switches each trial needs, in all tasks together; at least
	 * 99 % of them must happen. The same if it depends on the settings.
	 */
	int switches;
	int (*switches_of)(const struct pt_case *c);
	int spare_switches;	/* so many more are not needed, but may be */
	int64_t trials;		/* default of -l */
	size_t room;		/* bytes that the tasks share, see pt_room() */
	/*
	 * Called by the process that starts the tasks, before and after them.
	 * open() returns 0, or -errno after pt_refuse(). What close() does
	 * must not be needed: the process may be killed.
	 */
	int (*open)(struct pt_case *c);
	void (*close)(struct pt_case *c);
	/*
	 * The verdict if something was wrong: how often, of how many trials.
	 * It is if t_ns[late] is before t_ns[early], and as the test says.
	 */
	const char *wrong;
	int late, early;
	/* After the tasks: pt_verdict(). */
	void (*verify)(struct pt_case *c);
	/* Of all results: pt_derive(). */
	void (*derive)(const struct pt_case *c);
};

/* A test, what --list says of it, and more members. */
#define PT_TEST(text, what, ...) \
	const struct pt_test pt_##text = { \
		.name = #text, .about = what, __VA_ARGS__ \
	}

/* The table; the last is NULL. */
extern const struct pt_test *const pt_tests[];

#endif /* PT_TEST_H */
