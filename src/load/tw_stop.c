// SPDX-License-Identifier: GPL-2.0-or-later

#include "tw_check.h"
#include "tw_stop.h"
#include "tw_time.h"

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

/* What lies between two samples is not known to a 20th of the period. */
static bool is_used_up(struct tw_wait *wait, const struct tw_stop *rule)
{
	int64_t may_ns = rule->period_ns - rule->stop_ns, used_ns;
	struct tw_past_most most;

	used_ns = tw_past_used_ns(wait->cpu, wait->end_ns - rule->period_ns,
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
	struct tw_past_most most;

	return to_ns - from_ns -
	       tw_past_used_ns(cpu, from_ns, to_ns, &most) >= ns;
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
	if (!tw_past_enclose(&from_ns, &to_ns))
		return TW_STOP_UNKNOWN;
	waited_ns = tw_past_waited_ns(wait->ids, from_ns, to_ns, &cpus);
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
			tw_past_take_ns(wait->ids, from_ns, to_ns, late_ns);
			return TW_STOPPED;
		}
		/* Tasks that have ended, are new or hidden may have used it. */
		proof = TW_STOP_UNKNOWN;
	}
	if (proof == TW_STOP_UNKNOWN)
		tw_spent_scan();
	return proof;
}
