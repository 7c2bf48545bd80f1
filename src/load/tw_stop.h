/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the kernel stopped real-time tasks for the others. It does not say
 * so; samples of /proc prove it: ours waited for a CPU for nearly all of a delay,
 * real-time tasks did not use that CPU meanwhile, but had used all that they may
 * have of the period that ends with the delay. Called by main.
 */
#ifndef TW_STOP_H
#define TW_STOP_H

#include <stdbool.h>
#include <stdint.h>

/* By which rules it may do so. */
enum tw_stop_rule {
	TW_STOP_LIMIT,	/* real-time throttling */
	TW_STOP_FAIR,	/* the fair server of Linux 6.12 and later */
	TW_STOP_RULES
};

/* Real-time tasks may have all but @stop_ns of each period of a CPU. */
struct tw_stop {
	int64_t stop_ns;	/* 0: this kernel has no such rule */
	int64_t period_ns;
};

extern struct tw_stop tw_stops[TW_STOP_RULES];

/* Reads them. Returns the longest period; 0: there are none. */
int64_t tw_stop_read(void);

/* Whether a delay is about as long as such a stop, which may begin late. */
bool tw_stop_fits(const struct tw_stop *rule, int64_t late_ns);

/* As one of any rule; the client asks this in each cycle. */
bool tw_stop_fits_any(int64_t late_ns);

/* The task that used most. */
struct tw_stop_most {
	int id;
	int64_t ns;
	char name[28];
};

/* A delay, and what is known of it. */
struct tw_wait {
	int ids[2];		/* those of ours that take part; 0, 0: all */
	int64_t begin_ns, end_ns;	/* CLOCK_MONOTONIC */
	/* If it was proved: */
	bool rules[TW_STOP_RULES];	/* it may have been these */
	int cpu;
	int64_t period_ns;	/* that ends with it */
	int64_t used_ns;	/* of that, by real-time tasks */
	struct tw_stop_most most;
};

enum tw_proof {
	TW_NOT_STOPPED,		/* or not by such a rule alone */
	TW_STOPPED,
	TW_STOP_UNKNOWN		/* samples are missing, or who had the CPU */
};

/* A sample was taken since. Proves no other delay with the same wait. */
enum tw_proof tw_stop_prove(struct tw_wait *wait);

#endif /* TW_STOP_H */
