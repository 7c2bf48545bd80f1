// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * yield: tasks of one priority on one CPU call sched_yield() in turn; between
 * two calls, each reads data of its own, which the others push out of the
 * caches. A trial is the switch from the last task to the first.
 */
#include <sched.h>
#include <semaphore.h>

#include "pt_rows.h"

#define EQUALS_MAX	16
#define KIB_MAX		64
#define LINE		64
#define LINES		(KIB_MAX * 1024 / LINE)

struct line {
	uint64_t word[LINE / sizeof(uint64_t)];
};

struct equals {
	sem_t here;		/* posted by each but the first; */
	sem_t start;		/* and posted to them */
	bool end;
	int count;
	uint64_t yields;	/* of all */
	uint64_t disordered;	/* laps in which not each yielded once */
	struct line data[EQUALS_MAX][LINES];
};

/* A kind. */
struct size {
	int tasks;
	int kib;
};

static const struct size *size_of(const struct pt_case *c)
{
	return pt_kind_ops(c);
}

static uint64_t touch(const struct line *data, int lines)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < lines; i++)
		sum += data[i].word[0];
	return sum;
}

static void yield(struct pt_task *task, struct equals *equals)
{
	equals->yields++;
	task->in->stamp_ns = pt_now(task);
	sched_yield();
}

/* They are woken in turn, and run when the first task yields. */
static void gather(struct equals *equals)
{
	int i;

	for (i = 1; i < equals->count; i++)
		pt_wait(&equals->here);
	for (i = 1; i < equals->count; i++)
		sem_post(&equals->start);
}

/* The first leads. It runs again when all others have yielded, too. */
static int lead(struct pt_task *task, struct equals *equals, int lines)
{
	struct pt_trial trial = { .t_ns = { 0 } };
	uint64_t sum, yields;
	int err = 0;

	gather(equals);
	while (!err && pt_more(task)) {
		yields = equals->yields;
		yield(task, equals);
		trial.t_ns[1] = pt_now(task);
		sum = touch(equals->data[0], lines);
		trial.t_ns[2] = pt_now(task);
		trial.t_ns[0] = task->in->stamp_ns;
		equals->disordered += equals->yields - yields !=
				      (uint64_t)equals->count;
		err = pt_check_sum(task, sum);
		if (!err)
			pt_record(task, &trial);
	}
	equals->end = true;
	return err;
}

static int follow(struct pt_task *task, struct equals *equals, int lines)
{
	int err = 0;

	sem_post(&equals->here);
	pt_wait(&equals->start);
	while (!err && !equals->end) {
		err = pt_check_sum(task, touch(equals->data[task->copy],
					       lines));
		yield(task, equals);
	}
	return err;
}

static int run(struct pt_task *task)
{
	struct equals *equals = pt_room(task);
	int i, lines = size_of(task->in)->kib * 1024 / LINE;

	for (i = 0; i < lines; i++)
		equals->data[task->copy][i].word[0] = (uint64_t)i + 1;
	return task->copy ? follow(task, equals, lines) :
			    lead(task, equals, lines);
}

static int count_equals(const struct pt_case *c)
{
	return size_of(c)->tasks;
}

static int open_equals(struct pt_case *c)
{
	struct equals *equals = c->room;

	equals->count = count_equals(c);
	sem_init(&equals->here, 1, 0);
	sem_init(&equals->start, 1, 0);
	return 0;
}

static void verify(struct pt_case *c)
{
	const struct equals *equals = c->room;

	/* With time slices, a task may lose its turn. */
	if (equals->disordered && tw_config.policy == SCHED_FIFO)
		pt_verdict(c, true, "in %llu laps, not each task yielded once",
			   (unsigned long long)equals->disordered);
}

static const struct pt_metric metrics[] = {
	PT_METRIC("switch", "Switch to a task of one's priority", 0, 1,
		  .rate = "switches", PT_SPAN(PT_TO_RUN, 0, 0)),
	PT_METRIC("touched", "Switch, and its data read", 0, 2,
		  PT_SPAN(PT_TO_RUN, 0, 0)),
	{ .token = NULL }
};

#define KIND(tasks, kib) \
	{ #tasks "x" #kib, .ops = &(const struct size) { tasks, kib }, \
	  .switches = tasks }

static const struct pt_kind kinds[] = {
	KIND(2, 0), KIND(2, 16), KIND(2, 64),
	KIND(8, 0), KIND(8, 16), KIND(8, 64),
	KIND(16, 0), KIND(16, 16), KIND(16, 64),
	{ .name = NULL }
};

static const struct pt_role roles[] = {
	{ "yields", PT_HIGH, .run = run },
	{ .name = NULL }
};

const struct pt_test pt_yield = {
	.name = "yield",
	.about = "sched_yield() among equals; the kind: tasks x KiB touched",
	.groups = PT_RHEALSTONE,
	.flags = PT_SAME | PT_REALTIME,
	.kinds = kinds, .metrics = metrics, .roles = roles,
	.copies = count_equals,
	.trials = 2000, .room = sizeof(struct equals),
	.open = open_equals, .verify = verify,
};
