/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks which settings of the system disturb a real-time measurement
 * (--check). Each check is a pure function with its row above it, TW_CHECK() in
 * tw_check_*.c; to add one, write it and add its name to the list.
 */
#ifndef TW_CHECK_H
#define TW_CHECK_H

#include "check/tw_environ.h"

/* All checks, in the order of the reports. */
#define TW_CHECK_LIST(ROW) \
	ROW(preemption) ROW(isolation) ROW(rcu_nocbs) ROW(clocksource) \
	ROW(governor) ROW(idle) ROW(smt) ROW(throttling) \
	ROW(rt_cgroup) ROW(timer_slack) ROW(timer_thread) \
	ROW(huge_pages) ROW(hypervisor) ROW(irqbalance) \
	ROW(irqs) ROW(numa) ROW(numa_balancing) \
	ROW(watchdog) ROW(timer_migration) ROW(tracing)

#define TW_CHECK_ONE(name)	+ 1
enum { TW_CHECKS = 0 TW_CHECK_LIST(TW_CHECK_ONE) };

enum tw_check_result {
	TW_CHECK_UNREAD,	/* could not be read; not a finding */
	TW_CHECK_OK,
	TW_CHECK_FINDING
};

/* Names of metrics: of all of them. */
#define TW_CHECK_ALL \
	"interval send sleep receive response total wakeup planned network"

struct tw_finding {
	const char *name;		/* name of the check, one word */
	enum tw_check_result result;
	char read[256];			/* the values that were checked */
	char where[TW_FACT_MAX];	/* the files with these values */
	/* Valid for findings only: */
	const char *why;		/* why it matters */
	const char *metrics;		/* those disturbed: "send receive" */
	char fix[512];			/* what to do, often a command */
};

struct tw_check {
	const char *name;
	const char *where;
	const char *why;
	const char *metrics;
	/* Sets the members of @finding that the table does not contain. */
	void (*judge)(const struct tw_environ *env,
		      const struct tw_environ_params *params,
		      struct tw_finding *finding);
};

extern const struct tw_check *const tw_checks[TW_CHECKS];

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

/* A row, followed by the body of its judge. */
#define TW_CHECK(name, where, why, metrics) \
	static void judge_##name(const struct tw_environ *env, \
				 const struct tw_environ_params *params, \
				 struct tw_finding *finding); \
	const struct tw_check tw_check_##name = { \
		#name, where, why, metrics, judge_##name \
	}; \
	static void judge_##name(const struct tw_environ *env, \
				 const struct tw_environ_params *params, \
				 struct tw_finding *finding)

#define TW_CHECK_DECLARE(name)	extern const struct tw_check tw_check_##name;
TW_CHECK_LIST(TW_CHECK_DECLARE)

#endif /* TW_CHECK_H */
