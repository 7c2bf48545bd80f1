/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time is int64_t nanoseconds everywhere and every such name ends in _ns.
 * Microseconds exist only in options and reports.
 */
#ifndef TW_TIME_H
#define TW_TIME_H

#include <stdint.h>
#include <time.h>

#define TW_NS_PER_US	INT64_C(1000)
#define TW_NS_PER_MS	INT64_C(1000000)
#define TW_NS_PER_S	INT64_C(1000000000)

static inline int64_t tw_ts_to_ns(const struct timespec *ts)
{
	return (int64_t)ts->tv_sec * TW_NS_PER_S + ts->tv_nsec;
}

/* @ns must not be negative: a timespec for the kernel has no sign. */
static inline struct timespec tw_ns_to_ts(int64_t ns)
{
	struct timespec ts = {
		.tv_sec = ns / TW_NS_PER_S,
		.tv_nsec = ns % TW_NS_PER_S,
	};

	return ts;
}

/* Now on a kernel clock; a vDSO call, not a system call, on usual clocks. */
static inline int64_t tw_now_ns(clockid_t clockid)
{
	struct timespec ts = { .tv_sec = 0 };

	clock_gettime(clockid, &ts);
	return tw_ts_to_ns(&ts);
}

/*
 * From one time to another. Wraps: t1 and t2 came over the wire and may be
 * anything, and signed overflow must not be undefined behaviour.
 */
static inline int64_t tw_span_ns(int64_t from_ns, int64_t to_ns)
{
	return (int64_t)((uint64_t)to_ns - (uint64_t)from_ns);
}

/* Whole microseconds, rounded down, also below zero. */
static inline int64_t tw_ns_to_us(int64_t ns)
{
	return ns / TW_NS_PER_US - (ns % TW_NS_PER_US < 0);
}

#endif /* TW_TIME_H */
