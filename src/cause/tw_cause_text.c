// SPDX-License-Identifier: GPL-2.0-or-later
/* The cause, as text and as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "tw_cause.h"
#include "tw_string.h"
#include "tw_time.h"

#define LINES	40	/* of the time line, on the terminal */

static double to_us(int64_t ns)
{
	return (double)ns / (double)TW_NS_PER_US;
}

static void print_piece(FILE *file, const struct tw_piece *piece)
{
	fprintf(file, "# %10.1f %10.1f %4d  %-18s %s", to_us(piece->at_ns),
		to_us(piece->for_ns), piece->cpu, tw_state_words[piece->state].name,
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
			to_us(cause->running_ns - cause->waking_ns),
			cause->switch_unseen ? "its first event" :
					       "sched_switch");
	fprintf(file, "# Time line of %s: %.1f us", cause->span.name,
		to_us(cause->value_ns));
	if (cause->span.mean_ns > 0)
		fprintf(file, ", on average %.1f",
			cause->span.mean_ns / (double)TW_NS_PER_US);
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
			to_us(left_ns));
}

static void write_pieces(FILE *file, const char *key,
			 const struct tw_piece *piece, int count)
{
	int i;

	fprintf(file, ", \"%s\": [", key);
	for (i = 0; i < count; i++, piece++) {
		fprintf(file, "%s\n        { \"at_ns\": %" PRId64 ", \"ns\": %"
			PRId64 ", \"state\": \"%s\", \"cpu\": %d, \"who\": ",
			i ? "," : "", piece->at_ns, piece->for_ns,
			tw_state_words[piece->state].name, piece->cpu);
		tw_string_json(file, piece->who);
		fprintf(file, ", \"pid\": %d, \"prio\": %d, \"interrupt\": %s }",
			piece->pid, piece->prio,
			piece->interrupt ? "true" : "false");
	}
	fprintf(file, "]");
}

static void write_stack(FILE *file, const struct tw_stack *stack)
{
	int i;

	fprintf(file, ", \"stack_at\": \"%s\", \"stack\": [",
		stack->at == TW_EVENT_SWITCH ? "switch" : "interrupt");
	for (i = 0; i < stack->count; i++) {
		fprintf(file, "%s", i ? ", " : "");
		tw_string_json(file, stack->frames[i]);
	}
	fprintf(file, "]");
}

/* A string as the value of a member. */
static void write_string(FILE *file, const char *key, const char *value)
{
	fprintf(file, "\"%s\": ", key);
	tw_string_json(file, value);
	fprintf(file, ", ");
}

void tw_cause_json(FILE *file, const struct tw_cause *cause)
{
	struct utsname host;

	if (!cause->span.side) {
		fprintf(file, "null");
		return;
	}
	uname(&host);
	fprintf(file, "{ ");
	write_string(file, "host", host.nodename);
	write_string(file, "phase", cause->span.name);
	if (cause->lacks)
		write_string(file, "lacks", cause->lacks);
	write_string(file, "side", cause->span.side);
	fprintf(file, "\"pid\": %d, \"ns\": %" PRId64 ", \"mean_ns\": %.1f",
		cause->span.side_pid, cause->value_ns, cause->span.mean_ns);
	if (!cause->lacks) {
		fprintf(file, ",\n      ");
		write_string(file, "state", tw_state_words[cause->state].name);
		if (cause->to_blame)
			write_string(file, "who", cause->worst.who);
		else
			fprintf(file, "\"who\": null, ");
		fprintf(file, "\"state_ns\": %" PRId64 ", ", cause->state_ns);
		if (cause->running_ns >= 0)
			fprintf(file, "\"wakeup_ns\": %" PRId64 ", ",
				cause->running_ns - cause->waking_ns);
		fprintf(file, "\"cause\": ");
		tw_string_json(file, cause->sentence);
		if (cause->stack.pid)
			write_stack(file, &cause->stack);
		write_pieces(file, "contributors", cause->sums,
			     cause->sum_count);
		write_pieces(file, "timeline", cause->pieces, cause->count);
	}
	fprintf(file, " }");
}
