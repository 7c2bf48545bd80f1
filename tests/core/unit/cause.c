// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a trace from standard input, and writes the cause of a delay:
 *
 *	cause PHASE SIDE PID PEER PID BEGIN END DUE USUALLY WAITS OWN BYPASS
 *
 * and, last, what a table of causes has of it. Times are in ns; WAITS and BYPASS are numbers; OWN: "" if it is not to work.
 * Without arguments: the events, as they were read.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "tw_cause.h"

static void print_events(const struct tw_window *window)
{
	static const char *const kinds[] = {
		"other", "switch", "waking", "migrate", "enter", "leave", "net"
	};
	size_t i;

	for (i = 0; i < window->count; i++) {
		const struct tw_event *event = &window->events[i];

		printf("%s %" PRId64 " [%d] %s-%d %s-%d %d %d%s%s%s %d %s\n",
		       kinds[event->kind], event->time_ns, event->cpu,
		       event->comm, event->pid, event->other_comm,
		       event->other_pid, event->prio, event->other_prio,
		       event->runnable ? " runnable" : "",
		       event->held ? " held" : "",
		       event->resched ? " resched" : "", event->other_cpu,
		       event->kind == TW_EVENT_ENTER ||
		       event->kind == TW_EVENT_LEAVE ? event->name : "-");
	}
}

static const void *told_of(const void *cause)
{
	return tw_cause_told(cause);
}

static void print_cause(const struct tw_window *window, char *argv[])
{
	static const struct tw_member row = { TW_CAUSE_ROW, .get = told_of };
	static struct tw_cause cause;
	const struct tw_span span = {
		.name = argv[1], .side = argv[2], .side_pid = atoi(argv[3]),
		.peer = argv[4], .peer_pid = atoi(argv[5]),
		.begin_ns = atoll(argv[6]), .end_ns = atoll(argv[7]),
		.due_ns = atoll(argv[8]), .mean_ns = atof(argv[9]),
		.waits = atoi(argv[10]), .works = *argv[11], .own = argv[11],
	};

	tw_cause_find(&cause, window, &span, 1, atoi(argv[12]));
	tw_member_write(stdout, &row, &cause);
	printf("\n");
	tw_cause_print(stdout, &cause);
	printf("%s\n", cause.brief);
}

int main(int argc, char *argv[])
{
	FILE *trace = fdopen(STDIN_FILENO, "r");	/* NULL: it is closed */
	struct tw_window window;
	int err = tw_window_read(&window, trace, 0, "", NULL, 0);

	if (argc == 13)
		print_cause(&window, argv);
	else if (err)
		return EXIT_FAILURE;
	else
		print_events(&window);
	tw_window_free(&window);
	return EXIT_SUCCESS;
}
