// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/tw_time.h"
#include "cause/tw_break.h"
#include "measure/tw_oneway.h"

#define MARK_BYTES	512	/* the kernel takes 1 KiB and more */

/* Before there is a mean: what was asked for. */
static double first_mean_ns(const struct tw_metric *metric,
			    const struct tw_metric_params *params)
{
	int64_t target_ns;

	if (metric->target && metric->target(params, &target_ns))
		return (double)target_ns;
	return 0;
}

static void keep(struct tw_break *brk, const struct tw_tally *tally,
		 const struct tw_clock *clock, const struct tw_cycle *cycle)
{
	const struct tw_stats *stats;
	int id;

	brk->ahead_ns = tw_clock_ahead_of_ns(clock, CLOCK_MONOTONIC);
	brk->kept.cycle = *cycle;
	brk->kept.ahead_ns = tw_clock_ahead_of_ns(clock, CLOCK_REALTIME);
	brk->kept.step = tally->step;
	brk->kept.pair = tally->pair;
	brk->kept.throttled = tw_tally_is_throttled(tally, cycle);
	brk->number = tally->cycles;
	for (id = 0; id < TW_METRICS; id++) {
		stats = &tally->series.row[id].stats;
		brk->means_ns[id] = stats->count ? tw_stats_mean(stats) :
			first_mean_ns(&tw_metrics[id], &tally->params);
	}
}

static int compose(char *mark, size_t size, const struct tw_break *brk,
		   const struct tw_metric_params *params)
{
	const struct tw_cycle *cycle = &brk->kept.cycle;
	const struct tw_metric_list *phases = &tw_phases[params->two_clocks];
	int used, i;

	used = snprintf(mark, size, "twowaytest: cycle %" PRIu64 ": %s %" PRId64
			" us > %" PRId64 " us:", brk->number,
			tw_metrics[brk->metric].token,
			tw_ns_to_us(brk->value_ns),
			tw_ns_to_us(brk->limit_ns));
	for (i = 0; i < phases->count; i++)
		used += snprintf(mark + used, size - used, " %s %" PRId64,
				 tw_metrics[phases->id[i]].token,
				 tw_ns_to_us(tw_metrics[phases->id[i]].value_ns(
						cycle, params)));
	return used + snprintf(mark + used, size - used,
			       " missed %" PRIu64 "%s, t0 %" PRId64 " t1 %"
			       PRId64 " t2 %" PRId64 " t3 %" PRId64 " ns%s\n",
			       cycle->missed,
			       brk->kept.throttled ? " throttled" : "",
			       cycle->t0_ns, cycle->t1_ns, cycle->t2_ns,
			       cycle->t3_ns, params->two_clocks ?
			       ", t1 and t2 of the server's clock" : "");
}

/* Only one pair ends the run, and stops the traces. */
static bool is_first(struct tw_break *brk, unsigned int number)
{
	unsigned int none = 0;

	return atomic_compare_exchange_strong(brk->first, &none, number);
}

bool tw_break_check(struct tw_break *brk, const struct tw_tally *tally,
		    const struct tw_clock *clock,
		    const struct tw_cycle *cycle)
{
	char mark[MARK_BYTES];
	int len, i;

	if (brk->broken)
		return false;
	if (tally->oneway && tw_metrics[brk->metric].across &&
	    !tw_oneway_accepts(tally->oneway, cycle))
		return false;
	brk->value_ns = tw_metrics[brk->metric].value_ns(cycle,
							 &tally->params);
	if (brk->value_ns <= brk->limit_ns || !is_first(brk, tally->pair + 1))
		return false;
	/* All of it takes some us: nothing is lost from a trace in that. */
	brk->broken = true;
	keep(brk, tally, clock, cycle);
	len = compose(mark, sizeof(mark), brk, &tally->params);
	for (i = 0; i < TW_TRACES; i++) {
		int err = tw_trace_mark_and_stop(&brk->traces[i], mark, len);

		if (!brk->mark_err)
			brk->mark_err = err;
	}
	return true;
}
