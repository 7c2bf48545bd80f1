/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user's settings, besides those of tw_config: its loops, duration_s,
 * warmup, clock, priority (of PT_HIGH), policy, mlockall, quiet and nsecs.
 */
#ifndef PT_CONFIG_H
#define PT_CONFIG_H

#include "pt_test.h"
#include "tw_config.h"

/* The task that starts the others has one more than P, the low one two less. */
#define PT_PRIORITY_MIN	3
#define PT_PRIORITY_MAX	98

/* Bits of --tasks and --cpus. */
enum { PT_AS_THREAD = 1, PT_AS_PROCESS = 2 };
enum { PT_ON_SAME = 1, PT_ON_CROSS = 2 };

/* --order: a task that answers has a priority that is */
enum pt_order { PT_HIGHER, PT_LOWER, PT_EQUAL };

struct pt_config {
	int64_t interval_us;	/* -i; 0: the next trial follows at once */
	int64_t own[PT_OWNS];	/* --size, --period, --copies; 0: not given */
	int64_t work;		/* --work: iterations; 0: calibrated */
	int64_t hold_us, hog_us;
	int64_t bin_ns;		/* width of a row of a histogram */
	int64_t break_us;	/* -b; 0: off */
	int tasks, cpus;	/* bits */
	enum pt_order order;
	bool us;		/* times are printed in microseconds */
	bool keep;		/* trials are kept, for --dump or -v */
	bool trace;
	/* What follows from these and from the CPUs of the caller: */
	cpu_set_t main_cpus, same_cpus, other_cpus;
	bool two_cpus;
};

extern struct pt_config pt_config;

/* The real-time priority of a task of @level, from PT_LOW to PT_ABOVE. */
int pt_config_priority(enum pt_level level);

#endif /* PT_CONFIG_H */
