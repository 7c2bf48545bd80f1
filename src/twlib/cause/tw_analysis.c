// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plays the trace back from its start, so that the state of the CPUs and tasks
 * is known where the stretch begins. From there, each span of time gets its
 * cause.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tw_time.h"
#include "cause/tw_analysis.h"
#include "cause/tw_playback.h"

/* The stretch that is looked into. */
struct scene {
	struct tw_analysis *analysis;
	struct tw_playback play;
	enum tw_blame waits;	/* see struct tw_stretch */
	int64_t begin_ns;	/* on the trace's clock */
	int64_t end_ns;
	int64_t due_ns;		/* when a timer should expire ... */
	bool expired;		/* ... and it has: it woke the side */
	bool sent;		/* the peer has handed a packet on ... */
	int sent_cpu;
	bool delivered;		/* ... and it has got there */
};

/* A task's name and number. */
static void name_task(struct tw_span *span, const struct tw_cpu_seen *cpu)
{
	if (cpu->pid)
		snprintf(span->who, sizeof(span->who), "%s-%d", cpu->comm,
			 cpu->pid);
	else
		snprintf(span->who, sizeof(span->who), "the idle task");
	span->pid = cpu->pid;
	span->prio = cpu->prio;
}

/* Who has the CPU: an interrupt, if there is one. */
static void name_holder(const struct scene *scene, struct tw_span *span,
			int number)
{
	const struct tw_cpu_seen *cpu;

	span->cpu = number;
	span->pid = -1;
	span->prio = -1;
	if (number < 0 || scene->play.cpus[number].pid < 0) {
		snprintf(span->who, sizeof(span->who), "?");
		return;
	}
	cpu = &scene->play.cpus[number];
	name_task(span, cpu);
	if (!cpu->depth)
		return;
	span->interrupt = true;
	snprintf(span->who, sizeof(span->who), "%s",
		 cpu->interrupts[cpu->depth - 1]);
}

static bool interrupted(const struct scene *scene,
			const struct tw_task_seen *task)
{
	return task->cpu >= 0 && scene->play.cpus[task->cpu].depth;
}

/* On PREEMPT_RT most locks put their waiters to sleep. */
static bool held_by_lock(const struct tw_task_seen *task)
{
	return task->state == TW_TASK_BLOCKED && task->locked;
}

/* What the side waits for while it is blocked. */
static enum tw_blame blame_cause(const struct scene *scene, int64_t now_ns)
{
	static const enum tw_blame blames[] = {
		[TW_TASK_UNKNOWN] = TW_UNKNOWN,
		[TW_TASK_BLOCKED] = TW_PEER_BLOCKED,
		[TW_TASK_RUNNABLE] = TW_PEER_RUNNABLE,
		[TW_TASK_RUNNING] = TW_PEER_RUNS,
	};
	enum tw_blame blame = blames[scene->play.peer.state];

	if (scene->waits != TW_UNKNOWN)
		return scene->waits;
	if (scene->delivered || scene->expired || held_by_lock(&scene->play.side))
		return TW_BLOCKED;
	if (!scene->play.peer.pid)
		return now_ns < scene->due_ns ? TW_ASLEEP : TW_TIMER_LATE;
	if (blame == TW_PEER_RUNS && interrupted(scene, &scene->play.peer))
		return TW_PEER_INTERRUPTED;
	if (blame == TW_PEER_BLOCKED && scene->sent)
		return TW_ON_THE_WAY;
	return blame;
}

/* A side that looks for its message all the time is never woken. */
static bool awaits_idly(const struct scene *scene, int64_t now_ns)
{
	enum tw_blame blame = blame_cause(scene, now_ns);

	return scene->play.peer.pid && !scene->sent &&
	       scene->analysis->waking_ns < 0 &&
	       (blame == TW_PEER_RUNNABLE || blame == TW_PEER_INTERRUPTED);
}

static struct tw_span look(const struct scene *scene, int64_t now_ns)
{
	static const enum tw_blame blames[] = {
		[TW_TASK_UNKNOWN] = TW_UNKNOWN,
		[TW_TASK_BLOCKED] = TW_UNKNOWN,	/* see blame_cause() */
		[TW_TASK_RUNNABLE] = TW_RUNNABLE,
		[TW_TASK_RUNNING] = TW_RUNS,
	};
	const struct tw_task_seen *side = &scene->play.side;
	struct tw_span span = { .blame = blames[side->state] };
	int cpu = side->cpu;

	if (side->state == TW_TASK_BLOCKED) {
		span.blame = blame_cause(scene, now_ns);
		if (scene->play.peer.pid && span.blame != TW_BLOCKED)
			cpu = scene->play.peer.cpu;
	} else if (span.blame == TW_RUNS && interrupted(scene, side)) {
		span.blame = TW_INTERRUPTED;
	} else if (span.blame == TW_RUNS && awaits_idly(scene, now_ns)) {
		span.blame = blame_cause(scene, now_ns);
		cpu = scene->play.peer.cpu;
	}
	name_holder(scene, &span, cpu);
	return span;
}

static bool same(const struct tw_span *a, const struct tw_span *b)
{
	return a->blame == b->blame && a->cpu == b->cpu &&
	       !strcmp(a->who, b->who);
}

static void add_span(struct tw_span *spans, int *count,
		     const struct tw_span *span, bool anywhere)
{
	int i = anywhere ? 0 : *count - 1;

	for (; i >= 0 && i < *count; i++)
		if (same(&spans[i], span)) {
			spans[i].for_ns += span->for_ns;
			return;
		}
	if (*count == TW_SPANS)
		spans[TW_SPANS - 1].for_ns += span->for_ns;
	else
		spans[(*count)++] = *span;
}

/* Shares out the time up to @until_ns as things stand. */
static void account(struct scene *scene, int64_t *from_ns, int64_t until_ns)
{
	struct tw_analysis *analysis = scene->analysis;

	while (*from_ns < until_ns) {
		struct tw_span span = look(scene, *from_ns);
		int64_t to_ns = until_ns;

		if (span.blame == TW_ASLEEP && scene->due_ns < to_ns)
			to_ns = scene->due_ns;
		span.at_ns = *from_ns - scene->begin_ns;
		span.for_ns = to_ns - *from_ns;
		add_span(analysis->spans, &analysis->count, &span, false);
		add_span(analysis->sums, &analysis->sum_count, &span, true);
		*from_ns = to_ns;
	}
}

static void note_wakeup(struct scene *scene, const struct tw_event *event)
{
	struct tw_analysis *analysis = scene->analysis;
	int64_t at_ns = event->time_ns - scene->begin_ns;
	int side = scene->play.side.pid;
	bool there = event->pid == side &&
		     scene->play.side.state != TW_TASK_RUNNING;

	/* The trace's whole microseconds may lie just before the begin. */
	if ((!there && event->other_pid != side) || at_ns < -TW_NS_PER_US ||
	    event->time_ns > scene->end_ns)
		return;
	if (at_ns < 0)
		at_ns = 0;
	if (event->kind == TW_EVENT_WAKING && !there) {
		/* Woken by its timer once, it does not wait for that. */
		if (!scene->play.peer.pid && !held_by_lock(&scene->play.side) &&
		    event->time_ns >= scene->due_ns - TW_NS_PER_US)
			scene->expired = true;
		analysis->waking_ns = at_ns;
		analysis->running_ns = -1;
	} else if ((there || event->kind == TW_EVENT_SWITCH) &&
		   analysis->waking_ns >= 0 && analysis->running_ns < 0) {
		analysis->running_ns = at_ns;
		/* Some kernels do not tell of every switch from idle. */
		analysis->switch_unseen = there;
	}
}

/* Where it was sent, the packet is received in the softirq that follows. */
static void note_message(struct scene *scene, const struct tw_event *event)
{
	/* Others' packets come in interrupts, its own it hands on itself. */
	if (event->kind == TW_EVENT_NET && event->pid == scene->play.peer.pid &&
	    !interrupted(scene, &scene->play.peer) &&
	    event->time_ns >= scene->begin_ns - TW_NS_PER_US) {
		scene->sent = true;
		scene->sent_cpu = event->cpu;
	} else if (event->kind == TW_EVENT_LEAVE && scene->sent &&
		   event->cpu == scene->sent_cpu &&
		   !strcmp(event->name, "softirq NET_RX")) {
		scene->delivered = true;
	}
}

static void apply(struct scene *scene, const struct tw_event *event)
{
	note_message(scene, event);
	note_wakeup(scene, event);
	tw_playback_apply(&scene->play, event);
}

static void play_back(struct scene *scene, const struct tw_event *events,
		      size_t count)
{
	int64_t done_ns = scene->begin_ns;
	size_t i;

	for (i = 0; i < count && events[i].time_ns < scene->end_ns; i++) {
		account(scene, &done_ns, events[i].time_ns);
		apply(scene, &events[i]);
	}
	account(scene, &done_ns, scene->end_ns);
}

/* The longest first. */
static int by_length(const void *a, const void *b)
{
	const struct tw_span *first = a, *second = b;

	return (first->for_ns < second->for_ns) -
	       (first->for_ns > second->for_ns);
}

static bool has(const struct tw_event *events, size_t count,
		enum tw_event_kind kind)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (events[i].kind == kind)
			return true;
	return false;
}

/* What makes an analysis impossible; NULL if nothing does. */
static const char *what_lacks(const struct scene *scene,
			      const struct tw_event *events, size_t count)
{
	if (!has(events, count, TW_EVENT_SWITCH) ||
	    !has(events, count, TW_EVENT_WAKING))
		return "the trace lacks sched_switch or sched_waking";
	if (events[0].time_ns > scene->begin_ns)
		return "the trace begins after the phase does";
	return NULL;
}

static void attribute(struct scene *scene, struct tw_event *events,
		      size_t count, pid_t peer)
{
	struct tw_analysis *analysis = scene->analysis;

	analysis->lacks = what_lacks(scene, events, count);
	if (analysis->lacks)
		return;
	if (tw_playback_open(&scene->play, analysis->side_pid, peer, events,
			     count)) {
		analysis->lacks = "there is no memory for it";
		return;
	}
	play_back(scene, events, count);
	analysis->side_prio = scene->play.side.prio;
	analysis->peer_prio = scene->play.peer.prio;
	/* Not in a phase before. */
	analysis->side_passed_over = scene->play.side.passed_ns >=
				     scene->begin_ns;
	analysis->peer_passed_over = scene->play.peer.passed_ns >=
				     scene->begin_ns;
	analysis->side_overtaken = scene->play.side.overtaken_ns >=
				   scene->begin_ns;
	analysis->peer_overtaken = scene->play.peer.overtaken_ns >=
				   scene->begin_ns;
	tw_playback_close(&scene->play);
	qsort(analysis->sums, analysis->sum_count, sizeof(analysis->sums[0]),
	      by_length);
}

void tw_analyse_stretch(struct tw_analysis *analysis, const char *text,
			const struct tw_stretch *stretch)
{
	struct scene scene = {
		.analysis = analysis, .waits = stretch->waits,
		.begin_ns = stretch->begin_ns, .end_ns = stretch->end_ns,
		.due_ns = stretch->due_ns,
	};
	struct tw_event *events;
	size_t count;

	memset(analysis, 0, sizeof(*analysis));
	analysis->waking_ns = -1;
	analysis->running_ns = -1;
	analysis->phase = stretch->phase;
	analysis->side = stretch->side;
	analysis->names = stretch->names;
	analysis->works = stretch->works;
	analysis->part = stretch->part;
	analysis->whole_ns = stretch->whole_ns;
	analysis->side_pid = stretch->side_pid;
	analysis->value_ns = tw_span_ns(stretch->begin_ns, stretch->end_ns);
	analysis->mean_ns = stretch->mean_ns;
	count = tw_events_read(text, &events);
	attribute(&scene, events, count, stretch->peer_pid);
	free(events);
	if (!analysis->lacks)
		tw_analysis_sum_up(analysis, stretch);
}
