// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_event.h"
#include "tw_string.h"
#include "tw_time.h"

/*
 * Copies from @from up to @to, cut to what a task's name may have. It may be
 * printed to a terminal.
 */
static void copy_comm(char comm[TW_COMM], const char *from, const char *to)
{
	snprintf(comm, TW_COMM, "%.*s", (int)(to - from), from);
	tw_string_clean(comm);
}

/* "comm=NAME pid=5 prio=9 ...": names may hold blanks, even " pid=". */
static const char *last_of(const char *text, const char *what)
{
	const char *found = NULL, *next;

	for (next = strstr(text, what); next; next = strstr(next + 1, what))
		found = next;
	return found;
}

static void note_state(struct tw_event *event, char state)
{
	event->runnable = state == 'R';
	event->held = state == 'D' || state == 'T' || state == 't';
}

/* "NAME:PID [PRIO]", up to @end */
static bool parse_short(const char *text, const char *end, char comm[TW_COMM],
			int *pid, int *prio)
{
	const char *colon = memrchr(text, ':', end - text);

	if (!colon || sscanf(colon, ":%d [%d]", pid, prio) != 2)
		return false;
	copy_comm(comm, text, colon);
	return true;
}

/* As trace-cmd has it: "NAME:PID [PRIO] STATE ==> NAME:PID [PRIO]". */
static bool parse_short_switch(struct tw_event *event, const char *args)
{
	const char *arrow = strstr(args, " ==> "), *bracket;
	int pid;

	args += strspn(args, " ");
	bracket = arrow ? memrchr(args, ']', arrow - args) : NULL;
	if (!bracket || !parse_short(args, bracket, event->comm, &pid,
				     &event->prio))
		return false;
	note_state(event, bracket[2]);
	return parse_short(arrow + strlen(" ==> "), strchr(arrow, '\0'),
			   event->other_comm, &event->other_pid,
			   &event->other_prio);
}

static bool parse_switch(struct tw_event *event, const char *args)
{
	const char *arrow = strstr(args, " ==> next_comm=");
	const char *first = strstr(args, "prev_comm=");
	const char *prev = strstr(args, " prev_pid=");
	const char *name, *next;
	char state;

	while (prev && sscanf(prev, " prev_pid=%*d prev_prio=%d prev_state=%c",
			      &event->prio, &state) != 2)
		prev = strstr(prev + 1, " prev_pid=");
	if (!arrow || !prev)
		return parse_short_switch(event, args);
	name = arrow + strlen(" ==> next_comm=");
	next = last_of(name, " next_pid=");
	if (!next || sscanf(next, " next_pid=%d next_prio=%d",
			    &event->other_pid, &event->other_prio) != 2)
		return false;
	copy_comm(event->other_comm, name, next);
	/* The line's own begin has no name where the kernel notes none. */
	if (!strcmp(event->comm, "<...>") && first && first < prev)
		copy_comm(event->comm, first + strlen("prev_comm="), prev);
	note_state(event, state);
	return true;
}

static bool parse_task(struct tw_event *event, const char *args)
{
	const char *name = strstr(args, "comm=");
	const char *pid = last_of(args, " pid=");
	const char *cpu = last_of(args, "_cpu=");

	if (!name || !pid || !cpu ||
	    sscanf(pid, " pid=%d prio=%d", &event->other_pid,
		   &event->other_prio) != 2)
		return false;
	copy_comm(event->other_comm, name + strlen("comm="), pid);
	event->other_cpu = (int)strtol(cpu + strlen("_cpu="), NULL, 10);
	return true;
}

static bool parse_irq(struct tw_event *event, const char *args)
{
	const char *name = strstr(args, "name=");
	const char *equals = strchr(args, '=');
	int number;

	if (!equals)
		return false;
	number = (int)strtol(equals + 1, NULL, 10);
	snprintf(event->name, sizeof(event->name), "interrupt %d%s%.*s%s",
		 number, name ? " (" : "", name ? (int)strcspn(name + 5, "\n") :
		 0, name ? name + 5 : "", name ? ")" : "");
	return true;
}

static bool parse_softirq(struct tw_event *event, const char *args)
{
	const char *action = strstr(args, "action=");

	if (!action)
		return false;
	action += strlen("action=");
	snprintf(event->name, sizeof(event->name), "softirq %.*s",
		 (int)strcspn(action, "]\n"), action);
	return true;
}

/* Of the interrupt controller: the event's own name is the interrupt's. */
static bool parse_vector(struct tw_event *event, const char *args)
{
	return strstr(args, "vector=") || !strncmp(event->name, "ipi ", 4);
}

/* "comm=NAME pid=5 oldprio=120 newprio=9" */
static bool parse_boost(struct tw_event *event, const char *args)
{
	const char *name = strstr(args, "comm=");
	const char *pid = last_of(args, " pid=");

	if (!name || !pid || sscanf(pid, " pid=%d", &event->other_pid) != 1)
		return false;
	copy_comm(event->other_comm, name + strlen("comm="), pid);
	return true;
}

/* "cpu=1 callsite=FUNCTION+0x1 callback=...", or "cpumask=1,3-5 ...". */
static bool parse_send(struct tw_event *event, const char *args)
{
	const char *at = strstr(args, " callsite=");
	const char *list = strchr(args, '=');

	/* A list that is cut would name CPUs that are not in it. */
	if (!at || !list || list > at || at - list > TW_COMM)
		return false;
	copy_comm(event->other_comm, list + 1, at);
	at += strlen(" callsite=");
	snprintf(event->name, sizeof(event->name), "%.*s",
		 (int)strcspn(at, "+ \n"), at);
	return true;
}

static bool parse_any(struct tw_event *event, const char *args)
{
	return true;
}

/* By how the event's name begins and ends; the first that fits. */
static const struct form {
	const char *begin, *end;
	enum tw_event_kind kind;
	bool (*parse)(struct tw_event *event, const char *args);
} forms[] = {
	{ "<stack trace>", "", TW_EVENT_STACK, parse_any },
	{ "sched_switch", "", TW_EVENT_SWITCH, parse_switch },
	{ "sched_waking", "", TW_EVENT_WAKING, parse_task },
	{ "sched_migrate_task", "", TW_EVENT_MIGRATE, parse_task },
	{ "irq_handler", "_entry", TW_EVENT_ENTER, parse_irq },
	{ "irq_handler", "_exit", TW_EVENT_LEAVE, parse_irq },
	{ "softirq", "_entry", TW_EVENT_ENTER, parse_softirq },
	{ "softirq", "_exit", TW_EVENT_LEAVE, parse_softirq },
	{ "sched_pi_setprio", "", TW_EVENT_BOOST, parse_boost },
	{ "contention_begin", "", TW_EVENT_LOCK, parse_any },
	{ "contention_end", "", TW_EVENT_UNLOCK, parse_any },
	{ "ipi_send_cpu", "", TW_EVENT_SEND, parse_send },
	{ "net_dev", "", TW_EVENT_NET, parse_any },
	{ "netif_", "", TW_EVENT_NET, parse_any },
	{ "", "_entry", TW_EVENT_ENTER, parse_vector },
	{ "", "_exit", TW_EVENT_LEAVE, parse_vector },
};

static bool fits(const struct form *form, const char *name, size_t len)
{
	size_t begin = strlen(form->begin), end = strlen(form->end);

	return len >= begin + end && !strncmp(name, form->begin, begin) &&
	       !strncmp(name + len - end, form->end, end);
}

static void parse_kind(struct tw_event *event, const char *name, size_t len)
{
	const char *args = name[len] == ':' ? name + len + 1 : "";
	size_t i;

	event->kind = TW_EVENT_OTHER;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (!fits(&forms[i], name, len))
			continue;
		snprintf(event->name, sizeof(event->name), "%.*s%s",
			 (int)(len - strlen(forms[i].end)), name,
			 " interrupt");
		if (forms[i].parse(event, args))
			event->kind = forms[i].kind;
		return;
	}
}

/* " [003] " of "NAME-PID   [003] d.h1. 12.345678: event: ..." */
static const char *find_cpu(const char *line)
{
	const char *at = line;
	size_t digits;

	while ((at = strstr(at, " ["))) {
		digits = strspn(at + 2, "0123456789");
		if (digits && at[2 + digits] == ']')
			return at;
		at += 2;
	}
	return NULL;
}

/* The NAME-PID before it, perhaps with the task's group: NAME-PID (PID). */
static bool parse_current(struct tw_event *event, const char *line,
			  const char *end)
{
	const char *dash = end;

	if (dash > line && dash[-1] == ')')
		while (dash > line && *dash != '(')
			dash--;
	while (dash > line && *dash != '-')
		dash--;
	if (dash == line || !isdigit((unsigned char)dash[1]))
		return false;
	event->pid = (int)strtol(dash + 1, NULL, 10);
	line += strspn(line, " ");
	copy_comm(event->comm, line, dash);
	return true;
}

/* From the CPU on; *used: up to the event's name. */
static bool parse_time(struct tw_event *event, const char *cpu, int *used)
{
	int64_t seconds, us;
	char flags[16];

	*used = 0;
	if (sscanf(cpu, " [%d] %15s %" SCNd64 ".%6" SCNd64 ": %n",
		   &event->cpu, flags, &seconds, &us, used) != 4) {
		/* trace-cmd leaves them out. */
		flags[0] = '\0';
		sscanf(cpu, " [%d] %" SCNd64 ".%6" SCNd64 ": %n", &event->cpu,
		       &seconds, &us, used);
	}
	if (!*used || seconds < 0 || us < 0 ||
	    seconds >= INT64_MAX / TW_NS_PER_S)
		return false;
	/* The second flag: not those that can wait for the next tick, l, L. */
	event->resched = flags[0] && flags[1] && strchr("BbNnp", flags[1]);
	event->time_ns = seconds * TW_NS_PER_S + us * TW_NS_PER_US;
	return true;
}

static bool has_place(const struct tw_event *event)
{
	return event->cpu >= 0 && event->cpu < CPU_SETSIZE &&
	       event->other_cpu >= 0 && event->other_cpu < CPU_SETSIZE;
}

bool tw_event_parse(const char *line, struct tw_event *event)
{
	const char *cpu, *name;
	int used;

	memset(event, 0, sizeof(*event));
	if (*line == '#')
		return false;
	/* What looks like a CPU may be in the task's name. */
	for (cpu = find_cpu(line); cpu; cpu = find_cpu(cpu + 1)) {
		if (!parse_current(event, line, cpu) ||
		    !parse_time(event, cpu, &used))
			continue;
		name = cpu + used;
		parse_kind(event, name, strcspn(name, ":\n"));
		return has_place(event);
	}
	return false;
}
