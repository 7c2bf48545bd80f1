// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "tw_past.h"

#define STARVED		3	/* periods without a sample */

struct tw_past *tw_past;

double tw_past_within(int sample, int64_t from_ns, int64_t to_ns)
{
	int64_t begin_ns = tw_past_at_ns(sample - 1);
	int64_t end_ns = tw_past_at_ns(sample), all_ns = end_ns - begin_ns;

	if (from_ns > begin_ns)
		begin_ns = from_ns;
	if (to_ns < end_ns)
		end_ns = to_ns;
	return end_ns > begin_ns ? (double)(end_ns - begin_ns) / all_ns : 0;
}

bool tw_past_enclose(int64_t *from_ns, int64_t *to_ns)
{
	int from = tw_past->count - 1, to = from;

	while (from > tw_past_first() && tw_past_at_ns(from) > *from_ns)
		from--;
	while (to > from + 1 && tw_past_at_ns(to - 1) >= *to_ns)
		to--;
	if (!tw_past->told || tw_past_at_ns(from) > *from_ns ||
	    tw_past_at_ns(to) < *to_ns ||
	    tw_past_at_ns(to) - tw_past_at_ns(from) >=
	    STARVED * tw_past->period_ns)
		return false;
	*from_ns = tw_past_at_ns(from);
	*to_ns = tw_past_at_ns(to);
	return true;
}

static bool is_one_of(const struct tw_past_task *task, const int ids[2])
{
	return task->ours && ((!ids[0] && !ids[1]) || task->id == ids[0] ||
			      task->id == ids[1]);
}

static bool is_between(int sample, int64_t from_ns, int64_t to_ns)
{
	return tw_past_at_ns(sample) > from_ns &&
	       tw_past_at_ns(sample) <= to_ns;
}

int64_t tw_past_waited_ns(const int ids[2], int64_t from_ns, int64_t to_ns,
			  cpu_set_t *cpus)
{
	struct tw_past_task *task;
	int64_t sum_ns = 0;
	bool known = false;
	int i;

	for (task = tw_past->task; task < tw_past_end(); task++) {
		if (!is_one_of(task, ids))
			continue;
		known |= task->known;
		CPU_OR(cpus, cpus, &task->cpus);
		for (i = tw_past_first() + 1; i < tw_past->count; i++)
			if (is_between(i, from_ns, to_ns))
				sum_ns += tw_past_spent(task, i)->waited_ns;
	}
	return known ? sum_ns : -1;
}

void tw_past_take_ns(const int ids[2], int64_t from_ns, int64_t to_ns,
		     int64_t ns)
{
	struct tw_past_task *task;
	int64_t *waited_ns, part_ns;
	int i;

	for (task = tw_past->task; task < tw_past_end(); task++)
		for (i = tw_past->count - 1; i > tw_past_first(); i--) {
			if (!is_one_of(task, ids) ||
			    !is_between(i, from_ns, to_ns))
				continue;
			waited_ns = &tw_past_spent(task, i)->waited_ns;
			part_ns = *waited_ns < ns ? *waited_ns : ns;
			*waited_ns -= part_ns;
			ns -= part_ns;
		}
}

static int64_t used_ns(struct tw_past_task *task, int cpu, int64_t from_ns,
		       int64_t to_ns)
{
	double sum_ns = 0;
	int i;

	for (i = tw_past_first() + 1; i < tw_past->count; i++)
		if (task->part[i % TW_PAST_KEPT].cpu == cpu)
			sum_ns += tw_past_within(i, from_ns, to_ns) *
				  (double)tw_past_spent(task, i)->ran_ns;
	return (int64_t)sum_ns;
}

int64_t tw_past_used_ns(int cpu, int64_t from_ns, int64_t to_ns,
			struct tw_past_most *most)
{
	struct tw_past_task *task;
	int64_t sum_ns = 0, ns;

	*most = (struct tw_past_most) { .ns = 0 };
	for (task = tw_past->task; task < tw_past_end(); task++) {
		ns = used_ns(task, cpu, from_ns, to_ns);
		sum_ns += ns;
		if (ns <= most->ns || !task->id)
			continue;
		most->ns = ns;
		most->id = task->id;
		memcpy(most->name, task->name, sizeof(most->name));
	}
	return sum_ns;
}
