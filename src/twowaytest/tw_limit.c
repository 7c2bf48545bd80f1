// SPDX-License-Identifier: GPL-2.0-or-later
#include "tw_limit.h"

const char *const tw_verdict_names[] = {
	[TW_MET] = "met",
	[TW_EXCEEDED] = "exceeded",
	[TW_UNDECIDED] = "undecided",
};

enum tw_verdict tw_limit_judge(const struct tw_limit *limit,
			       const struct tw_tally *tally, int64_t *value)
{
	if (tally->cycles < tw_limit_enough(limit))
		return TW_UNDECIDED;
	if (limit->metric == TW_METRICS)
		*value = (int64_t)tally->missed;
	else if (limit->average)
		*value = (int64_t)(tw_stats_mean(&tally->stats[limit->metric]) +
				   0.5);
	else if (limit->percent <= 0)
		*value = tally->stats[limit->metric].max_ns;
	else
		*value = tw_stats_quantile(&tally->stats[limit->metric],
					   limit->percent);
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

uint64_t tw_limit_enough(const struct tw_limit *limit)
{
	uint64_t needs = tw_limit_needs(limit);

	return needs - needs / 20;
}
