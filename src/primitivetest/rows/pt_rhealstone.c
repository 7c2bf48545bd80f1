// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Rhealstone figure: how often a second a system does, on average, what
 * its six parts measure. The breaking of a deadlock is sync3's hand-over.
 */
#include <stdio.h>

#include "pt_report.h"

static const struct {
	const char *name;
	const char *format;	/* of the column; %s: the tasks */
} parts[PT_RHEALSTONES] = {
	{ "switch", "yield.2x0.%s.same.switch" },
	{ "preemption", "preempt.%s.same.preempt" },
	{ "interrupt", "timer.1000.wakeup" },
	{ "shuffle", "shuffle.%s.same.shuffle" },
	{ "deadlock", "sync3.inherit.%s.same.handover" },
	{ "message", "message.8.%s.same.out" },
};

double pt_rhealstone(const double parts_ns[PT_RHEALSTONES])
{
	double sum_ns = 0;
	int i;

	for (i = 0; i < PT_RHEALSTONES; i++)
		sum_ns += parts_ns[i];
	return sum_ns > 0 ? PT_RHEALSTONES * 1e9 / sum_ns : 0;
}

/* It needs all parts. */
static void derive(const char *tasks)
{
	char name[PT_NAME + 16], formula[PT_TEXT];
	double parts_ns[PT_RHEALSTONES];
	struct pt_sum sum;
	int i, used = 0;

	for (i = 0; i < PT_RHEALSTONES; i++) {
		snprintf(name, sizeof(name), parts[i].format, tasks);
		if (!pt_sum_of(name, &sum))
			return;
		parts_ns[i] = sum.mean_ns;
		used += snprintf(formula + used, PT_TEXT - used, "%s%s %.1f",
				 i ? " + " : "6 / (", parts[i].name,
				 sum.mean_ns);
	}
	snprintf(formula + used, PT_TEXT - used, " ns)");
	pt_derive(pt_rhealstone(parts_ns), "/s", formula, "rhealstone.%s",
		  tasks);
}

void pt_rhealstone_derive(void)
{
	derive("thread");
	derive("process");
}
