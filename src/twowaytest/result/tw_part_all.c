// SPDX-License-Identifier: GPL-2.0-or-later
/* The pairs in JSON: each of them, and all together. */
#include <math.h>
#include <stdlib.h>

#include "base/tw_json.h"
#include "frame/tw_run.h"
#include "result/tw_kept.h"
#include "result/tw_part_result.h"
#include "run/tw_columns.h"
#include "run/tw_session.h"

static void json_worst(struct tw_json *json, const struct tw_run *run,
		       const struct tw_tally *tally)
{
	const struct tw_config *config = tw_session(run)->config;
	int i;

	tw_json_begin(json, "worst", '{');
	for (i = 0; tally->cycles && i < config->metric_count; i++) {
		enum tw_metric_id id = config->metrics[i];

		if (!tally->series.row[id].stats.count ||
		    !tw_kept_has(config, id))
			continue;
		tw_json_begin_line(json, tw_metrics[id].token, '{');
		tw_kept_json(json, run, &tally->worst[id]);
		tw_json_end(json);
	}
	tw_json_end(json);
}

static void json_pair(struct tw_json *json, const struct tw_run *run,
		      const struct tw_pair *pair)
{
	const struct tw_tally *tally = pair->tally;

	tw_json_begin(json, NULL, '{');
	tw_json_uint(json, "pair", pair->number);
	tw_json_int(json, "interval_us", tw_ns_to_us(pair->task.period_ns));
	tw_json_begin(json, "processes", '{');
	tw_session_json_sides(json, tw_session(run), pair);
	tw_json_end(json);
	tw_json_uint(json, "cycles", tally->cycles);
	tw_json_uint(json, "missed", tally->missed);
	tw_json_uint(json, "throttled", tally->throttled);
	tw_json_uint(json, "lost", tally->lost);
	tw_json_uint(json, "inversions", tally->inversions);
	json_worst(json, run, tally);
	tw_json_end(json);
}

/* Whether the deviations of all pairs are about the same target, or none. */
static bool has_target_of_first(const struct tw_session *session,
				enum tw_metric_id id)
{
	const struct tw_stats *first, *stats;
	const struct tw_pair *pair;
	unsigned int k;

	first = &tw_session_first(session)->tally->series.row[id].stats;
	for (k = 0; (pair = tw_session_pair(session, k)); k++) {
		stats = &pair->tally->series.row[id].stats;
		if (stats->has_target != first->has_target ||
		    stats->target_ns != first->target_ns)
			return false;
	}
	return true;
}

/* Metric @id of all pairs, as row 0 of @sum. */
static struct tw_column sum_up(const struct tw_session *session,
			       struct tw_series *sum, enum tw_metric_id id)
{
	struct tw_stats *stats = &sum->row[0].stats;
	bool same = has_target_of_first(session, id);
	struct tw_column column = { .series = sum };
	const struct tw_stats *first;
	const struct tw_pair *pair;
	unsigned int k;

	first = &tw_session_first(session)->tally->series.row[id].stats;
	tw_stats_init(stats, same && first->has_target ? &first->target_ns :
							 NULL);
	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		tw_stats_merge(stats, &pair->tally->series.row[id].stats);
	for (k = 0; (pair = tw_session_pair(session, k)); k++)
		column.is_void |= tw_pair_column(pair, id).is_void;
	column.status = tw_series_status(sum, 0);
	if (!same)
		column.status.deviation_ns = NAN;
	return column;
}

static void json_all(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_config *config = tw_session(run)->config;
	struct tw_series *sum = calloc(1, tw_series_size(1, 0));
	struct tw_column column;
	const struct tw_columns columns = {
		.count = 1, .unit = tw_unit_of(run->show->nsecs),
		.column = &column,
	};
	int i;

	tw_json_begin(json, "all", '{');
	for (i = 0; sum && i < config->metric_count; i++) {
		enum tw_metric_id id = config->metrics[i];

		tw_series_init(sum, 1, 0);
		column = sum_up(tw_session(run), sum, id);
		tw_json_begin(json, tw_metrics[id].token, '{');
		tw_percentiles_json_column(json, &columns, 0);
		tw_json_end(json);
	}
	tw_json_end(json);
	free(sum);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	const struct tw_pair *pair;
	unsigned int k;

	tw_json_begin(json, "pairs", '[');
	for (k = 0; (pair = tw_session_pair(tw_session(run), k)); k++)
		json_pair(json, run, pair);
	tw_json_end(json);
	json_all(json, run);
}

const struct tw_part tw_part_all = {
	.name = "all", .json = json,
};
