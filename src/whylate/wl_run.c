// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tw_output.h"
#include "tw_run.h"
#include "tw_say.h"
#include "wl.h"

/* What is late in @window, which a task of its own may be in. */
static void follow_all(struct tw_run *run, const struct tw_window *window)
{
	const struct tw_event *event = window->events;
	const struct tw_event *end = event + window->count;
	struct wl_late late;

	for (; event < end && !run->broken; event++) {
		if (!wl_follow(event, NULL, &late))
			continue;
		wl_look(&late, window);
		run->broken = wl_config.most &&
			      wl_look_count() >= (uint64_t)wl_config.most;
	}
}

static const char *name_of(const struct tw_window *window, int pid)
{
	size_t i;

	for (i = 0; i < window->count; i++)
		if (window->events[i].kind == TW_EVENT_SWITCH &&
		    window->events[i].other_pid == pid)
			return window->events[i].other_comm;
	return "<...>";
}

/* The one cycle that --from and --to say. */
static void look_at(const struct tw_window *window)
{
	pid_t pid = (pid_t)wl_config.pid;
	struct wl_task *task = wl_task_add(pid, name_of(window, pid));
	struct wl_late late;

	task->since_ns = wl_config.from_ns;
	if (wl_take(task, wl_config.to_ns, &late))
		wl_look(&late, window);
}

void wl_read(struct tw_run *run)
{
	struct tw_window window;
	FILE *file = fopen(wl_config.read, "re");

	if (!file)
		tw_say_fatal("--read=%s: %m\n", wl_config.read);
	/* No text is kept. */
	if (tw_window_read(&window, file, INT64_MAX, "", NULL, 0))
		tw_say_fatal("--read=%s: it cannot be read to its end\n",
			     wl_config.read);
	if (!window.count)
		tw_say_fatal("--read=%s: it has no event of a trace in the text that ftrace and trace-cmd report print\n",
			     wl_config.read);
	free(window.text);
	window.text = NULL;
	wl_look_begin(window.events[0].time_ns);
	if (wl_config.cycles)
		look_at(&window);
	else
		follow_all(run, &window);
	tw_window_free(&window);
}

void tw_run_measure(struct tw_run *run)
{
	int i;

	tw_output_watch();
	if (wl_config.read)
		wl_read(run);
	else
		wl_watch(run);
	wl_look_end();
	for (i = 0; i < wl_task_count; i++)
		run->measured |= wl_tasks[i]->stats.count > 0;
	if (!run->measured && !run->failed)
		tw_say_warn("no %s of the task was seen%s\n", wl_what(),
			    wl_config.read ? "; needed are sched_waking and sched_switch in the trace (of rtla: -e sched)" :
			    "");
	run->failed |= !run->measured;
}
