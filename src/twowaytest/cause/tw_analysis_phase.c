// SPDX-License-Identifier: GPL-2.0-or-later
#include "cause/tw_analysis_phase.h"

/* Whether metric @id spans @phase; interval, and so total, is due to any. */
static bool spans(enum tw_metric_id id, enum tw_metric_id phase,
		  const struct tw_metric_params *params)
{
	const struct tw_metric_list *parts = tw_metric_parts(id, params);
	int i;

	for (i = 0; i < parts->count; i++)
		if (parts->id[i] == phase || parts->id[i] == TW_INTERVAL)
			return true;
	return id == phase || id == TW_INTERVAL;
}

enum tw_metric_id tw_analysis_phase(const struct tw_break *brk,
				    const struct tw_metric_params *params)
{
	/* With two clocks, network takes the place of send and receive. */
	static const struct tw_metric_list phases[TW_CLOCKINGS] = {
		{ 4, { TW_SEND, TW_SLEEP, TW_RECEIVE, TW_WAKEUP } },
		{ 3, { TW_NETWORK, TW_SLEEP, TW_WAKEUP } },
	};
	const struct tw_metric_list *list = &phases[params->two_clocks];
	enum tw_metric_id worst = list->id[0];
	double most_ns = -1e300;
	int i;

	for (i = 0; i < list->count; i++) {
		enum tw_metric_id id = list->id[i];
		double excess_ns = (double)tw_metrics[id].value_ns(
			&brk->kept.cycle, params) - brk->means_ns[id];

		if (!spans(brk->metric, id, params) ||
		    tw_metric_lacks(id, params))
			continue;
		if (excess_ns > most_ns) {
			most_ns = excess_ns;
			worst = id;
		}
	}
	return worst;
}

struct tw_names tw_analysis_names(enum tw_metric_id phase, enum tw_role side)
{
	return (struct tw_names) {
		.phase = tw_metrics[phase].token,
		.side = tw_role_names[side],
		.peer = tw_role_names[side == TW_CLIENT ? TW_SERVER :
							  TW_CLIENT],
	};
}
