// SPDX-License-Identifier: GPL-2.0-or-later
/* When tasks were woken, and when they ran. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_playback.h"
#include "tw_say.h"
#include "wl.h"

const char wl_from_event[] = "whylate_from", wl_to_event[] = "whylate_to";

struct wl_task **wl_tasks;
int wl_task_count;

struct wl_task *wl_task_add(pid_t pid, const char *comm)
{
	struct wl_task *task = calloc(1, sizeof(*task));
	int count = wl_task_count++;

	wl_tasks = realloc(wl_tasks, wl_task_count * sizeof(*wl_tasks));
	if (!task || !wl_tasks)
		tw_say_fatal("no memory for one more task\n");
	task->pid = pid;
	task->since_ns = -1;
	snprintf(task->comm, sizeof(task->comm), "%s", comm);
	wl_tasks[count] = task;
	return task;
}

static bool is_meant(pid_t pid, const char *comm)
{
	if (!wl_config.read)
		return wl_config.cycles;
	return wl_config.task ? !strcmp(comm, wl_config.task) :
	       pid == wl_config.pid;
}

/* NULL: it is not watched. */
static struct wl_task *find(pid_t pid, const char *comm)
{
	int i = 0;

	while (i < wl_task_count && wl_tasks[i]->pid != pid)
		i++;
	if (i == wl_task_count)
		return is_meant(pid, comm) ? wl_task_add(pid, comm) : NULL;
	if (strcmp(comm, "<...>"))
		snprintf(wl_tasks[i]->comm, sizeof(wl_tasks[i]->comm), "%s",
			 comm);
	return wl_tasks[i];
}

bool wl_take(struct wl_task *task, int64_t end_ns, struct wl_late *late)
{
	int64_t value_ns = end_ns - task->since_ns;
	bool above = value_ns > wl_config.limit_us * TW_NS_PER_US;

	*late = (struct wl_late) {
		task, task->since_ns, end_ns, tw_stats_mean(&task->stats)
	};
	tw_stats_add(&task->stats, value_ns,
		     1 / (double)(task->stats.count + 1));
	task->buckets[tw_buckets_of(value_ns)]++;
	task->above += above && wl_config.limit_us;
	task->since_ns = -1;
	return above;
}

static void note_waking(const struct tw_event *event)
{
	struct wl_task *task = find(event->other_pid, event->other_comm);

	if (!task || (wl_config.realtime_only &&
		      event->other_prio >= TW_REALTIME))
		return;
	task->woken = task->runs;
	if (!task->runs)
		task->since_ns = event->time_ns;
}

/* It may be woken as it is about to sleep: see tw_playback_open(). */
static void note_leave(const struct tw_event *event)
{
	struct wl_task *task = find(event->pid, event->comm);

	if (!task)
		return;
	/* Some kernels do not trace every switch, above all from idle. */
	task->unseen += !task->runs && task->since_ns >= 0;
	task->since_ns = task->woken && !event->runnable ? event->time_ns : -1;
	task->runs = task->woken = false;
}

static bool note_switch(const struct tw_event *event, struct wl_late *late)
{
	struct wl_task *task;

	note_leave(event);
	task = find(event->other_pid, event->other_comm);
	if (!task)
		return false;
	task->runs = true;
	return task->since_ns >= 0 && event->time_ns <= wl_config.to_ns &&
	       task->since_ns >= wl_config.from_ns &&
	       wl_take(task, event->time_ns, late);
}

static bool is_event(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	return at && at[strlen(name)] == ':';
}

/* A cycle that never came to its end is none. */
static bool note_cycle(const struct tw_event *event, const char *line,
		       struct wl_late *late)
{
	struct wl_task *task = find(event->pid, event->comm);

	if (is_event(line, wl_to_event) && task->since_ns >= 0)
		return wl_take(task, event->time_ns, late);
	if (is_event(line, wl_from_event))
		task->since_ns = event->time_ns;
	return false;
}

static void note_child(const char *line)
{
	const char *child = strstr(line, "sched_process_fork:");
	int pid;

	child = child ? strstr(child, " child_pid=") : NULL;
	if (child && sscanf(child, " child_pid=%d", &pid) == 1)
		wl_task_add(pid, "<...>");
}

bool wl_follow(const struct tw_event *event, const char *line,
	       struct wl_late *late)
{
	if (line && event->kind == TW_EVENT_OTHER && wl_config.cycles)
		return note_cycle(event, line, late);
	if (line && event->kind == TW_EVENT_OTHER)
		note_child(line);
	if (event->kind == TW_EVENT_WAKING)
		note_waking(event);
	return event->kind == TW_EVENT_SWITCH && note_switch(event, late);
}
