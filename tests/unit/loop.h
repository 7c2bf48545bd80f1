/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the two loops share: a clock and a timer by script. */
#ifndef LOOP_H
#define LOOP_H

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/tw_clock.h"
#include "base/tw_timer.h"
#include "unit.h"

#define SCRIPT_MAX	4096

/* Each read gives the next of these times. */
struct script_clock {
	struct tw_clock clock;
	int64_t times_ns[SCRIPT_MAX];
	size_t reads;
};

static inline int64_t script_read_ns(const struct tw_clock *clock)
{
	struct script_clock *script = (struct script_clock *)clock;

	if (script->reads == SCRIPT_MAX)
		abort();
	return script->times_ns[script->reads++];
}

/* Random times: the loops must not care, not even that they go back. */
static inline struct tw_clock *script_clock(struct script_clock *script,
					    uint64_t seed)
{
	size_t i;

	memset(script, 0, sizeof(*script));
	script->clock.name = "script";
	script->clock.read_ns = script_read_ns;
	script->clock.own_timer = true;
	for (i = 0; i < SCRIPT_MAX; i++)
		script->times_ns[i] = unit_between(&seed, 0, INT64_MAX / 2);
	return &script->clock;
}

/* The first or the last CPU that we may run on. */
static inline int allowed_cpu(bool last)
{
	int cpu, found = -1;
	cpu_set_t cpus;

	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus) && (last || found < 0))
			found = cpu;
	return found;
}

/* Runs on @cpu only from now on; what was allowed before to *before. */
static inline void stay_on(int cpu, cpu_set_t *before)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	assert_int_equal(sched_getaffinity(0, sizeof(*before), before), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

static inline void go_anywhere(const cpu_set_t *before)
{
	assert_int_equal(sched_setaffinity(0, sizeof(*before), before), 0);
}

#define GRID_START	INT64_C(5000000000)
#define GRID_PERIOD	INT64_C(1000000)

/*
 * What the timer does: wait() number n returns errors[n]; the expiry it
 * stands for has missed overruns[n] others.
 */
static struct script_timer {
	int start_error;
	int errors[SCRIPT_MAX];
	uint64_t overruns[SCRIPT_MAX];
	/* Called within wait() number @at. */
	void (*during)(size_t at);
	/* What was asked of it. */
	size_t starts, waits, settles, stops;
	int64_t awake_ns[SCRIPT_MAX];
} script_timer;

static inline void script_timer_reset(void)
{
	memset(&script_timer, 0, sizeof(script_timer));
}

static inline int script_start(struct tw_timer *timer)
{
	script_timer.starts++;
	timer->next_ns = GRID_START;
	return script_timer.start_error;
}

static inline int script_wait(struct tw_timer *timer)
{
	size_t at = script_timer.waits++;

	if (at == SCRIPT_MAX)
		abort();
	if (script_timer.during)
		script_timer.during(at);
	timer->overrun = script_timer.overruns[at];
	return script_timer.errors[at];
}

static inline void script_settle(struct tw_timer *timer, int64_t awake_ns)
{
	script_timer.awake_ns[script_timer.settles++] = awake_ns;
	timer->planned_ns = timer->next_ns;
	timer->missed = timer->overrun;
	timer->next_ns += (int64_t)(timer->missed + 1) * GRID_PERIOD;
}

static inline void script_stop(struct tw_timer *timer)
{
	(void)timer;
	script_timer.stops++;
}

static const struct tw_timer_ops script_timer_ops = {
	"script", script_start, script_wait, script_settle, script_stop,
	false
};

#endif /* LOOP_H */
