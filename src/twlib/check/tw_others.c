// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check/tw_others.h"

/* What is rounded, here and there. */
#define SLACK_TICKS	2
/* The part of the time that idling may cost where /proc/stat counts it. */
#define COARSE_PART	10

/* What is said of one CPU needs the run's time on all of them. */
struct sums {
	int64_t own_ns;		/* main and its descendants, anywhere */
	int64_t beside_ns;	/* on the run's CPUs, all but the sides */
	int64_t slack_ns;
};

int tw_others_before(struct tw_others_state *state, const char *root)
{
	int err = tw_tasks_read(&state->tasks, root);

	if (!err)
		err = tw_busy_read(&state->busy, root);
	if (err)
		tw_tasks_free(&state->tasks);
	return err;
}

int tw_others_after(struct tw_others_state *state, const char *root)
{
	int err = tw_busy_read(&state->busy, root);

	return err ? err : tw_tasks_read(&state->tasks, root);
}

void tw_others_free(struct tw_others_state *state)
{
	tw_tasks_free(&state->tasks);
}

static int64_t at_least_0(int64_t ns)
{
	return ns < 0 ? 0 : ns;
}

static int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The same task as it was before; NULL: it began later. */
static const struct tw_task_row *find_before(const struct tw_others_run *run,
					     const struct tw_task_row *row)
{
	const struct tw_task_row *old = tw_tasks_find(&run->before->tasks,
						      row->id);

	return old && old->start == row->start ? old : NULL;
}

/* It may have begun long before, and not have been read then. */
static bool is_unknown(const struct tw_others_run *run,
		       const struct tw_task_row *old)
{
	return !old && !run->before->tasks.complete;
}

static int64_t used_ns(const struct tw_others_run *run,
		       const struct tw_task_row *row)
{
	const struct tw_task_row *old = find_before(run, row);
	int64_t ns = row->used_ns - (old ? old->used_ns : 0);

	if (is_unknown(run, old))
		return 0;
	return at_least_0(row->coarse ? ns - tw_tick_ns() : ns);
}

/* Of the children that a process beside main had, and that have ended. */
static int64_t reaped_ns(const struct tw_others_run *run,
			 const struct tw_task_row *row)
{
	const struct tw_task_row *old = find_before(run, row);

	return row->id == run->self || is_unknown(run, old) ? 0 :
	       at_least_0(row->reaped_ns - (old ? old->reaped_ns : 0));
}

/* Of the threads that a process had, and that have ended. */
static int64_t ended_ns(const struct tw_others_run *run,
			const struct tw_task_row *row)
{
	const struct tw_tasks *tasks = &run->after->tasks;
	const struct tw_task_row *old = find_before(run, row);
	int64_t ns = row->process_ns - (old ? old->process_ns : 0);
	size_t i;

	if (row->id != row->process || is_unknown(run, old))
		return 0;
	for (i = 0; i < tasks->count; i++)
		if (tasks->row[i].process == row->process)
			ns -= used_ns(run, &tasks->row[i]);
	return at_least_0(ns);
}

static struct sums sum(const struct tw_others_run *run, int64_t elapsed_ns)
{
	const struct tw_busy *before = &run->before->busy;
	const struct tw_busy *after = &run->after->busy;
	const struct tw_tasks *tasks = &run->after->tasks;
	struct sums sums = {
		.own_ns = run->children_ns,
		.slack_ns = SLACK_TICKS * tw_tick_ns() +
			    (before->exact && after->exact ? 0 :
			     elapsed_ns / COARSE_PART),
	};
	size_t i;
	int cpu;

	for (i = 0; i < tasks->count; i++)
		if (tw_tasks_descends(tasks, &tasks->row[i], run->self))
			sums.own_ns += used_ns(run, &tasks->row[i]) +
				       ended_ns(run, &tasks->row[i]) +
				       reaped_ns(run, &tasks->row[i]);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &run->cpus))
			sums.beside_ns += tw_busy_ns(before, after, cpu);
	sums.beside_ns = at_least_0(sums.beside_ns - run->sides_ns);
	return sums;
}

static struct tw_others_task describe(const struct tw_task_row *row, int64_t ns)
{
	struct tw_others_task task = {
		.id = row->id, .kernel = row->kernel, .ns = ns,
	};

	memcpy(task.name, row->name, sizeof(task.name));
	return task;
}

/* Keeps the greatest, in order. */
static void keep(struct tw_others_task *list, int count,
		 struct tw_others_task task)
{
	int i;

	for (i = 0; i < count; i++)
		if (task.ns > list[i].ns) {
			struct tw_others_task less = list[i];

			list[i] = task;
			task = less;
		}
}

/* What tasks that were last on the CPU have used, there or elsewhere. */
static void collect(struct tw_others_cpu *cpu, const struct tw_others_run *run)
{
	const struct tw_tasks *tasks = &run->after->tasks;
	size_t i;

	for (i = 0; i < tasks->count; i++) {
		const struct tw_task_row *row = &tasks->row[i];
		int64_t ns = row->cpu == cpu->cpu ? used_ns(run, row) : 0;

		if (!ns || tw_tasks_descends(tasks, row, run->self))
			continue;
		if (row->interrupts) {
			cpu->interrupts_ns += ns;
			keep(&cpu->interrupts, 1, describe(row, ns));
		} else {
			cpu->ns += ns;
			keep(cpu->task, TW_OTHERS_NAMED, describe(row, ns));
		}
	}
}

/* No more than @most_ns in all. */
static void limit(struct tw_others_cpu *cpu, int64_t most_ns)
{
	int i;

	cpu->ns = lesser(cpu->ns, most_ns);
	for (i = 0; i < TW_OTHERS_NAMED; i++) {
		cpu->task[i].ns = lesser(cpu->task[i].ns, most_ns);
		most_ns -= cpu->task[i].ns;
	}
}

static void judge(struct tw_others_cpu *cpu, const struct tw_others_run *run,
		  const struct sums *sums, bool complete)
{
	const struct tw_busy *before = &run->before->busy;
	const struct tw_busy *after = &run->after->busy;
	int64_t busy_ns = tw_busy_ns(before, after, cpu->cpu);
	/* In the scheduler's busy time, and not in what idling leaves. */
	int64_t taken_ns = before->exact && after->exact ?
			   after->cpu[cpu->cpu].taken_ns -
			   before->cpu[cpu->cpu].taken_ns : 0;
	int64_t most_ns, least_ns;

	cpu->interrupts_ns = lesser(cpu->interrupts_ns, busy_ns);
	cpu->interrupts.ns = lesser(cpu->interrupts.ns, busy_ns);
	most_ns = at_least_0(lesser(busy_ns, sums->beside_ns) -
			     cpu->interrupts_ns);
	limit(cpu, most_ns);
	/* A task's own time lacks interrupts on some kernels. */
	least_ns = busy_ns - cpu->interrupts_ns - taken_ns - sums->own_ns -
		   sums->slack_ns;
	if (complete)
		cpu->unnamed_ns = at_least_0(lesser(least_ns, most_ns) -
					     cpu->ns);
	cpu->ns += cpu->unnamed_ns;
}

void tw_others_compare(struct tw_others *others,
		       const struct tw_others_run *run)
{
	const struct tw_others_state *before = run->before;
	const struct tw_others_state *after = run->after;
	const int64_t elapsed_ns = after->busy.at_ns - before->busy.at_ns;
	const struct sums sums = sum(run, elapsed_ns);
	int cpu;

	memset(others, 0, sizeof(*others));
	others->elapsed_ns = elapsed_ns;
	others->complete = before->tasks.complete && after->tasks.complete;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		struct tw_others_cpu *one = &others->cpu[others->count];

		if (!CPU_ISSET(cpu, &run->cpus) ||
		    !before->busy.cpu[cpu].known || !after->busy.cpu[cpu].known)
			continue;
		one->cpu = cpu;
		collect(one, run);
		judge(one, run, &sums, others->complete);
		others->count++;
	}
}

double tw_others_percent(const struct tw_others *others, int64_t ns)
{
	return others->elapsed_ns > 0 ?
	       100.0 * (double)ns / (double)others->elapsed_ns : 0;
}
