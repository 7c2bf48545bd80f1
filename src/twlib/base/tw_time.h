/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times are int64_t nanoseconds; their names end in _ns. Only options and
 * reports use microseconds.
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

/* @ns must not be negative. */
static inline struct timespec tw_ns_to_ts(int64_t ns)
{
	struct timespec ts = {
		.tv_sec = ns / TW_NS_PER_S,
		.tv_nsec = ns % TW_NS_PER_S,
	};

	return ts;
}

/*
 * Reads a kernel clock. For the usual clocks this is a vDSO call, not a system
 * call.
 */
static inline int64_t tw_now_ns(clockid_t clockid)
{
	struct timespec ts = { .tv_sec = 0 };

	clock_gettime(clockid, &ts);
	return tw_ts_to_ns(&ts);
}

/*
 * Returns @to_ns - @from_ns. Wraps on overflow: t1 and t2 come from the network
 * and can have any value; signed overflow would be undefined.
 */
static inline int64_t tw_span_ns(int64_t from_ns, int64_t to_ns)
{
	return (int64_t)((uint64_t)to_ns - (uint64_t)from_ns);
}

/* Microseconds, rounded down, also if negative. */
static inline int64_t tw_ns_to_us(int64_t ns)
{
	return ns / TW_NS_PER_US - (ns % TW_NS_PER_US < 0);
}

/*
 * The time-out for poll() until @then_ns: never too early, which would be again
 * and again, unless it is more than an hour.
 */
static inline int tw_until_ms(int64_t now_ns, int64_t then_ns)
{
	int64_t left_ns = then_ns - now_ns;

	if (left_ns <= 0)
		return 0;
	if (left_ns > 3600 * TW_NS_PER_S)
		return 3600 * 1000;
	return (int)(left_ns / TW_NS_PER_MS) + 1;
}

/* The same from now on, @end_ns on CLOCK_MONOTONIC. */
static inline int tw_left_ms(int64_t end_ns)
{
	return tw_until_ms(tw_now_ns(CLOCK_MONOTONIC), end_ns);
}

#endif /* TW_TIME_H */
