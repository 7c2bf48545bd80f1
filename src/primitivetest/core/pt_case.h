/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A case: a test in one kind, with its results, in memory that its tasks share
 * with main. See pt_test.h.
 */
#ifndef PT_CASE_H
#define PT_CASE_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/resource.h>

#include "base/tw_child.h"
#include "base/tw_clock.h"
#include "base/tw_series.h"
#include "base/tw_system.h"
#include "core/pt_config.h"
#include "core/pt_test.h"

#define PT_NAME		64
#define PT_TEXT		200
#define PT_VERDICTS	4
#define PT_FIRST	8	/* warm-up trials whose values are kept */
#define PT_FDS		8

/* What was chosen by --test, --tasks and --cpus. */
struct pt_choice {
	const struct pt_test *test;
	const struct pt_kind *kind;	/* NULL: it has none */
	bool process;
	bool cross;
	bool named;		/* by the user: what cannot be is refused */
};

struct pt_usage {
	int64_t minor_faults, major_faults;
	int64_t voluntary, involuntary;	/* switches */
};

/* A thread or process. */
struct pt_task {
	struct pt_case *in;
	const struct pt_role *role;
	int number;		/* among the tasks; and among its copies */
	int copy;
	char name[16];
	int priority;
	cpu_set_t cpus;
	sem_t gate;		/* opened when all are ready */
	int pid;		/* of the thread */
	struct tw_child child;	/* if it is a process */
	const char *failed;	/* what failed; NULL: nothing */
	int err;
	struct tw_settings settings, left;
	struct pt_usage used;	/* by its trials */
	int64_t spin_begin_ns;	/* see pt_rest() */
	uint64_t checksum;	/* of results; see pt_check_sum() */
	bool summed;
};

struct pt_verdict {
	bool failed;
	char text[PT_TEXT];
};

/* A trial that was kept for --dump or -v, or as one of the worst. */
struct pt_kept {
	uint64_t number;	/* from 1; the warm-up has none */
	struct pt_trial trial;
	int64_t value_ps[PT_METRICS];
};

/* What is kept of the trial that was above -b, to find its cause. */
struct pt_broke {
	struct pt_kept kept;
	bool throttled;		/* it took as long as throttling stops tasks */
	bool has_before;
	struct pt_trial before;
	double means_ps[PT_METRICS];	/* of those before, or the warm-up's */
	int64_t ahead_ns;	/* its clock minus CLOCK_MONOTONIC */
	int mark_err;		/* error of a mark or stop, -errno; or 0 */
};

struct pt_case {
	struct pt_choice choice;
	char name[PT_NAME];	/* "sync2.unnamed.process.same" */
	const struct pt_config *config;
	struct tw_clock clock;
	struct tw_clock stamped;	/* of t_ns; another in bintime only */
	int64_t clock_ps;	/* cost of a reading */
	uint64_t trials;	/* to be measured; 0: until told */
	int metric_count;
	const struct pt_metric *metric[PT_METRICS];
	char token[PT_METRICS][PT_NAME + 16];	/* name and metric */
	int task_count;
	struct pt_task task[PT_TASKS];
	const struct pt_task *culprit;	/* the process that failed first */
	sem_t ready;		/* posted by each task */
	atomic_int go;		/* all tasks are ready */
	int fds[PT_FDS];	/* that processes need: see pt_keep() */
	int fd_count;
	char refused[PT_TEXT];	/* why it cannot be run; "": it can */
	struct pt_verdict verdict[PT_VERDICTS];
	int verdicts;
	atomic_int stop;	/* the task that leads shall end */
	/* Written by the task that records. */
	_Alignas(TW_CACHE_LINE) atomic_int over;	/* see pt_over() */
	_Atomic uint64_t done;	/* trials, those of the warm-up too */
	bool has_before;
	struct pt_trial before;
	uint64_t first_count;
	int64_t first_ps[PT_FIRST][PT_METRICS];
	uint64_t missed;
	uint64_t paced;		/* sleeps of -i */
	uint64_t throttled;
	int64_t broken_ps;	/* -b: the value; 0: none was above */
	int broken;		/* its metric */
	struct pt_broke broke;
	int64_t begin_ns, end_ns;	/* of all trials; measuring clock */
	int64_t number;		/* for the test: it tells its result by it */
	int64_t stamp_ns;	/* of the task that does not lead */
	struct tw_series *series;
	struct pt_kept *kept;	/* all trials; NULL: not wanted */
	uint64_t kept_max;
	struct pt_kept *worst;	/* of each metric; NULL: not wanted */
	void *room;
	size_t size;		/* of all this, in bytes */
};

/*
 * Maps a case. Returns NULL and errno if there is no memory. @clock: opened.
 * @shared: with tasks; else only to keep results.
 */
struct pt_case *pt_case_map(const struct pt_config *config,
			    const struct pt_choice *choice,
			    const struct tw_clock *clock, int64_t width_us,
			    bool shared);
void pt_case_unmap(struct pt_case *c);

/* The name of a choice: TEST[.KIND][.thread|.process][.same|.cross]. */
void pt_choice_name(const struct pt_choice *choice, char name[PT_NAME]);

/*
 * Whether the limit's metric is that one: its first part is the test, its last
 * the metric, and those between are in the name, as in sync2.cond.roundtrip.
 */
bool pt_limit_is_for(const struct pt_limit *limit, const struct pt_case *c,
		     int metric);

/* Those of its kind, or of its test. */
const struct pt_metric *pt_choice_metrics(const struct pt_choice *choice);

/* How many trials it has by default. */
int64_t pt_choice_trials(const struct pt_choice *choice);

/* What the tasks of a case share. */
static inline void *pt_room(const struct pt_task *task)
{
	return task->in->room;
}

static inline int64_t pt_now(const struct pt_task *task)
{
	const struct tw_clock *clock = &task->in->clock;

	return clock->read_ns(clock);
}

static inline int64_t pt_kind_value(const struct pt_case *c)
{
	return c->choice.kind ? c->choice.kind->value : 0;
}

static inline const struct pt_role *pt_roles(const struct pt_case *c)
{
	const struct pt_kind *kind = c->choice.kind;

	return kind && kind->roles ? kind->roles : c->choice.test->roles;
}

/* For open(): why the case cannot be run, for a message. Returns @err. */
int pt_refuse(struct pt_case *c, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* For a task: what failed, such as "mq_send". Returns @err. */
int pt_failed(struct pt_task *task, const char *what, int err);

/* For open(): tasks that are processes keep @fd open. */
void pt_keep(struct pt_case *c, int fd);

/* For verify(): a line "# Verdict:"; @failed makes the exit status 1. */
void pt_verdict(struct pt_case *c, bool failed, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* PT_CASE_H */
