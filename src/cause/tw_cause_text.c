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

/* What the JSON says of it. */
struct told {
	const struct tw_cause *of;
	struct utsname host;
	const char *who, *state;
	int64_t wakeup_ns;
};

const void *tw_cause_told(const struct tw_cause *cause)
{
	static struct told told;

	if (!cause->span.side)
		return NULL;
	told.of = cause;
	uname(&told.host);
	told.state = tw_state_words[cause->state].name;
	told.who = cause->to_blame ? cause->worst.who : NULL;
	told.wakeup_ns = cause->running_ns - cause->waking_ns;
	return &told;
}

static const struct tw_cause *cause_of(const void *of)
{
	return ((const struct told *)of)->of;
}

static const void *get_cause(const void *of)
{
	return cause_of(of);
}

static bool lacks(const void *of)
{
	return cause_of(of)->lacks;
}

static bool is_known(const void *of)
{
	return !lacks(of);
}

static bool was_woken(const void *of)
{
	return !lacks(of) && cause_of(of)->running_ns >= 0;
}

static bool has_stack(const void *of)
{
	return !lacks(of) && cause_of(of)->stack.pid;
}

static const char *const moments[] = { "interrupt", "switch", NULL };

static const void *stack_at(const void *of)
{
	return &moments[cause_of(of)->stack.at == TW_EVENT_SWITCH];
}

static const void *next_frame(const void *of, int *i, const char **key)
{
	const struct tw_stack *stack = &cause_of(of)->stack;

	return *i < stack->count ? stack->frames[*i] : NULL;
}

static const void *next_sum(const void *of, int *i, const char **key)
{
	return *i < cause_of(of)->sum_count ? &cause_of(of)->sums[*i] : NULL;
}

static const void *next_piece(const void *of, int *i, const char **key)
{
	return *i < cause_of(of)->count ? &cause_of(of)->pieces[*i] : NULL;
}

static const char *state_word(int i)
{
	return i < TW_STATES ? tw_state_words[i].name : NULL;
}

static const void *state_of(const void *of)
{
	return &tw_state_words[((const struct tw_piece *)of)->state].name;
}

#define STATE	"What the side did or waited for."

static const struct tw_member of_piece[] = {
	{ TW_NAMED(struct tw_piece, at_ns), TW_COUNT, "From the begin of the phase." },
	{ "ns", TW_IN(struct tw_piece, for_ns), TW_INTEGER, "Its length.",
	  "'minimum': 1" },
	{ "state", TW_SELF(const char *), TW_STRING, STATE,
	  .word = state_word, .get = state_of },
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
#define KNOWN	.optional = true, .has = is_known

const struct tw_member tw_cause_members[] = {
	{ "host", TW_IN(struct told, host.nodename), TW_STRING, "Name of the host where this was seen." },
	{ "phase", CAUSE(span.name), TW_STRING, "The phase.",
	  .get = get_cause },
	{ "lacks", CAUSE(lacks), TW_STRING, "Why nothing more is known.",
	  "'minLength': 1", .optional = true, .has = lacks,
	  .get = get_cause },
	{ "side", CAUSE(span.side), TW_STRING,
	  "Who was late: the peer is the other.", .get = get_cause },
	{ "pid", CAUSE(span.side_pid), TW_INTEGER, "Its process.",
	  "'minimum': 1", .get = get_cause },
	{ "ns", CAUSE(value_ns), TW_INTEGER, "Length of the phase.",
	  .get = get_cause },
	{ "mean_ns", CAUSE(span.mean_ns), TW_REAL, "Its mean in the cycles before; 0: not known, as that of what a host has of network.",
	  .get = get_cause, .format = "%.1f" },
	{ TW_NAMED(struct told, state), TW_STRING, STATE, KNOWN,
	  .word = state_word, .line = 6 },
	{ TW_NAMED(struct told, who), TW_STRING, "The task or interrupt that is to blame; null: no one that had the CPU.",
	  KNOWN, .nullable = true },
	{ "state_ns", CAUSE(state_ns), TW_COUNT,
	  "How long it was in this state.", KNOWN, .get = get_cause },
	{ TW_NAMED(struct told, wakeup_ns), TW_COUNT, "From the last sched_waking of the side in the phase until it ran.",
	  .optional = true, .has = was_woken },
	{ "cause", CAUSE(sentence), TW_STRING, "For people.", "'minLength': 1",
	  KNOWN, .get = get_cause },
	{ "stack_at", TW_SELF(const char *), TW_STRING, "--trace=stack: when the stack was taken: in an interrupt over who is to blame, or as it left the CPU.",
	  .optional = true, .has = has_stack, .words = moments,
	  .get = stack_at },
	{ "stack", TW_NOWHERE, TW_ARRAY, "What who is to blame did in the kernel, the innermost function first; none: it was in user mode.",
	  "'maxItems': 5", .optional = true, .has = has_stack,
	  .next = next_frame,
	  .of = TW_EACH(TW_SELF_CHARS, TW_STRING, "A function.",
			"'minLength': 1") },
	{ "contributors", TW_NOWHERE, TW_ARRAY, "The time line added up by state, CPU and who; the longest first.",
	  KNOWN, .next = next_sum, .of = of_piece, .lines = 8 },
	{ "timeline", TW_NOWHERE, TW_ARRAY, "What happened in the phase. What does not fit is added to the last piece.",
	  "'maxItems': 256", KNOWN, .next = next_piece, .of = of_piece,
	  .lines = 8 },
	{ .name = NULL }
};
