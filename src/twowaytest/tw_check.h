/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges the state of the system: what of it disturbs a real-time
 * measurement. Each check is a row of one table, and pure.
 */
#ifndef TW_CHECK_H
#define TW_CHECK_H

#include "tw_environ.h"
#include "tw_metric.h"

/* How many checks there are. */
#define TW_CHECKS	20

enum tw_check_result {
	TW_CHECK_UNREAD,	/* could not be read: no finding by itself */
	TW_CHECK_OK,
	TW_CHECK_FINDING
};

/* Every metric is disturbed. */
#define TW_CHECK_ALL	((1u << TW_METRICS) - 1)

struct tw_finding {
	const char *name;		/* of the check, one word */
	enum tw_check_result result;
	char read[256];			/* the facts that were judged */
	char where[TW_FACT_MAX];	/* the files that tell them */
	/* Of use for a finding only. */
	const char *why;		/* it matters */
	unsigned int metrics;		/* disturbed: 1 << TW_SEND is send */
	char fix[512];			/* what to do: a command, mostly */
};

struct tw_check {
	const char *name;
	const char *where;
	const char *why;
	unsigned int metrics;
	/* Sets what differs from the above. */
	void (*judge)(const struct tw_environ *env,
		      const struct tw_environ_params *params,
		      struct tw_finding *finding);
};

extern const struct tw_check tw_checks[TW_CHECKS];

/* Judges all, one finding a check, in the table's order; how many findings. */
int tw_check(const struct tw_environ *env,
	     const struct tw_environ_params *params,
	     struct tw_finding findings[TW_CHECKS]);

static inline enum tw_check_result tw_check_if(bool disturbs)
{
	return disturbs ? TW_CHECK_FINDING : TW_CHECK_OK;
}

/* For the judges: the result with what was read; then what fixes it. */
void tw_check_is(struct tw_finding *finding, enum tw_check_result result,
		 const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void tw_check_fix(struct tw_finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#define TW_JUDGE(name)	void name(const struct tw_environ *env, \
				  const struct tw_environ_params *params, \
				  struct tw_finding *finding)

/* Judges of how the kernel is built and set: tw_check_kernel.c. */
TW_JUDGE(tw_judge_preemption);
TW_JUDGE(tw_judge_clocksource);
TW_JUDGE(tw_judge_throttling);
TW_JUDGE(tw_judge_rt_cgroup);
TW_JUDGE(tw_judge_timer_slack);
TW_JUDGE(tw_judge_timer_thread);
TW_JUDGE(tw_judge_huge_pages);
TW_JUDGE(tw_judge_numa_balancing);
TW_JUDGE(tw_judge_watchdog);
TW_JUDGE(tw_judge_timer_migration);
TW_JUDGE(tw_judge_tracing);
TW_JUDGE(tw_judge_hypervisor);

/* Judges of the CPUs that are used: tw_check_cpus.c. */
TW_JUDGE(tw_judge_isolation);
TW_JUDGE(tw_judge_callbacks);
TW_JUDGE(tw_judge_governor);
TW_JUDGE(tw_judge_idle);
TW_JUDGE(tw_judge_smt);
TW_JUDGE(tw_judge_nodes);
TW_JUDGE(tw_judge_irqbalance);
TW_JUDGE(tw_judge_irqs);

#endif /* TW_CHECK_H */
