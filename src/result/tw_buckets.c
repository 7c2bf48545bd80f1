// SPDX-License-Identifier: GPL-2.0-or-later
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "tw_buckets.h"

#define BEYOND	10	/* values above a percentile, at least */

bool tw_buckets_parse(const char *text, double *percent)
{
	char *end;

	*percent = strtod(text, &end);
	return !*end && strspn(text, "0123456789.") == strlen(text) &&
	       *percent > 0 && *percent < 100;
}

/*
 * 99.9 has no exact double: what rounding may have added is taken back, or
 * 99.9 % of 10000 would be 9991.
 */
uint64_t tw_buckets_rank(uint64_t count, double percent)
{
	double exact = (double)count * percent / 100;
	uint64_t rank;

	exact -= exact * 4 * DBL_EPSILON;
	rank = (uint64_t)exact;
	return rank < exact || !rank ? rank + 1 : rank;
}

/* Searched, so that it agrees with the rank to the last value. */
uint64_t tw_buckets_needed(double percent)
{
	uint64_t least = 1, most = UINT64_C(1) << 62, middle;

	while (least < most) {
		middle = least + (most - least) / 2;
		if (middle >= tw_buckets_rank(middle, percent) + BEYOND)
			most = middle;
		else
			least = middle + 1;
	}
	return least;
}

int64_t tw_buckets_value(const uint64_t buckets[TW_BUCKETS], uint64_t rank)
{
	int bucket = 0, dropped;
	uint64_t seen = buckets[0];

	while (seen < rank && bucket < TW_BUCKETS - 1)
		seen += buckets[++bucket];
	dropped = bucket >> TW_BUCKETS_BITS;
	dropped -= dropped > 0;
	return ((int64_t)(bucket - (dropped << TW_BUCKETS_BITS)) << dropped) +
	       ((INT64_C(1) << dropped) >> 1);
}
