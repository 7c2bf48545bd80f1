/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks which settings of the system disturb a real-time measurement
 * (--check). Each check is a row of one table and a pure function.
 */
#ifndef TW_CHECK_H
#define TW_CHECK_H

#include "tw_environ.h"
#include "tw_metric.h"

/* Number of checks. */
#define TW_CHECKS	20

enum tw_check_result {
	TW_CHECK_UNREAD,	/* could not be read; not a finding */
	TW_CHECK_OK,
	TW_CHECK_FINDING
};

/* All metrics are disturbed. */
#define TW_CHECK_ALL	((1u << TW_METRICS) - 1)

struct tw_finding {
	const char *name;		/* name of the check, one word */
	enum tw_check_result result;
	char read[256];			/* the values that were checked */
	char where[TW_FACT_MAX];	/* the files with these values */
	/* Valid for findings only: */
	const char *why;		/* why it matters */
	unsigned int metrics;		/* disturbed metrics: 1 << TW_SEND */
	char fix[512];			/* what to do, often a command */
};

struct tw_check {
	const char *name;
	const char *where;
	const char *why;
	unsigned int metrics;
	/* Sets the members of @finding that the table does not contain. */
	void (*judge)(const struct tw_environ *env,
		      const struct tw_environ_params *params,
		      struct tw_finding *finding);
};

extern const struct tw_check tw_checks[TW_CHECKS];

/*
 * Runs all checks, in the order of the table. Returns the number of findings.
 */
int tw_check(const struct tw_environ *env,
	     const struct tw_environ_params *params,
	     struct tw_finding findings[TW_CHECKS]);

static inline enum tw_check_result tw_check_if(bool disturbs)
{
	return disturbs ? TW_CHECK_FINDING : TW_CHECK_OK;
}

/* For the checks: set the result and the values read; set the remedy. */
void tw_check_is(struct tw_finding *finding, enum tw_check_result result,
		 const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void tw_check_fix(struct tw_finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#define TW_JUDGE(name)	void name(const struct tw_environ *env, \
				  const struct tw_environ_params *params, \
				  struct tw_finding *finding)

/* Checks of the kernel's configuration and settings: tw_check_kernel.c. */
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

/* Checks of the CPUs of client and server: tw_check_cpus.c. */
TW_JUDGE(tw_judge_isolation);
TW_JUDGE(tw_judge_callbacks);
TW_JUDGE(tw_judge_governor);
TW_JUDGE(tw_judge_idle);
TW_JUDGE(tw_judge_smt);
TW_JUDGE(tw_judge_nodes);
TW_JUDGE(tw_judge_irqbalance);
TW_JUDGE(tw_judge_irqs);

#endif /* TW_CHECK_H */
