// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdint.h>
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

/* What is kept, in two parts: for the third, the first is forgotten. */
struct kept {
	FILE *out;
	char *before, *text;
	size_t before_size, size;
};

static int next_part(struct kept *kept, size_t *cut)
{
	int err = kept->out && fclose(kept->out) ? -errno : 0;

	free(kept->before);
	*cut += kept->before_size;
	kept->before = kept->text;
	kept->before_size = kept->size;
	kept->text = NULL;
	kept->size = 0;
	kept->out = open_memstream(&kept->text, &kept->size);
	return err || kept->out ? err : -ENOMEM;
}

/* Both parts, in one. */
static int join(struct kept *kept, char **text)
{
	size_t size = kept->size + 1;
	char *all;

	if (!kept->before) {
		*text = kept->text;
		kept->text = NULL;
		return 0;
	}
	all = realloc(kept->before, kept->before_size + size);
	if (!all)
		return -ENOMEM;
	memcpy(all + kept->before_size, kept->text, size);
	kept->before = NULL;
	*text = all;
	return 0;
}

static int filter(FILE *file, int64_t from_ns, size_t most, struct kept *kept,
		  size_t *cut)
{
	struct name *names = calloc(NAMES, sizeof(*names));
	int err = names ? next_part(kept, cut) : -ENOMEM;
	char *line = NULL;
	size_t room = 0;

	while (!err && getline(&line, &room, file) >= 0) {
		filter_line(kept->out, line, names, from_ns);
		err = ferror(kept->out) ? -EIO : 0;
		if (!err && (uintmax_t)ftello(kept->out) > most / 2)
			err = next_part(kept, cut);
	}
	free(line);
	free(names);
	return !err && ferror(file) ? -EIO : err;
}

int tw_trace_filter(FILE *file, int64_t from_ns, size_t most, char **text,
		    size_t *cut)
{
	struct kept kept = { .out = NULL };
	int err;

	*text = NULL;
	*cut = 0;
	err = filter(file, from_ns, most, &kept, cut);
	if (kept.out && fclose(kept.out) && !err)
		err = -errno;
	if (!err)
		err = join(&kept, text);
	free(kept.before);
	free(kept.text);
	return err;
}
