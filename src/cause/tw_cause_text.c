// SPDX-License-Identifier: GPL-2.0-or-later
/* The cause, as text and as JSON. */
#include <stdio.h>
#include <sys/utsname.h>

#include "tw_cause.h"
#include "tw_time.h"

#define LINES	40	/* of the time line, on the terminal */

static void print_piece(FILE *file, const struct tw_piece *piece)
{
	fprintf(file, "# %10.1f %10.1f %4d  %-18s %s", tw_us(piece->at_ns),
		tw_us(piece->for_ns), piece->cpu, tw_state_words[piece->state].name,
		piece->who);
	if (piece->prio >= 0 && piece->prio < 99 && !piece->interrupt)
		fprintf(file, ", priority %d", 99 - piece->prio);
	fprintf(file, "\n");
}

static void print_stack(FILE *file, const struct tw_cause *cause)
{
	const struct tw_stack *stack = &cause->stack;
	int i;

	if (!stack->pid)
		return;
	fprintf(file, "# Stack of %s, as %s:", cause->worst.who,
		stack->at == TW_EVENT_SWITCH ? "it left the CPU" :
		"an interrupt came");
	for (i = 0; i < stack->count; i++)
		fprintf(file, "%s %s", i ? " <" : "", stack->frames[i]);
	fprintf(file, "%s\n", i ? "" : " in user mode");
}

void tw_cause_print(FILE *file, const struct tw_cause *cause)
{
	/* That is, of too many pieces, at most LINES. */
	int64_t least_ns = cause->count > LINES ? cause->value_ns / LINES : 0;
	int64_t left_ns = 0;
	int i;

	fprintf(file, "# Cause: %s\n", cause->sentence);
	if (cause->lacks)
		return;
	print_stack(file, cause);
	if (cause->running_ns >= 0)
		fprintf(file, "# Wake-up of the %s: %.1f us from sched_waking to %s\n",
			cause->span.side,
			tw_us(cause->running_ns - cause->waking_ns),
			cause->switch_unseen ? "its first event" :
					       "sched_switch");
	fprintf(file, "# Time line of %s: %.1f us", cause->span.name,
		tw_us(cause->value_ns));
	if (cause->span.mean_ns > 0)
		fprintf(file, ", on average %.1f",
			tw_us(cause->span.mean_ns));
	fprintf(file, "\n# %10s %10s  CPU  %-18s who had the CPU\n", "at us",
		"for us", cause->span.side);
	for (i = 0; i < cause->count; i++) {
		if (cause->pieces[i].for_ns >= least_ns)
			print_piece(file, &cause->pieces[i]);
		else
			left_ns += cause->pieces[i].for_ns;
	}
	if (left_ns)
		fprintf(file, "# %10s %10.1f       in shorter pieces\n", "",
			tw_us(left_ns));
}

const void *tw_cause_told(const struct tw_cause *cause)
{
	return cause->span.side ? cause : NULL;
}

/* For the JSON; all are asked of a struct tw_cause. */
static const char *host_of(const void *of)
{
	static struct utsname host;

	uname(&host);
	return host.nodename;
}

static const char *state_of(const void *of)
{
	return tw_state_words[((const struct tw_cause *)of)->state].name;
}

static const char *who_of(const void *of)
{
	const struct tw_cause *cause = of;

	return cause->to_blame ? cause->worst.who : NULL;
}

static int64_t wakeup_ns(const void *of)
{
	const struct tw_cause *cause = of;

	return cause->running_ns - cause->waking_ns;
}

static bool was_woken(const void *of)
{
	const struct tw_cause *cause = of;

	return !cause->lacks && cause->running_ns >= 0;
}

static bool has_stack(const void *of)
{
	const struct tw_cause *cause = of;

	return !cause->lacks && cause->stack.pid;
}

static const char *const moments[] = { "interrupt", "switch", NULL };

static const char *stack_at(const void *of)
{
	const struct tw_cause *cause = of;

	return moments[cause->stack.at == TW_EVENT_SWITCH];
}

static const char *state_word(int i)
{
	return i < TW_STATES ? tw_state_words[i].name : NULL;
}

static const char *state_of_piece(const void *of)
{
	return tw_state_words[((const struct tw_piece *)of)->state].name;
}

#define STATE	"What the side did or waited for."

static const struct tw_member of_piece[] = {
	{ TW_NAMED(struct tw_piece, at_ns), TW_COUNT, "From the begin of the phase." },
	{ "ns", TW_IN(struct tw_piece, for_ns), TW_INTEGER, "Its length.",
	  "'minimum': 1" },
	{ "state", TW_TEXT_OF(state_of_piece), TW_STRING, STATE,
	  .word = state_word },
	{ TW_NAMED(struct tw_piece, cpu), TW_INTEGER,
	  "The CPU of the cause; -1: unknown.", "'minimum': -1" },
	{ TW_NAMED(struct tw_piece, who), TW_STRING, "Who had this CPU: a task with its PID, or an interrupt.",
	  "'minLength': 1" },
	{ TW_NAMED(struct tw_piece, pid), TW_INTEGER,
	  "The task on this CPU; -1: unknown.", "'minimum': -1" },
	{ TW_NAMED(struct tw_piece, prio), TW_INTEGER, "Its kernel priority, below 100 real-time, 0 the highest; -1: unknown.",
	  "'minimum': -1" },
	{ TW_NAMED(struct tw_piece, interrupt), TW_BOOLEAN, "Whether who is an interrupt or a softirq." },
	{ .name = NULL }
};

#define CAUSE(field)	TW_IN(struct tw_cause, field)
#define KNOWN		TW_UNLESS_IN(struct tw_cause, lacks)

const struct tw_member tw_cause_members[] = {
	{ "host", TW_TEXT_OF(host_of), TW_STRING, "Name of the host where this was seen." },
	{ "phase", CAUSE(span.name), TW_STRING, "The phase." },
	{ "lacks", CAUSE(lacks), TW_STRING, "Why nothing more is known.",
	  "'minLength': 1", TW_IF_IN(struct tw_cause, lacks) },
	{ "side", CAUSE(span.side), TW_STRING,
	  "Who was late: the peer is the other." },
	{ "pid", CAUSE(span.side_pid), TW_INTEGER, "Its process.",
	  "'minimum': 1" },
	{ "ns", CAUSE(value_ns), TW_INTEGER, "Length of the phase." },
	{ "mean_ns", CAUSE(span.mean_ns), TW_REAL, "Its mean in the cycles before; 0: not known, as that of what a host has of network.",
	  .format = "%.1f" },
	{ "state", TW_TEXT_OF(state_of), TW_STRING, STATE, KNOWN,
	  .word = state_word },
	{ "who", TW_TEXT_OF(who_of), TW_STRING, "The task or interrupt that is to blame; null: no one that had the CPU.",
	  KNOWN, .nullable = true },
	{ "state_ns", CAUSE(state_ns), TW_COUNT,
	  "How long it was in this state.", KNOWN },
	{ "wakeup_ns", TW_NUMBER_OF(wakeup_ns), TW_COUNT, "From the last sched_waking of the side in the phase until it ran.",
	  .optional = true, .has = was_woken },
	{ "cause", CAUSE(sentence), TW_STRING, "For people.", "'minLength': 1",
	  KNOWN },
	{ "stack_at", TW_TEXT_OF(stack_at), TW_STRING, "--trace=stack: when the stack was taken: in an interrupt over who is to blame, or as it left the CPU.",
	  .optional = true, .has = has_stack, .words = moments },
	{ "stack", TW_LIST_IN(struct tw_cause, stack.frames, stack.count),
	  TW_ARRAY, "What who is to blame did in the kernel, the innermost function first; none: it was in user mode.",
	  "'maxItems': 5", .optional = true, .has = has_stack,
	  .of = TW_EACH(TW_SELF_CHARS, TW_STRING, "A function.",
			"'minLength': 1") },
	{ "contributors", TW_LIST_IN(struct tw_cause, sums, sum_count),
	  TW_ARRAY, "The time line added up by state, CPU and who; the longest first.",
	  KNOWN, .of = of_piece },
	{ "timeline", TW_LIST_IN(struct tw_cause, pieces, count), TW_ARRAY, "What happened in the phase. What does not fit is added to the last piece.",
	  "'maxItems': 256", KNOWN, .of = of_piece },
	{ .name = NULL }
};
