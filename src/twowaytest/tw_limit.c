// SPDX-License-Identifier: GPL-2.0-or-later
#include "tw_limit.h"

const char *const tw_verdict_names[] = {
	[TW_MET] = "met",
	[TW_EXCEEDED] = "exceeded",
	[TW_UNDECIDED] = "undecided",
};

bool tw_limit_counts(const struct tw_limit *limit)
{
	return limit->about >= TW_METRICS;
}

const char *tw_limit_about(size_t about)
{
	static const char *const counts[] = { "missed", "throttled" };

	if (about >= TW_LIMIT_ABOUTS)
		return NULL;
	return about < TW_METRICS ? tw_metrics[about].token :
				    counts[about - TW_METRICS];
}

void tw_limit_prepare(const struct tw_limit *limits, int count,
		      struct tw_tally *tally)
{
	int i;

	for (i = 0; i < count; i++)
		if (limits[i].percent > 0)
			tw_tally_mark(tally, limits[i].about, limits[i].most);
}

static int64_t count_of(const struct tw_tally *tally, int about)
{
	uint64_t count = about == TW_LIMIT_MISSED ? tally->missed :
						    tally->throttled;

	return count < INT64_MAX ? (int64_t)count : INT64_MAX;
}

enum tw_verdict tw_limit_judge(const struct tw_limit *limit,
			       const struct tw_tally *tally, int64_t *value)
{
	if (!tally->cycles)
		return TW_UNDECIDED;
	if (tw_limit_counts(limit)) {
		*value = count_of(tally, limit->about);
	} else if (limit->average) {
		*value = (int64_t)(tw_stats_mean(&tally->stats[limit->about]) +
				   0.5);
	} else if (limit->percent <= 0) {
		*value = tally->stats[limit->about].max_ns;
	} else if (!tw_tally_percentile(tally, limit->about, limit->percent,
					value)) {
		return TW_UNDECIDED;
	}
	return *value > limit->most ? TW_EXCEEDED : TW_MET;
}

uint64_t tw_limit_needs(const struct tw_limit *limit)
{
	uint64_t least = 1, most = UINT64_C(1) << 62;

	/* The rule is tw_stats': asked, not repeated. */
	while (limit->percent > 0 && least < most) {
		uint64_t middle = least + (most - least) / 2;

		if (tw_stats_supports(middle, limit->percent))
			most = middle;
		else
			least = middle + 1;
	}
	return least;
}
