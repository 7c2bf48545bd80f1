// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --worst: each cycle that has the largest value of a metric, once, and which
 * phases caused it.
 */
#include <inttypes.h>
#include <math.h>

#include "tw_array.h"
#include "tw_kept.h"
#include "tw_part.h"
#include "tw_text.h"

#define WIDTH		100	/* of a line of values, at most */

static bool show;

static const struct tw_option options[] = {
	{ 0, "worst", TW_FLAG, &show,
	  .help = "print the worst cycle of each metric, and its phases" },
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

/* By what is known of a cycle: its client, each side for itself, or all. */
enum division { BY_CLIENT, BY_SIDE, BY_ALL, DIVISIONS };

/* What may be a part, the smallest first; wakeup last: see print_causes(). */
static const enum tw_metric_id phases[] = {
	TW_SEND, TW_SLEEP, TW_RECEIVE, TW_NETWORK, TW_RESPONSE, TW_WAKEUP
};

static enum tw_metric_id parts_of[DIVISIONS][TW_METRICS][ARRAY_SIZE(phases)];

/* Of a cycle that began in time: between two times lies one bit. */
static const int64_t at[TW_TIMES] = {
	[TW_PREV_T0] = -16, [TW_T0] = 1, [TW_T1] = 3, [TW_T2] = 7, [TW_T3] = 15,
};

static bool is_known(enum tw_metric_id id, enum division division)
{
	return division == BY_ALL ||
	       (division == BY_SIDE ? !tw_metric_compares_sides(id) :
				      !tw_metric_needs_server(id));
}

static void divide(enum tw_metric_id id, enum division division)
{
	const enum tw_metric_id whole = id == TW_TOTAL ? TW_RESPONSE : id;
	int64_t bits, left = tw_metric_span(tw_metrics[whole].span, at);
	enum tw_metric_id *to = parts_of[division][id];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(phases); i++) {
		bits = tw_metric_span(tw_metrics[phases[i]].span, at);
		if (phases[i] == whole || bits & ~left ||
		    !is_known(phases[i], division))
			continue;
		left -= bits;
		*to++ = phases[i];
	}
	/* It is one of the deviations. */
	if (id == TW_TOTAL && to != parts_of[division][id])
		*to = TW_INTERVAL;
}

static void begin(struct tw_run *run)
{
	enum division division;
	enum tw_metric_id id;

	for (division = 0; division < DIVISIONS; division++)
		for (id = 0; id < TW_METRICS; id++)
			divide(id, division);
}

const enum tw_metric_id *tw_kept_parts(enum tw_metric_id id, bool apart,
				       bool cut)
{
	return parts_of[cut || !tw_metric_has_server() ? BY_CLIENT :
			apart ? BY_SIDE : BY_ALL][id];
}

static bool has_part(enum tw_metric_id of, enum tw_metric_id id, bool apart,
		     bool cut)
{
	const enum tw_metric_id *part = tw_kept_parts(of, apart, cut);

	while (*part && !has_part(*part, id, apart, cut))
		part++;
	return *part || of == id;
}

bool tw_kept_has_phase(enum tw_metric_id of, enum tw_metric_id id, bool apart,
		       bool cut)
{
	return !*tw_kept_parts(id, apart, cut) && has_part(of, id, apart, cut);
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
		tw_kept_parts(id, !tw_metric_valid(TW_SEND,
				&pair->tally.params), kept->cycle.cut_ns);
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
	if (tw_run_pairs > 1)
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
	.options = options, .group = TW_TOO_LONG, .begin = begin, .text = text,
};
