// SPDX-License-Identifier: GPL-2.0-or-later
/* --limit: a verdict for each limit, and from them the exit status. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/tw_json.h"
#include "result/tw_kept.h"
#include "result/tw_limit.h"
#include "result/tw_part_result.h"
#include "run/tw_columns.h"
#include "run/tw_session.h"

static struct {
	struct tw_limit limits[TW_LIMITS_MAX];
	int count;
} set;
static const __typeof__(set) initial;

static int parse(const struct tw_option *option, const char *value,
		 struct tw_run *run)
{
	struct tw_limit limit;

	if (!tw_limit_parse(value, &limit))
		return tw_option_error(option, value, run,
				       "allowed is METRIC:US, METRIC:avg:US, METRIC:pPERCENT:US, missed:N, throttled:N or lost:N, as in response:500, total:p99.9:200, missed:0; the number up to %lld; METRIC@LIST for the pairs of a list, as response@0,2-4:500%s",
				       (long long)TW_LIMIT_MOST,
				       strncmp(value, "latency:", 8) ? "" :
				       "; what cyclictest calls latency is wakeup here");
	if (set.count == TW_LIMITS_MAX)
		return tw_option_error(option, value, run,
				       "allowed are up to %d limits",
				       TW_LIMITS_MAX);
	set.limits[set.count++] = limit;
	return 0;
}

static const struct tw_option options[] = {
	{ 0, "limit", TW_ARGUMENT, "LIMIT", parse, set.limits,
	  .help = "exit status 2 if METRIC:US, METRIC:avg:US,\n"
		  "METRIC:pPERCENT:US, missed:N, throttled:N or\n"
		  "lost:N is exceeded by any pair, or METRIC@LIST:...\n"
		  "by one of LIST; may be given several times" },
	{ .name = NULL }
};

/*
 * How many cycles of a pair there will be in all; UINT64_MAX: nobody knows. In
 * a given time some expiries may be missed: a twentieth of them is not counted
 * on.
 */
static uint64_t expected_cycles(const struct tw_config *config,
				unsigned int pair, int steps, bool *by_time)
{
	/* A ramp of pairs begins with one. */
	int own_steps = config->ramp_of_pairs ? steps - (int)pair : steps;
	int64_t interval_us = tw_config_interval_us(config, pair);
	uint64_t loops = (uint64_t)tw_config_loops(config, pair);
	uint64_t in_time = UINT64_MAX;

	if (!loops)
		loops = UINT64_MAX;
	if (config->duration_s && interval_us)
		in_time = (uint64_t)config->duration_s * 950000 / interval_us;
	*by_time = in_time < loops;
	if (*by_time)
		loops = in_time;
	return loops == UINT64_MAX ? loops : loops * own_steps;
}

/* A list names pairs that there are. */
static int check_pairs(struct tw_run *run)
{
	unsigned int count = (unsigned int)tw_config->pairs.count, k;
	int i;

	for (i = 0; i < set.count; i++)
		for (k = count; set.limits[i].has_list && k < TW_PAIRS_MAX;
		     k++)
			if (tw_limit_covers(&set.limits[i], k))
				return tw_fail(run, -EINVAL, "--limit=%s: there is no pair %u; the pairs are 0 to %u, see --threads",
					       set.limits[i].text, k,
					       count - 1);
	return 0;
}

static int check_metrics(struct tw_run *run)
{
	const char *lacks;
	int i;

	for (i = 0; i < set.count; i++) {
		lacks = tw_limit_counts(&set.limits[i]) ? NULL :
			tw_config_unfit(tw_config, set.limits[i].about);
		if (lacks)
			return tw_fail(run, -EINVAL, "--limit=%s: %s",
				       set.limits[i].text, lacks);
	}
	return 0;
}

static int check_percentile(struct tw_run *run, const struct tw_limit *limit,
			    unsigned int pair)
{
	unsigned long long needs = tw_limit_needs(limit);
	bool by_time;
	uint64_t expected = expected_cycles(tw_config, pair, run->steps,
					    &by_time);

	if (expected >= needs)
		return 0;
	return tw_fail(run, -EINVAL, "--limit=%s: this percentile needs at least %llu cycles, and only %llu can be counted on%s; give more loops, a longer duration, or a lower percentile",
		       limit->text, needs, (unsigned long long)expected,
		       by_time ? ", 95 % of those expected in the duration" :
				 "");
}

static int check_percentiles(struct tw_run *run)
{
	unsigned int k;
	int i, err = 0;

	for (i = 0; i < set.count; i++)
		for (k = 0; !err && k < tw_config->pairs.count; k++)
			if (set.limits[i].percent > 0 &&
			    tw_limit_covers(&set.limits[i], k))
				err = check_percentile(run, &set.limits[i], k);
	return err;
}

static int check(struct tw_run *run)
{
	int err = check_pairs(run);

	if (!err)
		err = check_metrics(run);
	return err ? err : check_percentiles(run);
}

static void attach(struct tw_run *run, struct tw_pair *pair, void *memory)
{
	(void)run;
	(void)memory;
	tw_limit_prepare(set.limits, set.count, pair->tally);
}

bool tw_result_is_cut_short(const struct tw_run *run)
{
	const struct tw_config *config = tw_session(run)->config;
	const struct tw_session *session = tw_session(run);

	if (session->run.err)
		return true;
	return run->interrupted && (config->loops || config->duration_s);
}

/* What a limit has come to: for the pair that is worst off. */
struct result {
	enum tw_verdict verdict;
	const struct tw_pair *pair;
	int64_t value;
	bool so_far;		/* it was met till the run was cut short */
	bool is_void;		/* there are no valid values */
};

/*
 * As tw_limit_judge(), but a run that was cut short has shown only that a
 * limit is exceeded.
 */
static struct result judge_pair(const struct tw_run *run,
				const struct tw_limit *limit,
				const struct tw_pair *pair)
{
	const struct tw_column column = tw_pair_column(pair,
		tw_limit_counts(limit) ? TW_TOTAL : limit->about);
	struct result result = { .pair = pair };

	result.verdict = tw_limit_judge(limit, &column, &result.value);
	result.is_void = column.is_void && !tw_limit_counts(limit);
	result.so_far = result.verdict == TW_MET && tw_result_is_cut_short(run);
	if (result.so_far)
		result.verdict = TW_UNDECIDED;
	return result;
}

static bool is_worse(const struct result *this, const struct result *than)
{
	static const int badness[] = {
		[TW_MET] = 0, [TW_UNDECIDED] = 1, [TW_EXCEEDED] = 2,
	};

	if (this->verdict != than->verdict)
		return badness[this->verdict] > badness[than->verdict];
	/* With too few cycles there is no value. */
	if (this->so_far != than->so_far)
		return than->so_far;
	return this->value > than->value;
}

/* In a ramp of pairs, none of a list may have been measured: no pair. */
static struct result judge(const struct tw_run *run,
			   const struct tw_limit *limit)
{
	struct result worst = { .verdict = TW_UNDECIDED }, result;
	const struct tw_pair *pair;
	unsigned int k;

	for (k = 0; (pair = tw_session_pair(tw_session(run), k)); k++) {
		if (!tw_limit_covers(limit, k))
			continue;
		result = judge_pair(run, limit, pair);
		if (!worst.pair || is_worse(&result, &worst))
			worst = result;
	}
	return worst;
}

static bool exceeded(const struct tw_run *run)
{
	int i;

	for (i = 0; i < set.count; i++)
		if (judge(run, &set.limits[i]).verdict != TW_MET)
			return true;
	return false;
}

/* Of a limit, as its text says it. */
static void print_value(FILE *file, const struct tw_run *run,
			const struct tw_limit *limit,
			const struct result *result)
{
	const struct tw_kept *kept;

	if (tw_limit_counts(limit)) {
		fprintf(file, "%" PRId64, result->value);
		return;
	}
	fprintf(file, "%.3f us", (double)result->value / 1000);
	if (limit->average || limit->percent > 0)
		return;
	kept = &result->pair->tally->worst[limit->about];
	fprintf(file, " in ");
	if (run->steps > 1)
		fprintf(file, "step %d, ", kept->step + 1);
	fprintf(file, "cycle %" PRIu64, tw_cycle_number(run, kept));
}

static void text(FILE *file, const struct tw_run *run)
{
	int i;

	for (i = 0; i < set.count; i++) {
		const struct tw_limit *limit = &set.limits[i];
		const struct result result = judge(run, limit);

		fprintf(file, "# Limit %s: %s: ", limit->text,
			tw_verdict_names[result.verdict]);
		if (!result.pair) {
			fprintf(file, "no pair of the list was measured\n");
			continue;
		}
		if (result.so_far)
			fprintf(file, "the run was ended before it was complete; so far ");
		if (tw_session(run)->config->pairs.count > 1)
			fprintf(file, "pair %u: ", result.pair->number);
		if (result.is_void)
			fprintf(file, "its one-way times are void");
		else if (result.verdict == TW_UNDECIDED && !result.so_far)
			fprintf(file, "%" PRIu64 " cycles, needed are %" PRIu64,
				result.pair->tally->cycles,
				tw_limit_needs(limit));
		else
			print_value(file, run, limit, &result);
		fprintf(file, "\n");
	}
}

static void json_limit(struct tw_json *json, const struct tw_run *run,
		       const struct tw_limit *limit)
{
	const struct result result = judge(run, limit);
	bool counts = tw_limit_counts(limit);

	tw_json_begin_line(json, NULL, '{');
	tw_json_text(json, "limit", limit->text);
	tw_json_text(json, "metric", tw_limit_about(limit->about));
	tw_json_real_if(json, "percentile", limit->percent > 0,
			limit->percent, TW_JSON_SHORT);
	tw_json_int(json, counts ? "most" : "most_ns", limit->most);
	tw_json_int_if(json, counts ? "value" : "value_ns",
		       result.verdict != TW_UNDECIDED, result.value);
	tw_json_int_if(json, "pair", result.pair,
		       result.pair ? result.pair->number : 0);
	tw_json_text(json, "verdict", tw_verdict_names[result.verdict]);
	tw_json_end(json);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	int i;

	tw_json_begin(json, "limits", '[');
	for (i = 0; i < set.count; i++)
		json_limit(json, run, &set.limits[i]);
	tw_json_end(json);
}

const struct tw_part tw_part_limit = {
	.name = "limit", .options = options, TW_SETTINGS(set, initial),
	.check = check, .attach = attach, .exceeded = exceeded,
	.text = text, .json = json,
};
