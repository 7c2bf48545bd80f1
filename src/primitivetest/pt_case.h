/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A case: a test in one kind, its tasks and its results, in memory that its
 * tasks share with main. The tasks are threads or processes of a process that
 * starts them ("starter"); it is above all of them, and knows itself when their
 * time is over.
 */
#ifndef PT_CASE_H
#define PT_CASE_H

#include <semaphore.h>
#include <stdatomic.h>

#include "pt_test.h"
#include "tw_jumps.h"
#include "tw_run.h"
#include "tw_spent.h"

/* --tasks and --cpus. */
enum { PT_AS_THREAD = 1, PT_AS_PROCESS = 2 };
enum { PT_ON_SAME = 1, PT_ON_CROSS = 2 };

struct pt_words {
	const char *text;	/* as it was given */
	int bits;		/* one for each word that the option allows */
};

/* --order: a task that answers has a priority that is */
enum pt_order { PT_HIGHER, PT_LOWER, PT_EQUAL };

/*
 * The user's settings, besides those of tw_config: its loops, duration_s,
 * warmup, clock, priority (of PT_HIGH), policy, mlockall, quiet and nsecs; and
 * tw_place(): of TW_CLIENT the first CPU, of TW_SERVER the second, or the same.
 */
struct pt_config {
	int64_t interval_us;	/* -i; 0: the next trial follows at once */
	int64_t own[PT_OWNS];	/* --size, --period, --copies; 0: not given */
	int64_t work;		/* --work: iterations; 0: calibrated */
	int64_t hold_us, hog_us;
	int64_t bin_ns;		/* width of a row of a histogram */
	int64_t break_us;	/* -b; 0: off */
	struct pt_words tasks, cpus;
	enum pt_order order;
	bool us;		/* times are printed in microseconds */
	bool details;		/* --metrics or -v: all is printed */
	bool keep;		/* trials are kept, for --dump or -v */
	bool trace;
	bool two_cpus;		/* there are two that it may use */
};

extern struct pt_config pt_config;

/* The real-time priority of a task of @level, from PT_LOW to PT_ABOVE. */
static inline int pt_config_priority(enum pt_level level)
{
	return tw_config.priority ?
	       (int)tw_config.priority - PT_HIGH + (int)level : 0;
}

/* Of what watches them. */
static inline struct tw_rank pt_config_above(void)
{
	return tw_policy_fifo(pt_config_priority(PT_ABOVE));
}

/* The CPUs of all tasks. */
void pt_config_cpus(cpu_set_t *cpus);

#define PT_STACK	(256 * 1024)	/* of a thread: all of it is locked */
#define PT_NAME		64
#define PT_TEXT		200
#define PT_VERDICTS	4
#define PT_FIRST	8	/* warm-up trials whose values are kept */
#define PT_BLOCK	32	/* trials that are recorded together */
#define PT_CASES_MAX	255

/*
 * Parts of twowaytest that record values: of the whole run, the first; of each
 * case, the others.
 */
#define PT_RECORDERS	4
extern const struct tw_part *const pt_recorders[PT_RECORDERS];

/* What was chosen by --test, --tasks and --cpus. */
struct pt_choice {
	const struct pt_test *test;
	const struct pt_kind *kind;	/* NULL: it has none */
	bool process;
	bool cross;
	bool named;		/* by the user: what cannot be is refused */
};

/* A thread or process. */
struct pt_task {
	struct pt_case *in;
	const struct pt_role *role;
	int number;		/* among the tasks; and among its copies */
	int copy;
	char name[16];
	int priority;
	enum tw_role on;	/* the client's CPU, or the server's, the other */
	sem_t gate;		/* opened when all are ready; see pt_wake() */
	int pid;		/* of the thread */
	struct tw_process process;	/* if it is one */
	const char *failed;	/* what failed; NULL: nothing */
	int err;
	struct tw_process begun, left;	/* its settings at its begin and end */
	struct tw_usage used;	/* in its trials */
	struct tw_spent spent;	/* in its whole life, once that ends */
	int64_t next_ns;	/* -i: CLOCK_MONOTONIC */
	int64_t spin_begin_ns;	/* see pt_rest() */
	uint64_t checksum;	/* of results; see pt_check_sum() */
	bool summed;
};

struct pt_verdict {
	bool failed;
	char text[PT_TEXT];
};

/* A trial that is kept: for --dump, -v or --worst, or the one of -b. */
struct pt_kept {
	uint64_t number;	/* from 1; the warm-up has none */
	struct pt_trial trial;
	int64_t values_ps[PT_METRICS];
};

/* What is measured of a metric. */
struct pt_column {
	struct pt_case *in;
	const struct pt_metric *metric;
	char name[PT_NAME + 16];	/* of the case, and of the metric */
	int64_t target_ps;	/* 0: none */
	struct tw_stats stats;	/* in ps */
	struct pt_kept worst;
	bool shown;		/* in the text */
};

/* The trial that was above -b, and what is needed to find its cause. */
struct pt_broke {
	int column;
	struct pt_kept kept;
	int64_t ahead_ns;	/* its clock minus CLOCK_MONOTONIC */
};

/* Those of one task are not in the cache line of another's. */
struct pt_stamp {
	_Alignas(64) int64_t ns;
};

struct pt_case {
	struct pt_choice choice;
	struct pt_kind kind;	/* what the choice's lacks is as in the test */
	void *rooms;		/* memory of parts; NULL: it was not run */
	void *room_of[PT_RECORDERS];	/* NULL: the part has none */
	char name[PT_NAME];	/* "sync2.unnamed.process.same" */
	const struct tw_clock *stamped;	/* t_ns; another in bintime only */
	uint64_t trials;	/* to be measured; 0: until told */
	int columns;
	struct pt_column column[PT_METRICS];
	int tasks;		/* that it has, */
	int task_count;		/* and that were started */
	struct pt_task task[PT_TASKS];
	struct tw_process starter;
	sem_t ready;		/* posted by each task */
	sem_t ended;		/* likewise */
	pid_t guard;		/* of SysV semaphores; 0: there is none */
	char refused[PT_TEXT];	/* why it is skipped; "": it is run */
	struct pt_verdict verdict[PT_VERDICTS];
	int verdicts;
	/* Read within a trial. */
	_Alignas(64) int64_t (*now_ns)(void);	/* tw_config.clock */
	void *room;		/* NULL: it is not open */
	atomic_int stop;	/* the task that leads shall end */
	struct pt_stamp stamp[PT_STAMPS];	/* of the trial: pt_stamp() */
	/* Written by the task that records. */
	_Alignas(64) atomic_int over;	/* see pt_over() */
	atomic_ulong done;	/* trials; others see by it that there are more */
	uint64_t recorded;	/* of them, those of the warm-up too */
	/* The last ones wait for that: see pt_record(). */
	int waiting, block_size;
	struct pt_trial block[PT_BLOCK];
	struct pt_trial before;	/* the last one, or pt_no_trial */
	uint64_t first_count;
	int64_t first_ps[PT_FIRST][PT_METRICS];
	uint64_t missed;	/* expiries */
	int64_t lost_ns;	/* -i: the longest time in which some were */
	uint64_t paced;		/* sleeps of -i */
	struct tw_watch watch;	/* of "stamped" */
	struct tw_jumps jumps;
	struct pt_broke broke;	/* number 0: none was above -b */
	int64_t begin_ns, end_ns;	/* of all trials; CLOCK_MONOTONIC */
	int64_t measured_ns;	/* begin of the measured ones; 0: of none yet */
	int64_t number;		/* for the test: it tells its result by it */
	int64_t wrong;		/* what test->wrong says */
	int born;		/* pid of a task that lives for it only */
	uint64_t kept_max;
	struct pt_kept *kept;	/* all trials, if they are kept */
	size_t size;		/* of all this but the room, in bytes */
	uint64_t throttled;	/* trials; written by main */
};

/*
 * All cases, in their order, of which the first pt_case_count have ended; and
 * the columns of those that were run. Written by main.
 */
extern struct pt_case *pt_cases[PT_CASES_MAX];
extern int pt_chosen_count, pt_case_count;
extern struct pt_column *pt_columns[PT_CASES_MAX * PT_METRICS];
extern int pt_column_count;

/*
 * Maps a case, which has the name TEST[.KIND][.thread|.process][.same|.cross];
 * opens it before its tasks start; settles it when they have ended.
 */
struct pt_case *pt_case_map(const struct pt_choice *choice);
void pt_case_open(struct pt_case *c);
void pt_case_settle(struct pt_case *c);

/* What a reading of tw_config.clock takes. */
extern int64_t pt_clock_ps;

/* The cost of a reading, in thousandths: the least average of a few series. */
int64_t pt_reading_cost(int64_t (*read)(void));

/* A trial that takes longer is an error. */
int pt_case_limit_ms(const struct pt_case *c);

/*
 * How many trials there were, with those of the warm-up. Asked by the task that
 * records, or when that makes no more.
 */
static inline uint64_t pt_trials(const struct pt_case *c)
{
	return c->recorded + (uint64_t)c->waiting;
}

/* What the tasks of a case share. */
static inline void *pt_room(const struct pt_task *task)
{
	return task->in->room;
}

static inline int64_t pt_now(const struct pt_task *task)
{
	return task->in->now_ns();
}

static inline int64_t pt_kind_value(const struct pt_case *c)
{
	return c->kind.value;
}

static inline const void *pt_kind_ops(const struct pt_case *c)
{
	return c->kind.ops;
}

/* For open(): why the case cannot be run, for a message. Returns @err. */
int pt_refuse(struct pt_case *c, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* For a task: what failed, such as "mq_send". Returns @err. */
int pt_failed(struct pt_task *task, const char *what, int err);

/* For verify(): a line "# Verdict:"; @failed makes the exit status 1. */
void pt_verdict(struct pt_case *c, bool failed, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Mean, minimum and maximum, in ns, of a metric of a case; and of the column
 * @name, such as "sync1.futex.pair". false: it was not measured.
 */
struct pt_sum {
	double mean_ns, min_ns, max_ns;
};

bool pt_sum_in(const struct pt_case *c, const char *metric,
	       struct pt_sum *sum);
bool pt_sum_of(const char *name, struct pt_sum *sum);

/* Called by main: runs the case. Returns 0 or, after a message, -errno. */
int pt_starter_start(struct pt_case *c);

/* Switches of the tasks in their trials. */
struct pt_switches {
	int64_t had;
	int64_t usual;		/* if nobody disturbs them */
	int64_t needed;		/* at least... */
	bool lack;		/* ...but less than 99 % of them happened */
};

struct pt_switches pt_switches(const struct pt_case *c);

#endif /* PT_CASE_H */
