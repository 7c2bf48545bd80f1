// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <string.h>

#include "tw_cpus.h"
#include "tw_playback.h"
#include "tw_time.h"

/*
 * A wake-up may take some time to get to its CPU, and a switch some after the
 * interrupt that asked for it.
 */
#define WAKEN_NS	TW_NS_PER_MS	/* no tick is shorter */
#define SWITCH_NS	(50 * TW_NS_PER_US)
#define SENT_NS		TW_NS_PER_MS	/* an interrupt takes no longer */

/* What an event says about a task. */
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
		task->holder_pid = 0;
	} else if (event->kind == TW_EVENT_SWITCH && current) {
		task->state = event->runnable || event->recalled ?
			      TW_TASK_RUNNABLE : TW_TASK_BLOCKED;
		task->held = event->held;
		task->cpu = event->cpu;
		task->prio = event->prio;
		task->blocked_ns = event->time_ns;
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

/* Of several that a waiter boosts, the first one holds what it waits for. */
static void follow_lock(struct tw_task_seen *task, const struct tw_event *event)
{
	if (event->pid != task->pid || !task->pid)
		return;
	if (event->kind == TW_EVENT_LOCK || event->kind == TW_EVENT_UNLOCK)
		task->contends = event->kind == TW_EVENT_LOCK;
	if (event->kind != TW_EVENT_BOOST || task->holder_pid ||
	    event->other_pid == task->pid)
		return;
	task->holder_pid = event->other_pid;
	strcpy(task->holder, event->other_comm);
}

static void note_sender(struct tw_cpu_seen *cpus, const struct tw_event *event)
{
	cpu_set_t to;
	int cpu;

	if (event->kind != TW_EVENT_SEND ||
	    !tw_cpus_parse(&to, event->other_comm))
		return;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &to))
			continue;
		cpus[cpu].sent_ns = event->time_ns;
		snprintf(cpus[cpu].sender, sizeof(cpus[cpu].sender),
			 "CPU %d: %s-%d in %s", event->cpu, event->comm,
			 event->pid, event->name);
	}
}

/* One that CPUs send each other; of others, nobody is known. */
static void take_sender(struct tw_cpu_seen *cpu, const struct tw_event *event)
{
	bool sent = !strncmp(event->name, "call_function", 13) ||
		    !strncmp(event->name, "reschedule", 10) ||
		    !strncmp(event->name, "ipi", 3);
	char *to = cpu->senders[cpu->depth];

	*to = '\0';
	if (!sent)
		return;
	if (event->time_ns - cpu->sent_ns <= SENT_NS)
		strcpy(to, cpu->sender);
	*cpu->sender = '\0';
}

static void follow_cpu(struct tw_cpu_seen *cpu, const struct tw_event *event)
{
	bool comes = event->kind == TW_EVENT_SWITCH;
	int pid = comes ? event->other_pid : event->pid;
	bool stays = !comes && cpu->pid == pid;

	if (!stays) {
		/* Nobody is switched away from amid an interrupt. */
		cpu->depth = 0;
		cpu->prio = comes ? event->other_prio : -1;
		/* Else a line may have "<...>", as it is not known any more. */
		snprintf(cpu->comm, sizeof(cpu->comm), "%s",
			 comes ? event->other_comm : event->comm);
	}
	if (!stays || !event->resched)
		cpu->resched_ns = -1;
	else if (cpu->resched_ns < 0)
		cpu->resched_ns = event->time_ns;
	cpu->pid = pid;
	if (event->kind == TW_EVENT_ENTER && cpu->depth < TW_NESTED) {
		take_sender(cpu, event);
		snprintf(cpu->interrupts[cpu->depth++],
			 sizeof(cpu->interrupts[0]), "%s", event->name);
	} else if (event->kind == TW_EVENT_LEAVE && cpu->depth) {
		cpu->depth--;
	}
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

/* No wake-up comes between its leaving the CPU and its return. */
static void settle(struct tw_event *events, size_t count, int pid)
{
	struct tw_event *left = NULL;
	bool woken = false;
	size_t i;

	for (i = 0; pid && i < count; i++) {
		struct tw_event *event = &events[i];
		bool other = event->other_pid == pid;

		if (event->kind == TW_EVENT_SWITCH && event->pid == pid) {
			left = woken && !event->runnable ? event : NULL;
			woken = false;
		} else if (event->kind == TW_EVENT_SWITCH && other) {
			if (left)
				left->recalled = true;
			left = NULL;
			woken = false;
		} else if (event->kind == TW_EVENT_WAKING && other) {
			left = NULL;
			woken = true;
		}
	}
}

static struct tw_task_seen unseen(int pid)
{
	return (struct tw_task_seen) {
		.pid = pid, .cpu = -1, .prio = -1, .waits_ns = -1,
		.left_ns = -1, .passed_ns = -1, .overtaken_ns = -1,
	};
}

int tw_playback_open(struct tw_playback *play, int side, int peer,
		     struct tw_event *events, size_t count)
{
	size_t i;
	int cpu;

	settle(events, count, side);
	settle(events, count, peer);
	play->side = unseen(side);
	play->peer = unseen(peer);
	play->cpus = calloc(CPU_SETSIZE, sizeof(*play->cpus));
	if (!play->cpus)
		return -ENOMEM;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		play->cpus[cpu].pid = play->cpus[cpu].resched_ns = -1;
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

static bool is_ordinary(int pid, int prio)
{
	return !pid || prio >= TW_REALTIME;
}

/*
 * Only the scheduler takes back that a new task is wanted: it has chosen, also
 * if it went on with the same task.
 */
static bool has_chosen(const struct tw_task_seen *task,
		       const struct tw_cpu_seen *cpu,
		       const struct tw_event *event)
{
	return cpu->resched_ns >= task->queued_ns && !event->resched &&
	       event->kind != TW_EVENT_SWITCH;
}

/*
 * With preemption off, the CPU is still to choose anew after an interrupt.
 * If it is not, or goes on to another ordinary task, then the scheduler has
 * chosen, and not by priority. To be called before @event is applied.
 */
static void look_for_choice(struct tw_task_seen *task,
			    const struct tw_cpu_seen *cpu,
			    const struct tw_event *event)
{
	bool left = event->kind == TW_EVENT_LEAVE && cpu->depth == 1;
	bool switched = event->kind == TW_EVENT_SWITCH &&
			is_ordinary(event->other_pid, event->other_prio);

	if (task->waits_ns < 0 || task->cpu != event->cpu)
		return;
	if ((task->left_ns >= 0 &&
	     event->time_ns - task->left_ns >= SWITCH_NS) ||
	    has_chosen(task, cpu, event))
		task->passed_ns = event->time_ns;
	if (event->resched && !switched)
		task->left_ns = -1;
	else if ((left || switched) &&
		 event->time_ns - task->waits_ns >= WAKEN_NS)
		task->left_ns = event->time_ns;
}

/*
 * With preemption off, no CPU goes from one ordinary task to another past a
 * real-time task in its queue, nor from that task itself. To be called before
 * @event is applied.
 */
static void look_for_overtaking(struct tw_task_seen *task,
				const struct tw_event *event)
{
	bool itself = event->pid == task->pid && event->runnable &&
		      event->prio < TW_REALTIME;
	bool waits = task->waits_ns >= 0 && task->cpu == event->cpu &&
		     event->time_ns >= task->queued_ns;

	if (event->kind == TW_EVENT_SWITCH && event->other_pid &&
	    event->other_prio >= TW_REALTIME && (itself || waits))
		task->overtaken_ns = event->time_ns;
}

/* From another CPU it may take until the next tick at most. */
static int64_t queued_ns(const struct tw_task_seen *task,
			 const struct tw_event *event)
{
	bool woken = event->kind == TW_EVENT_WAKING &&
		     event->other_pid == task->pid && event->cpu == task->cpu;
	bool itself = event->kind == TW_EVENT_SWITCH &&
		      event->pid == task->pid && event->runnable;

	return event->time_ns + (woken || itself ? 0 : WAKEN_NS);
}

/* After @event was applied. */
static void note_wait(struct tw_task_seen *task,
		      const struct tw_cpu_seen *cpus,
		      const struct tw_event *event)
{
	bool waits = task->state == TW_TASK_RUNNABLE && task->cpu >= 0 &&
		     task->prio >= 0 && task->prio < TW_REALTIME &&
		     is_ordinary(cpus[task->cpu].pid, cpus[task->cpu].prio);
	bool moved = event->kind == TW_EVENT_MIGRATE &&
		     event->other_pid == task->pid;

	if (waits && !moved && task->waits_ns >= 0)
		return;
	task->waits_ns = waits ? event->time_ns : -1;
	task->queued_ns = queued_ns(task, event);
	task->left_ns = -1;
}

void tw_playback_apply(struct tw_playback *play, const struct tw_event *event)
{
	struct tw_cpu_seen *cpu = &play->cpus[event->cpu];

	look_for_choice(&play->side, cpu, event);
	look_for_choice(&play->peer, cpu, event);
	look_for_overtaking(&play->side, event);
	look_for_overtaking(&play->peer, event);
	follow(&play->side, event);
	follow(&play->peer, event);
	follow_lock(&play->side, event);
	follow_lock(&play->peer, event);
	note_sender(play->cpus, event);
	follow_cpu(cpu, event);
	note_wait(&play->side, play->cpus, event);
	note_wait(&play->peer, play->cpus, event);
}

void tw_playback_close(struct tw_playback *play)
{
	free(play->cpus);
	play->cpus = NULL;
}
