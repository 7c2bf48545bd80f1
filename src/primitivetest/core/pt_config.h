/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's settings. tw_run_parse() sets them; then they are constant. */
#ifndef PT_CONFIG_H
#define PT_CONFIG_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "cause/tw_trace.h"
#include "check/tw_throttle.h"
#include "core/pt_test.h"
#include "frame/tw_part.h"

/* The task that starts the others has one more than P, main three less. */
#define PT_PRIORITY_MIN	4
#define PT_PRIORITY_MAX	98

/* Bits of --tasks and --cpus. */
enum { PT_AS_THREAD = 1, PT_AS_PROCESS = 2 };
enum { PT_ON_SAME = 1, PT_ON_CROSS = 2 };

/* --order: a task that answers has a priority that is */
enum pt_order { PT_HIGHER, PT_LOWER, PT_EQUAL };

/* A limit: see pt_part_limit.c. */
#define PT_LIMITS_MAX	32

struct pt_limit {
	const char *text;	/* as given by the user */
	char metric[64];	/* as sync2.roundtrip or sync2.cond.roundtrip */
	bool average;		/* else: maximum, or percentile */
	double percent;
	int64_t most_ps;
};

struct pt_config {
	const char *tests;	/* --test */
	bool list;
	int64_t loops;		/* 0: the default of each test */
	int64_t duration_s;	/* of each case; 0: see loops */
	int64_t warmup;
	int64_t interval_us;	/* -i; 0: the next trial follows at once */
	int64_t own[PT_OWNS];	/* --size, --period, --copies; 0: not given */
	int64_t work;		/* --work: iterations; 0: calibrated */
	int64_t hold_us, hog_us;
	int64_t bin_ns;		/* width of a row of a histogram */
	bool worst;		/* the worst trial of each metric is kept */
	int64_t break_us;	/* -b; 0: off */
	int64_t break_ps;
	/* That -b marks and stops; NULL: none. */
	const struct tw_trace_fds *trace;
	const char *clock;
	int64_t priority;	/* of PT_HIGH; 0: not real-time */
	int policy;
	cpu_set_t affinity;	/* empty: not given */
	bool mlockall;
	int tasks, cpus;	/* bits */
	int order;		/* enum pt_order */
	bool us;
	bool keep_all;		/* trials, for --dump or -v */
	const struct pt_limit *limits;
	int limit_count;
	/* What follows from these and from the CPUs of the caller: */
	cpu_set_t main_cpus, same_cpus, other_cpus;
	bool two_cpus;
	int64_t stall_ns;	/* of real-time throttling; 0: none */
	enum tw_bypass bypass;
};

extern const struct pt_config *const pt_config;
extern const struct tw_part pt_part_config;
extern const struct tw_part pt_part_list;	/* --list */

/* Called by open(): how this kernel throttles. */
void pt_config_throttle(const struct tw_throttle *throttle);

/* For parts, in their check(): all trials of a case are kept in memory; */
void pt_config_keep_all(void);
/* the worst is; */
void pt_config_worst(void);
/* the values above limits are counted. */
void pt_config_limit(const struct pt_limit *limits, int count);

/* Called by open(): the trace that -b marks and stops. */
void pt_config_trace(const struct tw_trace_fds *fds);

/* The real-time priority of a task of @level, from PT_LOW to PT_ABOVE. */
int pt_config_priority(const struct pt_config *config, enum pt_level level);

/* That of main, and of the process that starts the tasks. */
int pt_config_main_priority(const struct pt_config *config);
int pt_config_starter_priority(const struct pt_config *config);

#endif /* PT_CONFIG_H */
