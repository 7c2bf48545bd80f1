// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/tw_time.h"
#include "measure/tw_excess.h"

static double magnitude(double value)
{
	return value < 0 ? -value : value;
}

/*
 * In total, sleep and interval count as deviations from what was asked for.
 * The mean of those is not kept, but what they add to total's mean is
 * known: the sleep is never short, so its mean less the asked one, and the
 * rest is the interval's.
 */
static void to_deviations(const struct tw_metric_params *params,
			  int64_t total_ns, double total_mean_ns,
			  struct tw_share parts[TW_PARTS], int count)
{
	struct tw_share *slept = &parts[1], *interval = &parts[count - 1];
	int i;

	slept->value_ns = tw_span_ns(params->sleep_ns, slept->value_ns);
	if (slept->value_ns < 0)
		slept->value_ns = tw_span_ns(slept->value_ns, 0);
	slept->mean_ns = magnitude(slept->mean_ns - (double)params->sleep_ns);
	interval->value_ns = total_ns;
	interval->mean_ns = total_mean_ns;
	for (i = 0; i < count - 1; i++) {
		interval->value_ns = tw_span_ns(parts[i].value_ns,
						interval->value_ns);
		interval->mean_ns -= parts[i].mean_ns;
	}
}

int tw_excess(const struct tw_cycle *cycle,
	      const struct tw_metric_params *params,
	      const double means_ns[TW_METRICS], enum tw_metric_id id,
	      struct tw_share parts[TW_PARTS])
{
	const struct tw_metric *metric = &tw_metrics[id];
	int64_t value_ns = metric->value_ns(cycle, params);
	double excess_ns = (double)value_ns - means_ns[id];
	const struct tw_metric_list *list = tw_metric_parts(id, params);
	int count = list->count ? list->count : 1;
	int i;

	for (i = 0; i < count; i++) {
		parts[i].phase = list->count ? list->id[i] : id;
		parts[i].value_ns = tw_metrics[parts[i].phase].value_ns(
			cycle, params);
		parts[i].mean_ns = means_ns[parts[i].phase];
	}
	if (id == TW_TOTAL)
		to_deviations(params, value_ns, means_ns[id], parts, count);
	for (i = 0; i < count; i++) {
		parts[i].excess_ns = (double)parts[i].value_ns -
				     parts[i].mean_ns;
		parts[i].share = excess_ns > 0 ?
				 parts[i].excess_ns / excess_ns : 0;
	}
	return count;
}
