// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "tw_check.h"
#include "tw_spent.h"
#include "tw_stop.h"
#include "tw_time.h"

#define STARVED		3	/* periods without a sample */
#define LEAST_NS	TW_NS_PER_MS	/* less can be anything */
#define FAIR_PERIOD_NS	TW_NS_PER_S	/* unless it was changed */

struct tw_stop tw_stops[TW_STOP_RULES];

int64_t tw_stop_read(void)
{
	struct tw_stop *limit = &tw_stops[TW_STOP_LIMIT];
	struct tw_stop *fair = &tw_stops[TW_STOP_FAIR];
	int64_t runtime_us, period_us;

	*limit = *fair = (struct tw_stop) { .stop_ns = 0 };
	if (tw_facts_rt_limit(&runtime_us, &period_us))
		*limit = (struct tw_stop) {
			(period_us - runtime_us) * TW_NS_PER_US,
			period_us * TW_NS_PER_US
		};
	if (tw_facts_fair_server(&fair->stop_ns) && fair->stop_ns)
		fair->period_ns = FAIR_PERIOD_NS;
	return limit->period_ns > fair->period_ns ? limit->period_ns :
						    fair->period_ns;
}

bool tw_stop_fits(const struct tw_stop *rule, int64_t late_ns)
{
	return late_ns >= LEAST_NS && late_ns >= rule->stop_ns / 4 &&
	       late_ns <= rule->stop_ns + rule->stop_ns / 2;
}

bool tw_stop_fits_any(int64_t late_ns)
{
	return late_ns >= LEAST_NS &&
	       (tw_stop_fits(&tw_stops[TW_STOP_LIMIT], late_ns) ||
		tw_stop_fits(&tw_stops[TW_STOP_FAIR], late_ns));
}

/* Widens both to the samples around. false: they are missing. */
static bool enclose(int64_t *from_ns, int64_t *to_ns)
{
	int from = tw_spents->count - 1, to = from;

	while (from > tw_spent_first() && tw_spent_at_ns(from) > *from_ns)
		from--;
	while (to > from + 1 && tw_spent_at_ns(to - 1) >= *to_ns)
		to--;
	if (!tw_spents->told || tw_spent_at_ns(from) > *from_ns ||
	    tw_spent_at_ns(to) < *to_ns ||
	    tw_spent_at_ns(to) - tw_spent_at_ns(from) >=
	    STARVED * tw_spents->period_ns)
		return false;
	*from_ns = tw_spent_at_ns(from);
	*to_ns = tw_spent_at_ns(to);
	return true;
}

static bool is_one_of(const struct tw_spent_task *task, const int ids[2])
{
	return task->ours && ((!ids[0] && !ids[1]) || task->id == ids[0] ||
			      task->id == ids[1]);
}

static bool is_between(int sample, int64_t from_ns, int64_t to_ns)
{
	return tw_spent_at_ns(sample) > from_ns &&
	       tw_spent_at_ns(sample) <= to_ns;
}

/*
 * How long those two of ours waited between two samples; with 0 and 0, all of
 * ours. -1: not known. Adds the CPUs that they may use.
 */
static int64_t waited_ns_of(const int ids[2], int64_t from_ns, int64_t to_ns,
			    cpu_set_t *cpus)
{
	struct tw_spent_task *task;
	int64_t sum_ns = 0;
	bool known = false;
	int i;

	for (task = tw_spents->task; task < tw_spent_behind(); task++) {
		if (!is_one_of(task, ids))
			continue;
		known |= task->known;
		CPU_OR(cpus, cpus, &task->cpus);
		for (i = tw_spent_first() + 1; i < tw_spents->count; i++)
			if (is_between(i, from_ns, to_ns))
				sum_ns += tw_spent_of(task, i)->waited_ns;
	}
	return known ? sum_ns : -1;
}

/* As if they had waited for less. */
static void take_ns(const int ids[2], int64_t from_ns, int64_t to_ns,
		    int64_t ns)
{
	struct tw_spent_task *task;
	int64_t *waited_ns, part_ns;
	int i;

	for (task = tw_spents->task; task < tw_spent_behind(); task++)
		for (i = tw_spents->count - 1; i > tw_spent_first(); i--) {
			if (!is_one_of(task, ids) ||
			    !is_between(i, from_ns, to_ns))
				continue;
			waited_ns = &tw_spent_of(task, i)->waited_ns;
			part_ns = *waited_ns < ns ? *waited_ns : ns;
			*waited_ns -= part_ns;
			ns -= part_ns;
		}
}

static int64_t used_ns(struct tw_spent_task *task, int cpu, int64_t from_ns,
		       int64_t to_ns)
{
	double sum_ns = 0;
	int i;

	for (i = tw_spent_first() + 1; i < tw_spents->count; i++)
		if (task->part[i % TW_SPENT_KEPT].cpu == cpu)
			sum_ns += tw_spent_within(i, from_ns, to_ns) *
				  (double)tw_spent_of(task, i)->ran_ns;
	return (int64_t)sum_ns;
}

/*
 * What real-time tasks used of a CPU; between two samples, as if it had been
 * spread evenly.
 */
static int64_t used_of_all_ns(int cpu, int64_t from_ns, int64_t to_ns,
			      struct tw_stop_most *most)
{
	struct tw_spent_task *task;
	int64_t sum_ns = 0, ns;

	*most = (struct tw_stop_most) { .ns = 0 };
	for (task = tw_spents->task; task < tw_spent_behind(); task++) {
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

/* What lies between two samples is not known to a 20th of the period. */
static bool is_used_up(struct tw_wait *wait, const struct tw_stop *rule)
{
	int64_t may_ns = rule->period_ns - rule->stop_ns, used_ns;
	struct tw_stop_most most;

	used_ns = used_of_all_ns(wait->cpu, wait->end_ns - rule->period_ns,
				 wait->end_ns, &most);
	if (used_ns < may_ns - may_ns / 20 - rule->period_ns / 20)
		return false;
	wait->period_ns = rule->period_ns;
	wait->used_ns = used_ns;
	wait->most = most;
	return true;
}

/* By which rules, on that CPU. */
static bool find_rules(struct tw_wait *wait)
{
	int64_t late_ns = wait->end_ns - wait->begin_ns;
	bool any = false;
	int i;

	for (i = 0; i < TW_STOP_RULES; i++) {
		wait->rules[i] = tw_stop_fits(&tw_stops[i], late_ns) &&
				 is_used_up(wait, &tw_stops[i]);
		any |= wait->rules[i];
	}
	return any;
}

/* Whether the real-time tasks that are known left it to others for so long. */
static bool is_left(int cpu, int64_t from_ns, int64_t to_ns, int64_t ns)
{
	struct tw_stop_most most;

	return to_ns - from_ns -
	       used_of_all_ns(cpu, from_ns, to_ns, &most) >= ns;
}

enum tw_proof tw_stop_prove(struct tw_wait *wait)
{
	int64_t from_ns = wait->begin_ns, to_ns = wait->end_ns;
	int64_t late_ns = to_ns - from_ns, waited_ns;
	/* Something else may have come before or after it. */
	int64_t least_ns = late_ns / 4 * 3;
	enum tw_proof proof = TW_NOT_STOPPED;
	cpu_set_t cpus;
	int cpu;

	CPU_ZERO(&cpus);
	if (!enclose(&from_ns, &to_ns))
		return TW_STOP_UNKNOWN;
	waited_ns = waited_ns_of(wait->ids, from_ns, to_ns, &cpus);
	if (waited_ns < 0)
		return TW_STOP_UNKNOWN;
	if (waited_ns < least_ns || !tw_stop_fits_any(late_ns))
		return TW_NOT_STOPPED;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &cpus) ||
		    !is_left(cpu, from_ns, to_ns, least_ns))
			continue;
		wait->cpu = cpu;
		if (find_rules(wait)) {
			take_ns(wait->ids, from_ns, to_ns, late_ns);
			return TW_STOPPED;
		}
		/* Tasks that have ended, are new or hidden may have used it. */
		proof = TW_STOP_UNKNOWN;
	}
	if (proof == TW_STOP_UNKNOWN)
		tw_spent_scan();
	return proof;
}
