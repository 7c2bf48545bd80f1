/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts from which percentiles are computed: a bucket for each value up to
 * 1023, above that 512 for each doubling, up to 2^42 (of ns, 73 minutes). So
 * what is known of a value is less than 1/1024 beside it. Values out of this
 * range are in the first or last bucket.
 */
#ifndef TW_BUCKETS_H
#define TW_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

#define TW_BUCKETS_BITS	9
#define TW_BUCKETS_TOP	42
#define TW_BUCKETS	((TW_BUCKETS_TOP - TW_BUCKETS_BITS + 1) << \
			 TW_BUCKETS_BITS)

/* Does not branch: it is called for each measured cycle. */
static inline int tw_buckets_of(int64_t from)
{
	const int64_t top = (INT64_C(1) << TW_BUCKETS_TOP) - 1;
	uint64_t value = from < 0 ? 0 : from > top ? top : from;
	int dropped = 63 - TW_BUCKETS_BITS -
		      __builtin_clzll(value | UINT64_C(1) << TW_BUCKETS_BITS);

	return (dropped << TW_BUCKETS_BITS) + (int)(value >> dropped);
}

/* A number above 0 and below 100, without a sign; false: it is none. */
bool tw_buckets_parse(const char *text, double *percent);

/* How many of @count values are not above this percentile, at least. */
uint64_t tw_buckets_rank(uint64_t count, double percent);

/* How many values it needs, so that there are 10 above it. */
uint64_t tw_buckets_needed(double percent);

/* The middle of the bucket of the value with this rank, from 1. */
int64_t tw_buckets_value(const uint64_t buckets[TW_BUCKETS], uint64_t rank);

#endif /* TW_BUCKETS_H */
