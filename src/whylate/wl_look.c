// SPDX-License-Identifier: GPL-2.0-or-later
/* The cause of each that was late, and the table of all. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_causes.h"
#include "tw_config.h"
#include "tw_file.h"
#include "tw_on_break.h"
#include "tw_text.h"
#include "tw_tracefs.h"
#include "wl.h"

#define ROWS		(TW_CAUSES + 2)	/* with the others; one is not used */
#define APART_NS	(50 * TW_NS_PER_US)
#define BEFORE_NS	TW_NS_PER_S	/* in which each CPU has some event */

static struct tw_causes_row rows[ROWS];

static struct looked {
	struct wl_late late;
	struct tw_cause cause;
	char lacks[160];
	char *text;		/* of the trace */
} now, longest;			/* without a task: none */

static struct tw_file to;
static int64_t begin_ns;

static int64_t length_ns(const struct wl_late *late)
{
	return late->end_ns - late->begin_ns;
}

static double seconds(int64_t at_ns)
{
	return (double)at_ns / (double)TW_NS_PER_S;
}

static void print_late(FILE *file, const struct looked *of)
{
	fprintf(file, "# Late: %s-%d: %s of %.1f us, until %.6f s\n",
		of->late.task->comm, of->late.task->pid, wl_what(),
		tw_text_real((double)length_ns(&of->late)),
		seconds(of->late.end_ns));
	tw_cause_print(file, &of->cause);
}

static void print_break(FILE *file)
{
	print_late(file, &now);
	fputs(now.text ? now.text : "", file);
}

static void add_row(const struct wl_late *late, const char *cause)
{
	tw_causes_add_one(tw_causes_row(rows, 0, cause), length_ns(late),
			  late->end_ns);
}

/* From where on the trace is played back. */
static struct tw_window cut(const struct tw_window *window, int64_t from_ns)
{
	struct tw_window part = *window;

	while (part.count > 1 && part.events[1].time_ns <= from_ns) {
		part.events++;
		part.count--;
	}
	return part;
}

static bool begins(const struct tw_event *event, pid_t pid)
{
	return (event->kind == TW_EVENT_WAKING && event->other_pid == pid) ||
	       (event->kind == TW_EVENT_SWITCH && event->pid == pid);
}

static bool ends(const struct tw_event *event, pid_t pid)
{
	return event->kind == TW_EVENT_SWITCH && event->other_pid == pid;
}

/* When the window has the same, which each instance notes at its own time. */
static int64_t there_ns(const struct tw_window *of, pid_t pid, int64_t at_ns,
			bool (*is)(const struct tw_event *event, pid_t pid))
{
	int64_t best_ns = APART_NS, found_ns = at_ns;
	size_t i;

	for (i = 0; i < of->count; i++) {
		const struct tw_event *event = &of->events[i];
		int64_t apart_ns = llabs(event->time_ns - at_ns);

		if (is(event, pid) && apart_ns < best_ns) {
			best_ns = apart_ns;
			found_ns = event->time_ns;
		}
	}
	return found_ns;
}

/* From when on the trace has all. */
static int64_t whole_ns(const struct tw_window *of)
{
	return of->events[0].time_ns > of->lost_ns ? of->events[0].time_ns :
						     of->lost_ns;
}

/* It says how large a ring would have held it. */
static void tell_lack(const struct tw_window *window)
{
	int64_t begin_ns = whole_ns(window);
	int64_t end_ns = window->events[window->count - 1].time_ns + 1;

	snprintf(now.lacks, sizeof(now.lacks), "it is not in the trace, which has only the last %" PRId64 " ms; --ring=%.0f may hold it",
		 (end_ns - begin_ns) / TW_NS_PER_MS,
		 2 * (double)tw_tracefs_ring_kb *
		 (double)(end_ns - now.late.begin_ns) /
		 (double)(end_ns - begin_ns));
	now.cause.lacks = now.lacks;
	tw_cause_judge(&now.cause, TW_BYPASS_NONE);
	strcpy(now.cause.brief, "unknown, as it is not in the trace");
}

void wl_look_begin(int64_t at_ns)
{
	begin_ns = at_ns;
	tw_on_break_begin();
}

void wl_look(const struct wl_late *late, const struct tw_window *window)
{
	struct tw_window part = cut(window, late->begin_ns - BEFORE_NS);
	struct tw_span span = {
		.name = wl_what(), .side = "task",
		.side_pid = late->task->pid, .mean_ns = late->mean_ns,
		.begin_ns = late->begin_ns, .end_ns = late->end_ns,
		.waits = TW_BLOCKED, .works = wl_config.cycles,
	};

	if (!wl_config.cycles) {
		span.begin_ns = there_ns(&part, span.side_pid, late->begin_ns,
					 begins);
		span.end_ns = there_ns(&part, span.side_pid, late->end_ns,
				       ends);
	}
	now.late = *late;
	now.text = window->text;
	tw_cause_find(&now.cause, &part, &span, 1, wl_config.read ?
		      TW_BYPASS_NONE : tw_bypass_read());
	if (!wl_config.read && part.count &&
	    (now.cause.lacks || now.cause.state == TW_UNKNOWN) &&
	    whole_ns(&part) > late->begin_ns)
		tell_lack(&part);
	add_row(late, now.cause.brief);
	if (!tw_config.quiet) {
		print_late(stdout, &now);
		fflush(stdout);
	}
	tw_on_break_start((struct tw_on_break_about[]) {
		{ "US", NULL, tw_ns_to_us(length_ns(late)) },
		{ "PID", NULL, late->task->pid }, { "TASK", late->task->comm, 0 },
		{ "CAUSE", now.cause.sentence, 0 }, { .name = NULL }
	}, print_break);
	if (longest.late.task && length_ns(late) <= length_ns(&longest.late))
		return;
	free(longest.text);
	longest = now;
	if (now.cause.lacks == now.lacks)
		longest.cause.lacks = longest.lacks;
	longest.text = to.path && now.text ? strdup(now.text) : NULL;
}

void wl_look_not(const struct wl_late *late)
{
	add_row(late, TW_CAUSES_NOT_LOOKED);
}

void wl_look_end(void)
{
	tw_causes_sort(rows, ROWS);
	tw_on_break_end();
}

uint64_t wl_look_count(void)
{
	uint64_t count = 0;
	int i;

	for (i = 0; i < wl_task_count; i++)
		count += wl_tasks[i]->above;
	return count;
}

static void check(struct tw_run *run)
{
	to.path = tw_tracefs_file;
	tw_file_add(&to);
}

static bool exceeded(const struct tw_run *run)
{
	return wl_look_count();
}

static void text(FILE *file, const struct tw_run *run)
{
	const struct tw_causes_row *row;

	if (tw_config.quiet && longest.late.task)
		print_late(file, &longest);
	fprintf(file, "# Breaks: %" PRIu64 "\n", wl_look_count());
	if (rows[0].count)
		tw_causes_print_head(file);
	for (row = rows; row->count; row++)
		fprintf(file, "# %8" PRIu64 " %10.1f %10.3f %10.3f  %s\n",
			row->count, tw_text_real((double)row->longest_ns),
			seconds(row->first_ns - begin_ns),
			seconds(row->last_ns - begin_ns), row->cause);
	tw_on_break_text(file);
	if (longest.text)
		tw_tracefs_print_file(file);
}

static void print_trace(FILE *file, const struct tw_run *run)
{
	fputs(longest.text, file);
}

static int write_trace(const struct tw_run *run, int status)
{
	return longest.text ? tw_file_write(&to, print_trace, run) : 0;
}

/* What the JSON says of a row, and of the longest. */
struct told {
	const char *cause, *task;
	uint64_t count;
	double longest, first_s, last_s;
	int pid;
};

static const void *next_cause(const void *of, int *i, const char **key)
{
	static struct told told;
	const struct tw_causes_row *row = &rows[*i];

	told = (struct told) {
		.cause = row->cause, .count = row->count,
		.longest = tw_text_real((double)row->longest_ns),
		.first_s = seconds(row->first_ns - begin_ns),
		.last_s = seconds(row->last_ns - begin_ns),
	};
	return row->count ? &told : NULL;
}

static const void *longest_of(const void *of)
{
	static struct told told;

	if (!longest.late.task)
		return NULL;
	told = (struct told) {
		.task = longest.late.task->comm, .pid = longest.late.task->pid,
		.longest = tw_text_real((double)length_ns(&longest.late)),
		.last_s = seconds(longest.late.end_ns),
	};
	return &told;
}

static const void *cause_of(const void *of)
{
	return tw_cause_told(&longest.cause);
}

static const void *file_of(const void *of)
{
	return longest.text ? &tw_tracefs_file : NULL;
}

static const struct tw_member of_cause[] = {
	{ TW_NAMED(struct told, cause), TW_STRING, "For people.",
	  "'minLength': 1" },
	{ TW_NAMED(struct told, count), TW_INTEGER, "How many.",
	  "'minimum': 1" },
	{ TW_NAMED(struct told, longest), TW_REAL, "The longest, in us.",
	  .format = "%.1f" },
	{ TW_NAMED(struct told, first_s), TW_REAL, "When the first one ended, in s from the start.",
	  .format = "%.6f" },
	{ TW_NAMED(struct told, last_s), TW_REAL, "When the last one ended.",
	  .format = "%.6f" },
	{ .name = NULL }
};

static const struct tw_member of_longest[] = {
	{ TW_NAMED(struct told, task), TW_STRING, "Its name." },
	{ TW_NAMED(struct told, pid), TW_INTEGER, "Its number.",
	  "'minimum': 1" },
	{ "us", TW_IN(struct told, longest), TW_REAL, "How long it took.",
	  .format = "%.1f" },
	{ "end_s", TW_IN(struct told, last_s), TW_REAL, "When it ended, by the trace's clock.",
	  .format = "%.6f" },
	{ TW_CAUSE_ROW, .get = cause_of },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "causes", TW_NOWHERE, TW_ARRAY, "What was late, by its cause, the most frequent first.",
	  "'maxItems': 65", .next = next_cause, .of = of_cause },
	{ "break", TW_NOWHERE, TW_OBJECT, "The longest that was looked into; null: none.",
	  .nullable = true, .get = longest_of, .of = of_longest },
	{ "trace_file", TW_SELF(const char *), TW_STRING, "File of its trace; null: none.",
	  .nullable = true, .get = file_of },
	{ .name = NULL }
};

const struct tw_part wl_part_look = {
	.check = check, .exceeded = exceeded, .text = text,
	.write = write_trace, .members[TW_OF_RUN] = members,
};
