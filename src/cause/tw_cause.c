// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plays the trace back from its start, so that the state of the CPUs and tasks
 * is known where the span begins. From there, each piece of time gets its
 * cause.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tw_cause.h"
#include "tw_playback.h"
#include "tw_time.h"

/* What is looked into. */
struct scene {
	struct tw_cause *cause;
	const struct tw_span *span;
	struct tw_playback play;
	int64_t lost_ns;	/* see struct tw_window */
	bool expired;		/* the timer has woken the side */
	bool sent;		/* the peer has handed a packet on ... */
	int sent_cpu;
	bool delivered;		/* ... and it has got there */
};

/* Who has the CPU: an interrupt, if there is one. */
static void name_holder(const struct scene *scene, struct tw_piece *piece,
			int number)
{
	const struct tw_cpu_seen *cpu;

	piece->cpu = number;
	piece->pid = -1;
	piece->prio = -1;
	snprintf(piece->who, sizeof(piece->who), "?");
	if (number < 0 || scene->play.cpus[number].pid < 0)
		return;
	cpu = &scene->play.cpus[number];
	piece->pid = cpu->pid;
	piece->prio = cpu->prio;
	piece->interrupt = cpu->depth;
	if (cpu->depth)
		strcpy(piece->sender, cpu->senders[cpu->depth - 1]);
	if (cpu->depth)
		snprintf(piece->who, sizeof(piece->who), "%s",
			 cpu->interrupts[cpu->depth - 1]);
	else if (cpu->pid)
		snprintf(piece->who, sizeof(piece->who), "%s-%d", cpu->comm,
			 cpu->pid);
	else
		snprintf(piece->who, sizeof(piece->who), "the idle task");
}

static bool interrupted(const struct scene *scene,
			const struct tw_task_seen *task)
{
	return task->cpu >= 0 && scene->play.cpus[task->cpu].depth;
}

/* On PREEMPT_RT most locks put their waiters to sleep, too. */
static bool held(const struct tw_task_seen *task)
{
	return task->state == TW_TASK_BLOCKED && task->held;
}

/* What the side waits for while it is blocked. */
static enum tw_state waits_for(const struct scene *scene, int64_t now_ns)
{
	static const enum tw_state states[] = {
		[TW_TASK_UNKNOWN] = TW_UNKNOWN,
		[TW_TASK_BLOCKED] = TW_PEER_BLOCKED,
		[TW_TASK_RUNNABLE] = TW_PEER_RUNNABLE,
		[TW_TASK_RUNNING] = TW_PEER_RUNS,
	};
	enum tw_state state = states[scene->play.peer.state];

	if (scene->span->waits != TW_UNKNOWN)
		return scene->span->waits;
	if (scene->delivered || scene->expired ||
	    held(&scene->play.side))
		return TW_BLOCKED;
	if (!scene->play.peer.pid)
		return now_ns < scene->span->due_ns ? TW_ASLEEP :
						      TW_TIMER_LATE;
	if (state == TW_PEER_RUNS && interrupted(scene, &scene->play.peer))
		return TW_PEER_INTERRUPTED;
	if (state == TW_PEER_BLOCKED && scene->sent)
		return TW_ON_THE_WAY;
	return state;
}

/* A side that looks for its message all the time is never woken. */
static bool awaits_idly(const struct scene *scene, int64_t now_ns)
{
	enum tw_state state = waits_for(scene, now_ns);

	return scene->play.peer.pid && !scene->sent &&
	       scene->cause->waking_ns < 0 &&
	       (state == TW_PEER_RUNNABLE || state == TW_PEER_INTERRUPTED);
}

static struct tw_piece look(const struct scene *scene, int64_t now_ns)
{
	static const enum tw_state states[] = {
		[TW_TASK_UNKNOWN] = TW_UNKNOWN,
		[TW_TASK_BLOCKED] = TW_UNKNOWN,	/* see waits_for() */
		[TW_TASK_RUNNABLE] = TW_RUNNABLE,
		[TW_TASK_RUNNING] = TW_RUNS,
	};
	const struct tw_task_seen *side = &scene->play.side;
	struct tw_piece piece = { .state = states[side->state] };
	int cpu = side->cpu;

	if (now_ns < scene->lost_ns) {
		piece.state = TW_UNKNOWN;
		cpu = -1;
	} else if (side->state == TW_TASK_BLOCKED) {
		piece.state = waits_for(scene, now_ns);
		if (piece.state == TW_AWAY)
			cpu = -1;
		else if (scene->play.peer.pid && piece.state != TW_BLOCKED)
			cpu = scene->play.peer.cpu;
	} else if (piece.state == TW_RUNS && cpu >= 0 &&
		   scene->play.cpus[cpu].pid != side->pid) {
		/* Another has its CPU: the kernel did not trace the switch. */
		piece.state = TW_UNKNOWN;
	} else if (piece.state == TW_RUNS && interrupted(scene, side)) {
		piece.state = TW_INTERRUPTED;
	} else if (piece.state == TW_RUNS && awaits_idly(scene, now_ns)) {
		piece.state = waits_for(scene, now_ns);
		cpu = scene->play.peer.cpu;
	}
	name_holder(scene, &piece, cpu);
	return piece;
}

static bool same(const struct tw_piece *a, const struct tw_piece *b)
{
	return a->state == b->state && a->cpu == b->cpu &&
	       !strcmp(a->who, b->who);
}

static void add_piece(struct tw_piece *pieces, int *count,
		      const struct tw_piece *piece, bool anywhere)
{
	int i = anywhere ? 0 : *count - 1;

	for (; i >= 0 && i < *count; i++)
		if (same(&pieces[i], piece)) {
			pieces[i].for_ns += piece->for_ns;
			return;
		}
	if (*count == TW_PIECES)
		pieces[TW_PIECES - 1].for_ns += piece->for_ns;
	else
		pieces[(*count)++] = *piece;
}

/* @to_ns, or before: up to then, what look() says holds. */
static int64_t holds_until_ns(const struct scene *scene,
			      const struct tw_piece *piece, int64_t from_ns,
			      int64_t to_ns)
{
	if (piece->state == TW_ASLEEP && scene->span->due_ns < to_ns)
		return scene->span->due_ns;
	if (from_ns < scene->lost_ns && scene->lost_ns < to_ns)
		return scene->lost_ns;
	return to_ns;
}

/* Shares out the time up to @until_ns as things stand. */
static void account(struct scene *scene, int64_t *from_ns, int64_t until_ns)
{
	struct tw_cause *cause = scene->cause;

	while (*from_ns < until_ns) {
		struct tw_piece piece = look(scene, *from_ns);
		int64_t to_ns = holds_until_ns(scene, &piece, *from_ns,
					       until_ns);

		piece.at_ns = *from_ns - scene->span->begin_ns;
		piece.for_ns = to_ns - *from_ns;
		add_piece(cause->pieces, &cause->count, &piece, false);
		add_piece(cause->sums, &cause->sum_count, &piece, true);
		*from_ns = to_ns;
	}
}

/* Woken by its timer once, it does not wait for that. */
static bool is_expiry(const struct scene *scene, const struct tw_event *event)
{
	return !scene->play.peer.pid && !held(&scene->play.side) &&
	       event->time_ns >= scene->span->due_ns - TW_NS_PER_US;
}

static void note_wakeup(struct scene *scene, const struct tw_event *event)
{
	const struct tw_task_seen *side = &scene->play.side;
	struct tw_cause *cause = scene->cause;
	int64_t at_ns = event->time_ns - scene->span->begin_ns;
	bool there = event->pid == side->pid &&
		     side->state != TW_TASK_RUNNING;

	/* The trace's whole microseconds may lie just before the begin. */
	if ((!there && event->other_pid != side->pid) ||
	    at_ns < -TW_NS_PER_US || event->time_ns > scene->span->end_ns)
		return;
	if (at_ns < 0)
		at_ns = 0;
	if (event->kind == TW_EVENT_WAKING && !there) {
		scene->expired |= is_expiry(scene, event);
		cause->waking_ns = at_ns;
		cause->running_ns = -1;
	} else if ((there || event->kind == TW_EVENT_SWITCH) &&
		   cause->waking_ns >= 0 && cause->running_ns < 0) {
		cause->running_ns = at_ns;
		/* Some kernels do not trace every switch from idle. */
		cause->switch_unseen = there;
	}
}

/* How long, in the span, it was blocked. */
static int64_t blocked_ns(const struct scene *scene,
			  const struct tw_task_seen *task, int64_t end_ns)
{
	int64_t begin_ns = scene->span->begin_ns;

	return end_ns - (task->blocked_ns > begin_ns ? task->blocked_ns :
						       begin_ns);
}

/* To be called before @event, which wakes @task, is applied. */
static void note_wait(const struct scene *scene, struct tw_cause_wait *to,
		      const struct tw_task_seen *task,
		      const struct tw_event *event)
{
	const struct tw_cpu_seen *cpu = &scene->play.cpus[event->cpu];
	struct tw_cause_wait wait = { .boosted = task->holder_pid, .cpu = -1 };

	if (event->kind != TW_EVENT_WAKING || event->other_pid != task->pid ||
	    task->state != TW_TASK_BLOCKED)
		return;
	wait.for_ns = blocked_ns(scene, task, event->time_ns);
	wait.lock = wait.boosted || (task->contends && !cpu->depth);
	wait.pid = wait.boosted ? task->holder_pid : cpu->depth ? 0 :
		   event->pid;
	if (wait.pid)
		strcpy(wait.who, wait.boosted ? task->holder : event->comm);
	else if (cpu->depth)
		strcpy(wait.who, cpu->interrupts[cpu->depth - 1]);
	if (wait.lock && (!wait.boosted || event->pid == task->holder_pid))
		wait.cpu = event->cpu;
	if (wait.for_ns > to->for_ns)
		*to = wait;
}

/* Where it was sent, the packet is received in the softirq that follows. */
static void note_message(struct scene *scene, const struct tw_event *event)
{
	/* Others' packets come in interrupts, its own it hands on itself. */
	if (event->kind == TW_EVENT_NET && event->pid == scene->play.peer.pid &&
	    !interrupted(scene, &scene->play.peer) &&
	    event->time_ns >= scene->span->begin_ns - TW_NS_PER_US) {
		scene->sent = true;
		scene->sent_cpu = event->cpu;
	} else if (event->kind == TW_EVENT_LEAVE && scene->sent &&
		   event->cpu == scene->sent_cpu &&
		   !strcmp(event->name, "softirq NET_RX")) {
		scene->delivered = true;
	}
}

static void play_back(struct scene *scene, const struct tw_window *window)
{
	const struct tw_event *event = window->events;
	const struct tw_event *end = event + window->count;
	int64_t done_ns = scene->span->begin_ns;

	for (; event < end && event->time_ns < scene->span->end_ns; event++) {
		account(scene, &done_ns, event->time_ns);
		note_message(scene, event);
		note_wakeup(scene, event);
		note_wait(scene, &scene->cause->by_side.wait, &scene->play.side,
			  event);
		note_wait(scene, &scene->cause->by_peer.wait, &scene->play.peer,
			  event);
		tw_playback_apply(&scene->play, event);
	}
	account(scene, &done_ns, scene->span->end_ns);
}

/* The longest first. */
static int by_length(const void *a, const void *b)
{
	const struct tw_piece *first = a, *second = b;

	return (first->for_ns < second->for_ns) -
	       (first->for_ns > second->for_ns);
}

static bool has(const struct tw_window *window, enum tw_event_kind kind)
{
	size_t i;

	for (i = 0; i < window->count; i++)
		if (window->events[i].kind == kind)
			return true;
	return false;
}

/* What makes an analysis impossible; NULL if nothing does. */
static const char *what_lacks(const struct tw_window *window,
			      const struct tw_span *span)
{
	if (!span->side)
		return "its value is no time that a task of this host took";
	if (window->err == -EINTR)
		return "a signal ended the reading of the trace";
	if (window->err)
		return "the trace could not be read";
	if (!has(window, TW_EVENT_SWITCH) || !has(window, TW_EVENT_WAKING))
		return "the trace lacks sched_switch or sched_waking";
	if (window->events[0].time_ns > span->begin_ns)
		return "the trace begins after the phase does";
	if (window->lost_ns >= span->end_ns)
		return "the kernel's buffer was too small and lost events of the phase";
	return NULL;
}

/* By the largest excess. */
static const struct tw_span *choose(const struct tw_span *spans, int count)
{
	const struct tw_span *span, *worst = spans;

	for (span = spans; span < spans + count; span++)
		if ((double)(span->end_ns - span->begin_ns) - span->mean_ns >
		    (double)(worst->end_ns - worst->begin_ns) - worst->mean_ns)
			worst = span;
	return worst;
}

/* Not in a span before, and not across events that were lost. */
static void note_choices(struct tw_choices *to,
			 const struct tw_task_seen *task,
			 const struct scene *scene)
{
	int64_t begin_ns = scene->span->begin_ns;

	to->prio = task->prio;
	if (scene->lost_ns >= begin_ns)
		return;
	to->passed_over = task->passed_ns >= begin_ns;
	to->overtaken = task->overtaken_ns >= begin_ns;
}

/* How much it tells: at a switch, the task may be done with all. */
static int worth(const struct tw_stack *stack)
{
	if (!stack->pid)
		return 0;
	return stack->at == TW_EVENT_SWITCH ? 1 : stack->count ? 3 : 2;
}

/* The stack in the span that tells most of the task that is to blame. */
static void find_stack(struct tw_cause *cause, const struct tw_window *window)
{
	const struct tw_piece *who = &cause->worst;
	size_t i;

	if (!cause->to_blame || who->interrupt || who->pid <= 0)
		return;
	for (i = 0; i < window->stack_count; i++) {
		const struct tw_stack *stack = &window->stacks[i];

		if (stack->pid == who->pid && stack->cpu == who->cpu &&
		    stack->time_ns >= cause->span.begin_ns - TW_NS_PER_US &&
		    stack->time_ns <= cause->span.end_ns &&
		    worth(stack) > worth(&cause->stack))
			cause->stack = *stack;
	}
}

void tw_cause_find(struct tw_cause *cause, const struct tw_window *window,
		   const struct tw_span *spans, int count,
		   enum tw_bypass bypass)
{
	const struct tw_span none = { .name = "" };
	const struct tw_span *span = count ? choose(spans, count) : &none;
	struct scene scene = {
		.cause = cause, .span = span, .lost_ns = window->lost_ns,
	};

	*cause = (struct tw_cause) {
		.span = *span, .value_ns = span->end_ns - span->begin_ns,
		.waking_ns = -1, .running_ns = -1,
		.lacks = what_lacks(window, span),
	};
	if (!cause->lacks &&
	    tw_playback_open(&scene.play, span->side_pid, span->peer_pid,
			     window->events, window->count))
		cause->lacks = "there is no memory for it";
	if (!cause->lacks) {
		play_back(&scene, window);
		note_choices(&cause->by_side, &scene.play.side, &scene);
		note_choices(&cause->by_peer, &scene.play.peer, &scene);
		tw_playback_close(&scene.play);
		qsort(cause->sums, cause->sum_count, sizeof(cause->sums[0]),
		      by_length);
	}
	tw_cause_judge(cause, bypass);
	find_stack(cause, window);
}
