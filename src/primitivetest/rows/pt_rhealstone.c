// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Rhealstone figure: how often a second a system does, on average, what
 * its six parts measure. The breaking of a deadlock is sync3's inversion less
 * the time that the low task works.
 */
#include <stdio.h>

#include "rows/pt_rhealstone.h"

struct part {
	const char *name;
	/* The column; NULL: the tasks are not in its name. */
	const char *test, *metric;
};

static const struct part parts[PT_RHEALSTONES] = {
	{ "switch", "yield.2x0", "switch" },
	{ "preemption", "preempt", "preempt" },
	{ "interrupt", "timer.1000.wakeup", NULL },
	{ "shuffle", "shuffle", "shuffle" },
	{ "deadlock", "sync3.inherit", "inversion" },
	{ "message", "message.8", "out" },
};

#define DEADLOCK	4	/* its place */

double pt_rhealstone(const double part_ns[PT_RHEALSTONES])
{
	double sum_ns = 0;
	int i;

	for (i = 0; i < PT_RHEALSTONES; i++)
		sum_ns += part_ns[i];
	return sum_ns > 0 ? PT_RHEALSTONES * 1e9 / sum_ns : 0;
}

/* Stores the means. Returns false if one was not measured. */
static bool collect(const struct pt_sums *sums, const char *tasks,
		    double part_ns[PT_RHEALSTONES])
{
	char name[PT_NAME + 16];
	struct pt_sum sum;
	int i;

	for (i = 0; i < PT_RHEALSTONES; i++) {
		if (parts[i].metric)
			snprintf(name, sizeof(name), "%s.%s.same.%s",
				 parts[i].test, tasks, parts[i].metric);
		else
			snprintf(name, sizeof(name), "%s", parts[i].test);
		if (!pt_sum_of(sums, name, &sum))
			return false;
		part_ns[i] = sum.mean_ns;
	}
	return true;
}

static void tell(const struct pt_sums *sums, const char *tasks,
		 const double part_ns[PT_RHEALSTONES])
{
	char name[PT_NAME], formula[PT_TEXT];
	size_t used = 0;
	int i;

	used += (size_t)snprintf(formula, sizeof(formula), "%d / (",
				 PT_RHEALSTONES);
	for (i = 0; i < PT_RHEALSTONES; i++)
		used += (size_t)snprintf(formula + used,
					 sizeof(formula) - used,
					 "%s%s %.1f", i ? " + " : "",
					 parts[i].name, part_ns[i]);
	snprintf(formula + used, sizeof(formula) - used, " ns)");
	snprintf(name, sizeof(name), "rhealstone.%s", tasks);
	pt_derive_as(sums, &(struct pt_derived) {
		.title = "Rhealstone", .name = name, .unit = "/s",
		.value = pt_rhealstone(part_ns), .formula = formula,
	});
}

void pt_rhealstone_derive(const struct pt_sums *sums)
{
	static const char *const tasks[] = { "thread", "process" };
	double part_ns[PT_RHEALSTONES];
	int i;

	for (i = 0; i < 2; i++) {
		if (!collect(sums, tasks[i], part_ns))
			continue;
		part_ns[DEADLOCK] -= (double)(pt_config->hold_us *
					      TW_NS_PER_US);
		tell(sums, tasks[i], part_ns);
	}
}
