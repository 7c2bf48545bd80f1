// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include "tw_others.h"
#include "tw_time.h"

#define SLACK_TICKS	2	/* what is rounded */
/* Without exact times, up to a 10th passes into idling and out of it. */
#define COARSE_PART	10

static int64_t between(int64_t least, int64_t value, int64_t most)
{
	return value > most ? most : value < least ? least : value;
}

/* A task that is not among an incomplete list may have run before. */
static int64_t used_ns(const struct tw_snapshot *before,
		       const struct tw_snapshot *after,
		       const struct tw_task *task)
{
	const struct tw_task *old = tw_snapshot_find(before, task);

	if (!old && !before->complete)
		return 0;
	return between(0, task->ns - (old ? old->ns : 0),
		       after->at_ns - before->at_ns);
}

/* Keeps the greatest, in order. */
static void keep(struct tw_task *list, struct tw_task task)
{
	struct tw_task less;
	int i;

	for (i = 0; i < TW_OTHERS_NAMED; i++)
		if (task.ns > list[i].ns) {
			less = list[i];
			list[i] = task;
			task = less;
		}
}

static void collect(struct tw_others *to, const struct tw_snapshot *before,
		    const struct tw_snapshot *after)
{
	int i;

	for (i = 0; i < after->count; i++) {
		struct tw_task task = after->task[i];

		if (task.cpu != to->cpu)
			continue;
		task.ns = used_ns(before, after, &task);
		if (!task.ns)
			continue;
		if (task.interrupts) {
			to->interrupts_ns += task.ns;
			continue;
		}
		to->ns += task.ns;
		keep(to->task, task);
	}
}

/* No more than there was. */
static void limit(struct tw_others *to, int64_t room_ns)
{
	int i;

	to->interrupts_ns = between(0, to->interrupts_ns, room_ns);
	room_ns -= to->interrupts_ns;
	to->ns = between(0, to->ns, room_ns);
	for (i = 0; i < TW_OTHERS_NAMED; i++) {
		to->task[i].ns = between(0, to->task[i].ns, room_ns);
		room_ns -= to->task[i].ns;
	}
}

void tw_others_compare(struct tw_others *to, const struct tw_snapshot *before,
		       const struct tw_snapshot *after, int64_t own_ns,
		       int64_t rest_ns)
{
	const struct tw_cpu_time *one = &before->cpu[to->cpu];
	const struct tw_cpu_time *two = &after->cpu[to->cpu];
	const int64_t elapsed_ns = after->at_ns - before->at_ns;
	const int64_t interrupt_ns = two->interrupt_ns - one->interrupt_ns;
	int64_t room_ns, sure_ns;

	*to = (struct tw_others) { .cpu = to->cpu };
	to->host_ns = between(0, two->host_ns - one->host_ns, elapsed_ns);
	room_ns = between(0, elapsed_ns - (two->idle_ns - one->idle_ns) -
			  interrupt_ns - to->host_ns - own_ns, elapsed_ns);
	collect(to, before, after);
	limit(to, room_ns);
	if (!before->complete || !after->complete)
		return;
	sure_ns = before->exact && after->exact ?
		  two->task_ns - one->task_ns - interrupt_ns - own_ns :
		  room_ns - elapsed_ns / COARSE_PART;
	to->unnamed_ns = between(0, sure_ns - to->interrupts_ns - to->ns -
				 rest_ns - SLACK_TICKS * TW_NS_PER_S /
				 sysconf(_SC_CLK_TCK),
				 room_ns - to->interrupts_ns - to->ns);
	to->ns += to->unnamed_ns;
}
