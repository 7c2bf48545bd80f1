// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "tw_playback.h"

/* What an event tells of a side. */
static void follow(struct tw_task_seen *task, const struct tw_event *event)
{
	bool current = event->pid == task->pid;
	bool other = event->other_pid == task->pid;

	if (!task->pid)
		return;
	if (event->kind == TW_EVENT_SWITCH && other) {
		task->state = TW_TASK_RUNNING;
		task->cpu = event->cpu;
		task->prio = event->other_prio;
	} else if (event->kind == TW_EVENT_SWITCH && current) {
		task->state = event->runnable ? TW_TASK_RUNNABLE :
						TW_TASK_BLOCKED;
		task->locked = event->locked;
		task->cpu = event->cpu;
		task->prio = event->prio;
	} else if (event->kind == TW_EVENT_WAKING && other) {
		/* About to block, it may be woken before it has. */
		if (task->state != TW_TASK_RUNNING)
			task->state = TW_TASK_RUNNABLE;
		task->cpu = event->other_cpu;
		task->prio = event->other_prio;
	} else if (event->kind == TW_EVENT_MIGRATE && other) {
		task->cpu = event->other_cpu;
	} else if (current) {
		task->state = TW_TASK_RUNNING;
		task->cpu = event->cpu;
	}
}

static void follow_cpu(struct tw_cpu_seen *cpu, const struct tw_event *event)
{
	bool comes = event->kind == TW_EVENT_SWITCH;
	int pid = comes ? event->other_pid : event->pid;

	/* Nobody is switched away from amid an interrupt. */
	if (comes || cpu->pid != pid)
		cpu->depth = 0;
	if (comes)
		cpu->prio = event->other_prio;
	else if (cpu->pid != pid)
		cpu->prio = -1;
	/* A line begins with "<...>" where the name is not known any more. */
	if (comes || cpu->pid != pid)
		snprintf(cpu->comm, sizeof(cpu->comm), "%s",
			 comes ? event->other_comm : event->comm);
	cpu->pid = pid;
	if (event->kind == TW_EVENT_ENTER && cpu->depth < TW_NESTED)
		snprintf(cpu->interrupts[cpu->depth++],
			 sizeof(cpu->interrupts[0]), "%s", event->name);
	else if (event->kind == TW_EVENT_LEAVE && cpu->depth)
		cpu->depth--;
}

/* Where a side was before the first event that names it. */
static void foresee(struct tw_task_seen *task, const struct tw_event *event)
{
	bool current = event->pid == task->pid;
	bool waking = event->kind == TW_EVENT_WAKING;

	if (task->state != TW_TASK_UNKNOWN || !task->pid ||
	    (event->other_pid != task->pid && !current))
		return;
	if (current) {
		task->state = TW_TASK_RUNNING;
		task->cpu = event->cpu;
		if (event->kind == TW_EVENT_SWITCH)
			task->prio = event->prio;
	} else if (waking || event->kind == TW_EVENT_SWITCH) {
		task->state = waking ? TW_TASK_BLOCKED : TW_TASK_RUNNABLE;
		task->cpu = waking ? event->other_cpu : event->cpu;
		task->prio = event->other_prio;
	}
}

int tw_playback_open(struct tw_playback *play, int side, int peer,
		     const struct tw_event *events, size_t count)
{
	size_t i;
	int cpu;

	play->side = (struct tw_task_seen) { side, TW_TASK_UNKNOWN, false, -1, -1 };
	play->peer = (struct tw_task_seen) { peer, TW_TASK_UNKNOWN, false, -1, -1 };
	play->cpus = calloc(CPU_SETSIZE, sizeof(*play->cpus));
	if (!play->cpus)
		return -ENOMEM;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		play->cpus[cpu].pid = -1;
	for (i = 0; i < count; i++) {
		const struct tw_event *event = &events[i];
		struct tw_cpu_seen *there = &play->cpus[event->cpu];

		foresee(&play->side, event);
		foresee(&play->peer, event);
		if (there->pid >= 0)
			continue;
		there->pid = event->pid;
		there->prio = event->kind == TW_EVENT_SWITCH ? event->prio :
							       -1;
		snprintf(there->comm, sizeof(there->comm), "%s", event->comm);
	}
	return 0;
}

void tw_playback_apply(struct tw_playback *play, const struct tw_event *event)
{
	follow(&play->side, event);
	follow(&play->peer, event);
	follow_cpu(&play->cpus[event->cpu], event);
}

void tw_playback_close(struct tw_playback *play)
{
	free(play->cpus);
	play->cpus = NULL;
}
