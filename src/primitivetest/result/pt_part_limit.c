// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --limit: a verdict for each limit and each metric that it is for, and from
 * them the exit status.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tw_json.h"
#include "core/pt_session.h"
#include "result/pt_part_result.h"

#define AVERAGE	"avg:"
#define MOST_US	1e6

static struct {
	struct pt_limit limits[PT_LIMITS_MAX];
	int count;
} set;
static const __typeof__(set) initial;

enum verdict { MET, EXCEEDED, UNDECIDED };

static const char *const verdict_names[] = {
	[MET] = "met", [EXCEEDED] = "exceeded", [UNDECIDED] = "undecided",
};

/* A number without a sign, up to @end. */
static bool parse_real(const char *text, const char *end, double *value)
{
	char *stop;

	if (text == end ||
	    strspn(text, "0123456789.") != (size_t)(end - text))
		return false;
	*value = strtod(text, &stop);
	return stop == end;
}

static bool parse_value(const char *rest, struct pt_limit *limit)
{
	const char *colon = strchr(rest, ':');
	double us;

	if (!strncmp(rest, AVERAGE, strlen(AVERAGE))) {
		limit->average = true;
		rest = colon + 1;
	} else if (*rest == 'p') {
		if (!colon || !parse_real(rest + 1, colon, &limit->percent) ||
		    limit->percent <= 0 || limit->percent >= 100)
			return false;
		rest = colon + 1;
	}
	if (!parse_real(rest, rest + strlen(rest), &us) || us > MOST_US)
		return false;
	limit->most_ps = (int64_t)(us * TW_NS_PER_US * PT_PS_PER_NS + 0.5);
	return true;
}

static int parse(const struct tw_option *option, const char *value,
		 struct tw_run *run)
{
	struct pt_limit limit = { .text = value };
	const char *colon = strchr(value, ':');

	if (!colon || colon - value >= (int)sizeof(limit.metric) ||
	    !memchr(value, '.', (size_t)(colon - value)))
		return tw_option_error(option, value, run, "allowed is TEST.METRIC:US, :avg:US or :pNN:US, such as sync2.roundtrip:p99:12.5; US is up to 1000000");
	memcpy(limit.metric, value, (size_t)(colon - value));
	if (!parse_value(colon + 1, &limit))
		return tw_option_error(option, value, run, "behind the metric, :US, :avg:US or :pNN:US is allowed; US is up to 1000000, NN is between 0 and 100");
	if (set.count == PT_LIMITS_MAX)
		return tw_option_error(option, value, run,
				       "allowed are up to %d limits",
				       PT_LIMITS_MAX);
	set.limits[set.count++] = limit;
	return 0;
}

static const struct tw_option options[] = {
	{ 0, "limit", TW_ARGUMENT, "LIMIT", parse, set.limits,
	  .help = "exit status 2 if a value is above US microseconds:\n"
		  "TEST.METRIC:US its maximum, :avg:US its average,\n"
		  ":p99.9:US that percentile; may be repeated" },
	{ .name = NULL }
};

/* A limit for what is not measured would be met without a word. */
static int check_limit(struct tw_run *run, const struct pt_limit *limit)
{
	int i;

	for (i = 0; i < pt_selection->count; i++) {
		const struct pt_choice *choice = &pt_selection->choice[i];
		const struct pt_metric *metric = pt_choice_metrics(choice);
		struct pt_case c = { .choice = *choice };

		pt_choice_name(choice, c.name);
		for (; metric->token; metric++) {
			c.metric[0] = metric;
			if (pt_limit_is_for(limit, &c, 0))
				return 0;
		}
	}
	return tw_fail(run, -EINVAL, "--limit=%s: nothing that is measured has this name; see --test and --list",
		       limit->text);
}

static int check(struct tw_run *run)
{
	int i, err = 0;

	for (i = 0; !err && i < set.count; i++)
		err = check_limit(run, &set.limits[i]);
	pt_config_limit(set.limits, set.count);
	return err;
}

static enum verdict judge(const struct pt_limit *limit,
			  const struct pt_case *c, int metric,
			  double *value_ps)
{
	struct tw_status status = tw_series_status(c->series, metric);
	int64_t percentile_ps;

	if (!status.count)
		return UNDECIDED;
	*value_ps = limit->average ? status.mean_ns : (double)status.max_ns;
	if (limit->percent > 0) {
		if (!tw_series_percentile(c->series, metric, limit->percent,
					  &percentile_ps))
			return UNDECIDED;
		*value_ps = (double)percentile_ps;
	}
	return *value_ps > (double)limit->most_ps ? EXCEEDED : MET;
}

/* Calls @tell for each limit and metric; returns whether all are met. */
static bool for_each(const struct tw_run *run, void *to,
		     void (*tell)(void *to, const struct pt_limit *limit,
				  const char *metric, enum verdict verdict,
				  double value_ps))
{
	const struct pt_session *session = pt_session(run);
	bool all = true;
	int i, j, k;

	for (i = 0; i < set.count; i++) {
		bool found = false;

		for (j = 0; j < session->count; j++) {
			const struct pt_case *c = session->result[j].c;

			for (k = 0; c && k < c->metric_count; k++) {
				enum verdict verdict;
				double value_ps = 0;

				if (!pt_limit_is_for(&set.limits[i], c, k))
					continue;
				found = true;
				verdict = judge(&set.limits[i], c, k,
						&value_ps);
				all = all && verdict == MET;
				if (tell)
					tell(to, &set.limits[i], c->token[k],
					     verdict, value_ps);
			}
		}
		all = all && found;
		if (!found && tell)
			tell(to, &set.limits[i], NULL, UNDECIDED, 0);
	}
	return all;
}

static bool exceeded(const struct tw_run *run)
{
	return !for_each(run, NULL, NULL);
}

static void print(void *to, const struct pt_limit *limit, const char *metric,
		  enum verdict verdict, double value_ps)
{
	fprintf(to, "# Limit %s: %s", limit->text, verdict_names[verdict]);
	if (verdict != UNDECIDED)
		fprintf(to, ": %s %.1f ns", metric, value_ps / PT_PS_PER_NS);
	else if (metric)
		fprintf(to, ": %s has too few values", metric);
	else
		fprintf(to, ": it was not measured");
	fprintf(to, "\n");
}

static void text(FILE *file, const struct tw_run *run)
{
	for_each(run, file, print);
}

static void write_json(void *to, const struct pt_limit *limit,
		       const char *metric, enum verdict verdict,
		       double value_ps)
{
	const double us = PT_PS_PER_NS * (double)TW_NS_PER_US;
	struct tw_json *json = to;

	tw_json_begin_line(json, NULL, '{');
	tw_json_text(json, "limit", limit->text);
	tw_json_text(json, "metric", metric);
	tw_json_real(json, "most", (double)limit->most_ps / us, 6);
	tw_json_real_if(json, "value", verdict != UNDECIDED, value_ps / us, 6);
	tw_json_text(json, "verdict", verdict_names[verdict]);
	tw_json_end(json);
}

static void json(struct tw_json *json, const struct tw_run *run)
{
	tw_json_begin(json, "limits", '[');
	for_each(run, json, write_json);
	tw_json_end(json);
}

const struct tw_part pt_part_limit = {
	.name = "limit", .options = options, TW_SETTINGS(set, initial),
	.check = check, .exceeded = exceeded, .text = text, .json = json,
};
