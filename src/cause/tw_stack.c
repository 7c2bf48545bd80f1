// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel stacks in the text of a trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_window.h"

/* By how their names begin: an interrupt came here; the scheduler's own. */
static const char *const entries[] = {
	"asm_", "el0t_64_", "el1h_64_", "el0_", "el1_", "__irq_", "handle_arch_",
	"ret_from_exception", "hardware_interrupt_common", "do_ext_interrupt",
	"apic_timer_interrupt", "common_interrupt", NULL
};
static const char *const schedulers[] = {
	"__schedule", "schedule", "preempt_schedule", "__cond_resched",
	"trace_event_", "__traceiter_", NULL
};

static bool begins_so(const char *name, const char *const *list)
{
	while (*list && strncmp(name, *list, strlen(*list)))
		list++;
	return *list;
}

int tw_stack_begin(struct tw_window *window, const struct tw_event *event,
		   enum tw_event_kind at)
{
	size_t count = window->stack_count;
	struct tw_stack *more = window->stacks;

	/* The room is doubled at each power of two. */
	if (!(count & (count - 1)))
		more = realloc(more, (count ? 2 * count : 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	window->stacks = more;
	window->stack_count++;
	more[count] = (struct tw_stack) {
		.time_ns = event->time_ns, .cpu = event->cpu,
		.pid = event->pid, .at = at,
	};
	return 0;
}

void tw_stack_line(struct tw_window *window, const char *line)
{
	struct tw_stack *stack = &window->stacks[window->stack_count - 1];
	char name[sizeof(stack->frames[0])];

	if (sscanf(line, " => %47[^+ <\n]", name) != 1)
		return;
	if (begins_so(name, entries))
		stack->count = 0;
	else if (stack->count < TW_FRAMES &&
		 (stack->count || !begins_so(name, schedulers)))
		strcpy(stack->frames[stack->count++], name);
}
