// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --worst: each cycle that has the largest value of a metric, once, and which
 * phases caused it.
 */
#include <inttypes.h>
#include <math.h>
#include <time.h>

#include "tw_kept.h"
#include "tw_part.h"
#include "tw_text.h"

#define PARTS_MAX	4
#define WIDTH		100	/* of a line of values, at most */

static bool show;

static const struct tw_option options[] = {
	{ 0, "worst", TW_FLAG, &show,
	  .help = "print the worst cycle of each metric: its phases, and\n"
		  "which of them caused it" },
	{ .name = NULL }
};

/* All known values, each with its mean in this pair, in lines that are not long. */
static void print_values(FILE *file, const struct tw_kept *kept,
			 const struct tw_pair *pair)
{
	const struct tw_metric_params *params = &pair->tally.params;
	int id, len, width = WIDTH;
	const char *comma = "";
	char text[80];
	int64_t ns;

	for (id = 0; id < TW_METRICS; id++) {
		ns = tw_metric_ns(id, &kept->cycle, params);
		if (!tw_metric_valid(id, params) || ns == TW_NO_VALUE)
			continue;
		len = snprintf(text, sizeof(text), "%s %" PRId64 " (%s%" PRId64
			       ")", tw_metrics[id].name, tw_text_whole(ns),
			       *comma ? "" : "mean ", tw_text_whole((int64_t)
			       tw_stats_mean(&pair->total.stats[id])));
		if (width + len >= WIDTH) {
			fprintf(file, "%s\n#  ", comma);
			comma = "";
			width = 0;
		}
		width += fprintf(file, "%s %s", comma, text);
		comma = ",";
	}
}

/* By how much a metric of this cycle is above its mean. */
static double excess_ns(const struct tw_kept *kept, const struct tw_pair *pair,
			enum tw_metric_id id)
{
	return (double)tw_metric_ns(id, &kept->cycle, &pair->tally.params) -
	       tw_stats_mean(&pair->total.stats[id]);
}

/* A phase has none. The interval before this cycle ended with its wake-up. */
static const enum tw_metric_id one_host[TW_METRICS][PARTS_MAX + 1] = {
	[TW_LATENCY] = { TW_SEND, TW_SLEEP, TW_RECEIVE },
	[TW_RESPONSE] = { TW_SEND, TW_SLEEP, TW_RECEIVE },
	[TW_INTERVAL] = { TW_WAKEUP },
	[TW_TOTAL] = { TW_SEND, TW_SLEEP, TW_RECEIVE, TW_INTERVAL },
	[TW_PLANNED] = { TW_SEND, TW_SLEEP, TW_RECEIVE, TW_WAKEUP },
	[TW_NETWORK] = { TW_SEND, TW_RECEIVE },
};

/* Of two clocks, only the sum of send and receive is known. */
static const enum tw_metric_id two_hosts[TW_METRICS][PARTS_MAX + 1] = {
	[TW_LATENCY] = { TW_SLEEP, TW_NETWORK },
	[TW_RESPONSE] = { TW_SLEEP, TW_NETWORK },
	[TW_INTERVAL] = { TW_WAKEUP },
	[TW_TOTAL] = { TW_SLEEP, TW_NETWORK, TW_INTERVAL },
	[TW_PLANNED] = { TW_SLEEP, TW_NETWORK, TW_WAKEUP },
};

/* --reflect, or a cycle that was cut short: the response cannot be divided. */
static const enum tw_metric_id reflected[TW_METRICS][PARTS_MAX + 1] = {
	[TW_LATENCY] = { TW_RESPONSE },
	[TW_INTERVAL] = { TW_WAKEUP },
	[TW_PLANNED] = { TW_RESPONSE, TW_WAKEUP },
};

const enum tw_metric_id *tw_kept_parts(enum tw_metric_id id, bool apart,
				       bool cut)
{
	return cut || tw_metrics[TW_NETWORK].lacks ? reflected[id] :
	       apart ? two_hosts[id] : one_host[id];
}

/*
 * What each of several parts has of the excess of metric @id. What the others
 * have not is the last one's: in total, the interval counts as a deviation,
 * whose mean is not kept; in planned, a cycle also waits for the one before it.
 */
static void print_causes(FILE *file, const struct tw_kept *kept,
			 const struct tw_pair *pair, enum tw_metric_id id)
{
	double all_ns = excess_ns(kept, pair, id), left_ns = all_ns, ns;
	const enum tw_metric_id *parts =
		tw_kept_parts(id, tw_metrics[TW_SEND].lacks,
			      kept->cycle.cut_ns);
	const enum tw_metric_id *part = parts;

	if (!part[0] || !part[1] || all_ns <= 0)
		return;
	for (; *part; part++) {
		ns = part[1] ? excess_ns(kept, pair, *part) : left_ns;
		left_ns -= ns;
		if (part == parts)
			fprintf(file, "\n#   excess of %s:",
				tw_metrics[id].name);
		fprintf(file, "%s %s %.0f %%", part > parts ? "," : "",
			tw_metrics[*part].name,
			round(100 * ns / all_ns) + 0.0);
	}
}

/* Whether two metrics have the same worst cycle. */
static bool is_same(const struct tw_run *run, enum tw_metric_id a,
		    enum tw_metric_id b)
{
	int pair = tw_kept_worst_pair(run, a);
	const struct tw_kept *one = tw_kept_worst(run, pair, a);
	const struct tw_kept *two = tw_kept_worst(run, pair, b);

	return pair == tw_kept_worst_pair(run, b) && one && two &&
	       one->cycle.seq == two->cycle.seq && one->step == two->step;
}

/* The worst cycle of metric @id, and of later ones: once. */
static void print_worst(FILE *file, const struct tw_run *run,
			enum tw_metric_id id)
{
	const struct tw_pair *pair = run->pairs[tw_kept_worst_pair(run, id)];
	const struct tw_kept *kept = tw_kept_worst(run, pair->number, id);
	const struct tw_metric_params *params = &pair->tally.params;
	char clock[32];
	int us, other;

	for (other = 0; other < id; other++)
		if (tw_metric_valid(other, params) && is_same(run, other, id))
			return;
	fprintf(file, "# Worst");
	for (other = id; other < TW_METRICS; other++)
		if (tw_metric_valid(other, params) && is_same(run, other, id))
			fprintf(file, "%s %s", other > id ? "," : "",
				tw_metrics[other].name);
	fprintf(file, ":\n#   ");
	if (tw_config.pairs > 1)
		fprintf(file, "pair %d, ", pair->number);
	tw_kept_print_number(file, run, kept);
	us = tw_kept_time(clock, sizeof(clock), "%H:%M:%S", kept);
	fprintf(file, ", %.6f s after start, %s.%06d, missed %" PRIu64,
		(double)kept->since_ns / 1e9, clock,
		us, kept->cycle.missed);
	print_values(file, kept, pair);
	for (other = id; other < TW_METRICS; other++)
		/* The response is divided as the latency is. */
		if (tw_metric_valid(other, params) && is_same(run, other, id) &&
		    (other != TW_RESPONSE || !is_same(run, TW_LATENCY, other)))
			print_causes(file, kept, pair, other);
	fputc('\n', file);
}

static void text(FILE *file, const struct tw_run *run)
{
	const struct tw_metric_params params = tw_config_params(0);
	int id;

	for (id = 0; show && id < TW_METRICS; id++)
		if (tw_metric_valid(id, &params))
			print_worst(file, run, id);
}

const struct tw_part tw_part_worst = {
	.options = options, .group = TW_TOO_LONG, .text = text,
};
