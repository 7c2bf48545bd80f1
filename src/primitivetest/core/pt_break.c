// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "core/pt_break.h"

#define MARK_BYTES	512	/* the kernel takes 1 KiB and more */

int64_t pt_break_excess_ps(const struct pt_case *c, int metric,
			   int64_t value_ps)
{
	const struct tw_stats *stats = &c->series->row[metric].stats;

	return stats->has_target ? value_ps - stats->target_ns : value_ps;
}

/* The first metric that is above the limit; -1: none is. */
static int find(const struct pt_case *c, const struct pt_kept *kept)
{
	int i;

	for (i = 0; i < c->metric_count; i++)
		if (kept->value_ps[i] != PT_NO_VALUE &&
		    pt_break_excess_ps(c, i, kept->value_ps[i]) >
		    c->config->break_ps)
			return i;
	return -1;
}

/* Of the trials of the warm-up; before them, what is expected. */
static double first_mean_ps(const struct pt_case *c, int metric)
{
	const struct tw_stats *stats = &c->series->row[metric].stats;
	double sum_ps = 0;
	uint64_t n;
	int count = 0;

	for (n = 0; n < c->first_count; n++)
		if (c->first_ps[n][metric] != PT_NO_VALUE) {
			sum_ps += (double)c->first_ps[n][metric];
			count++;
		}
	if (count)
		return sum_ps / count;
	return stats->has_target ? (double)stats->target_ns : 0;
}

static void keep(struct pt_case *c, const struct pt_kept *kept,
		 bool throttled)
{
	struct pt_broke *broke = &c->broke;
	int i;

	broke->ahead_ns = tw_clock_ahead_of_ns(&c->stamped, CLOCK_MONOTONIC);
	broke->kept = *kept;
	broke->throttled = throttled;
	broke->has_before = c->has_before;
	broke->before = c->before;
	for (i = 0; i < c->metric_count; i++) {
		const struct tw_stats *stats = &c->series->row[i].stats;

		broke->means_ps[i] = stats->count ? tw_stats_mean(stats) :
						    first_mean_ps(c, i);
	}
}

static int compose(char *mark, size_t size, const struct pt_case *c)
{
	const struct pt_kept *kept = &c->broke.kept;
	int used, i;

	used = snprintf(mark, size, "primitivetest: %s, trial %" PRIu64 ": %s %"
			PRId64 " ns > %" PRId64 " us:", c->name, kept->number,
			c->metric[c->broken]->token,
			c->broken_ps / PT_PS_PER_NS, c->config->break_us);
	for (i = 0; i < PT_STAMPS; i++)
		used += snprintf(mark + used, size - used, " t%d %" PRId64, i,
				 kept->trial.t_ns[i]);
	return used + snprintf(mark + used, size - used, " ns\n");
}

static void stop_trace(struct pt_case *c, const struct tw_trace_fds *fds)
{
	char mark[MARK_BYTES];
	int len = compose(mark, sizeof(mark), c);

	c->broke.mark_err = tw_trace_mark_and_stop(fds, mark, len);
}

void pt_break_check(struct pt_case *c, const struct pt_kept *kept,
		    bool throttled)
{
	int metric;

	if (!c->config->break_ps || c->broken_ps)
		return;
	metric = find(c, kept);
	if (metric < 0)
		return;
	c->broken_ps = kept->value_ps[metric];
	c->broken = metric;
	keep(c, kept, throttled);
	if (c->config->trace)
		stop_trace(c, c->config->trace);
	atomic_store(&c->stop, 1);
}
