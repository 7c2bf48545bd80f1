// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "tw_await.h"
#include "tw_string.h"
#include "tw_time.h"
#include "tw_window.h"

#define LOOK	4096	/* lines between two looks for a signal */

struct reader {
	struct tw_window *window;
	size_t room;			/* for events */
	FILE *out;
	int64_t from_ns;
	bool kept;			/* the line before was */
	const char *whose;
	const struct tw_mark *mark;
	int marks;	/* still to be put */
	bool lost[CPU_SETSIZE];		/* something, before its next event */
	enum tw_event_kind last[CPU_SETSIZE];
	bool in_stack;			/* the lines are frames of the last */
};

static void put_marks(struct reader *to, int64_t before_ns)
{
	for (; to->marks && to->mark->at_ns <= before_ns;
	     to->mark++, to->marks--)
		fprintf(to->out, "# %" PRId64 ".%09" PRId64 ": %s: %s\n",
			to->mark->at_ns / TW_NS_PER_S,
			to->mark->at_ns % TW_NS_PER_S, to->whose,
			to->mark->what);
}

static int add(struct reader *to, const struct tw_event *event)
{
	struct tw_window *window = to->window;

	/* After a switch, it has the task that left as the current one. */
	to->in_stack = event->kind == TW_EVENT_STACK;
	if (to->in_stack)
		return tw_stack_begin(window, event, to->last[event->cpu]);
	to->last[event->cpu] = event->kind;
	if (window->count == to->room) {
		size_t room = to->room ? 2 * to->room : 1024;
		void *more = realloc(window->events, room * sizeof(*event));

		if (!more)
			return -ENOMEM;
		window->events = more;
		to->room = room;
	}
	window->events[window->count++] = *event;
	return 0;
}

/* What is printed where a CPU's events were overwritten. */
static void note_loss(struct reader *to, const char *line)
{
	char bracket;
	int cpu;

	if ((sscanf(line, "CPU:%d [%c", &cpu, &bracket) == 2 ||
	     sscanf(line, "##### CPU %d buffer started", &cpu) == 1) &&
	    cpu >= 0 && cpu < CPU_SETSIZE)
		to->lost[cpu] = true;
}

static int take(struct reader *to, const char *line)
{
	struct tw_event event;

	/* A line without a time belongs to the one before. */
	if (!tw_event_parse(line, &event)) {
		note_loss(to, line);
		if (to->in_stack)
			tw_stack_line(to->window, line);
		if (to->kept)
			fputs(line, to->out);
		return 0;
	}
	if (to->lost[event.cpu])
		to->window->lost_ns = event.time_ns;
	to->lost[event.cpu] = false;
	to->kept = event.time_ns >= to->from_ns;
	if (to->kept) {
		put_marks(to, event.time_ns);
		fputs(line, to->out);
	}
	return add(to, &event);
}

/* Names of tasks: a terminal would obey some. */
static void clean(char *line)
{
	char *end = strchr(line, '\n');

	if (end)
		*end = '\0';
	tw_string_clean(line);
	if (end)
		*end = '\n';
}

static int take_all(struct reader *to, FILE *trace)
{
	unsigned int lines = 0;
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	while (!err && getline(&line, &size, trace) >= 0) {
		clean(line);
		err = ++lines % LOOK == 0 && tw_await_stopped() ? -EINTR :
		      take(to, line);
	}
	free(line);
	put_marks(to, INT64_MAX);
	return !err && (ferror(trace) || ferror(to->out)) ? -EIO : err;
}

int tw_window_read(struct tw_window *window, FILE *trace, int64_t from_ns,
		   const char *whose, const struct tw_mark *marks, int count)
{
	struct reader to = {
		.window = window, .from_ns = from_ns, .kept = true,
		.whose = whose, .mark = marks, .marks = count,
	};
	size_t size;

	*window = (struct tw_window) {
		.lost_ns = INT64_MIN, .err = trace ? -ENOMEM : -EIO,
	};
	to.out = trace ? open_memstream(&window->text, &size) : NULL;
	if (to.out)
		window->err = take_all(&to, trace);
	if (to.out && fclose(to.out) && !window->err)
		window->err = -ENOMEM;
	if (trace)
		fclose(trace);
	return window->err;
}

void tw_window_free(struct tw_window *window)
{
	free(window->events);
	free(window->stacks);
	free(window->text);
	*window = (struct tw_window) { .events = NULL };
}
