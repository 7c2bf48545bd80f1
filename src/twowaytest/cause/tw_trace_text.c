// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cause/tw_event.h"
#include "cause/tw_trace_text.h"

#define NAMES	4096	/* of tasks, by the last digits of their PID */

struct name {
	int pid;
	char comm[TW_COMM];
};

static void learn(struct name *names, int pid, const char *comm)
{
	struct name *name = &names[(unsigned int)pid % NAMES];

	name->pid = pid;
	memcpy(name->comm, comm, sizeof(name->comm));
}

/* Prints the line; its task gets a name if it has none. */
static void put_line(FILE *out, const char *line, const struct name *names,
		     const struct tw_event *event)
{
	const struct name *name = &names[(unsigned int)event->pid % NAMES];
	const char *rest = strstr(line, "<...>-");
	const char *comm = event->comm;	/* a switch tells who leaves, too */

	if (!strcmp(comm, "<...>") && name->pid == event->pid)
		comm = name->comm;
	if (rest == line + strspn(line, " "))
		fprintf(out, "%16s%s", comm, rest + strlen("<...>"));
	else
		fputs(line, out);
}

static void filter_line(FILE *out, const char *line, struct name *names,
			int64_t from_ns)
{
	struct tw_event event;

	if (!tw_event_parse(line, &event)) {
		fputs(line, out);
		return;
	}
	if (event.kind == TW_EVENT_SWITCH) {
		learn(names, event.pid, event.comm);
		learn(names, event.other_pid, event.other_comm);
	}
	if (event.time_ns >= from_ns)
		put_line(out, line, names, &event);
}

int tw_trace_filter(FILE *file, int64_t from_ns, char **text)
{
	struct name *names = calloc(NAMES, sizeof(*names));
	char *line = NULL;
	size_t room = 0, size;
	FILE *out;
	int err = -ENOMEM;

	*text = NULL;
	out = names ? open_memstream(text, &size) : NULL;
	if (!out) {
		free(names);
		return err;
	}
	while (getline(&line, &room, file) >= 0)
		filter_line(out, line, names, from_ns);
	free(line);
	free(names);
	err = ferror(file) || ferror(out) ? -EIO : 0;
	if (fclose(out) && !err)
		err = -errno;
	if (err) {
		free(*text);
		*text = NULL;
	}
	return err;
}
