// SPDX-License-Identifier: GPL-2.0-or-later
/* --limit: reports a verdict for each limit. */
#include <inttypes.h>
#include <stdio.h>

#include "tw_json.h"
#include "tw_report.h"

/*
 * Whether the cycles that were asked for are not all there: a signal or a
 * failure came first. Without -l and -D, a signal is the regular end.
 */
static bool is_cut_short(const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	const struct tw_session *session = report->session;

	if (session->failure.step != TW_STEP_NONE)
		return true;
	return session->interrupted && (config->loops || config->duration_s);
}

/*
 * As tw_limit_judge(), but a run that was cut short has shown only that a
 * limit is exceeded: *so_far tells of one that was met till then.
 */
static enum tw_verdict judge(const struct tw_report *report,
			     const struct tw_limit *limit, int64_t *value,
			     bool *so_far)
{
	enum tw_verdict verdict;

	verdict = tw_limit_judge(limit, report->session->pair->tally, value);
	*so_far = verdict == TW_MET && is_cut_short(report);
	return *so_far ? TW_UNDECIDED : verdict;
}

bool tw_report_within_limits(const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	bool within = true, so_far;
	int64_t value;
	int i;

	for (i = 0; i < config->limit_count; i++)
		if (judge(report, &config->limits[i], &value, &so_far) !=
		    TW_MET)
			within = false;
	return within;
}

/* Of a limit, as its text says it. */
static void print_value(FILE *file, const struct tw_report *report,
			const struct tw_limit *limit, int64_t value)
{
	const struct tw_tally *tally = report->session->pair->tally;
	const struct tw_kept *kept;

	if (tw_limit_counts(limit)) {
		fprintf(file, "%" PRId64, value);
		return;
	}
	fprintf(file, "%.3f us", (double)value / 1000);
	if (limit->average || limit->percent > 0)
		return;
	kept = &tally->worst[limit->about];
	fprintf(file, " in ");
	if (report->config->steps > 1)
		fprintf(file, "step %d, ", kept->step + 1);
	fprintf(file, "cycle %" PRIu64,
		tw_report_cycle_number(report, &kept->cycle));
}

void tw_report_limits(FILE *file, const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	const struct tw_tally *tally = report->session->pair->tally;
	int i;

	for (i = 0; i < config->limit_count; i++) {
		const struct tw_limit *limit = &config->limits[i];
		enum tw_verdict verdict;
		int64_t value;
		bool so_far;

		verdict = judge(report, limit, &value, &so_far);
		fprintf(file, "# Limit %s: %s: ", limit->text,
			tw_verdict_names[verdict]);
		if (so_far)
			fprintf(file, "the run was ended before it was complete; so far ");
		if (verdict == TW_UNDECIDED && !so_far)
			fprintf(file, "%" PRIu64 " cycles, needed are %" PRIu64,
				tally->cycles, tw_limit_needs(limit));
		else
			print_value(file, report, limit, value);
		fprintf(file, "\n");
	}
}

static void json_limit(FILE *file, const struct tw_report *report,
		       const struct tw_limit *limit)
{
	const char *unit = tw_limit_counts(limit) ? "" : "_ns";
	enum tw_verdict verdict;
	int64_t value;
	bool so_far;

	verdict = judge(report, limit, &value, &so_far);
	fprintf(file, "{\"limit\": ");
	tw_json_string(file, limit->text);
	fprintf(file, ", \"metric\": \"%s\", \"percentile\": ",
		tw_limit_about(limit->about));
	if (limit->percent > 0)
		fprintf(file, "%.10g", limit->percent);
	else
		fprintf(file, "null");
	fprintf(file, ", \"most%s\": %" PRId64 ", \"value%s\": ", unit,
		limit->most, unit);
	if (verdict == TW_UNDECIDED)
		fprintf(file, "null");
	else
		fprintf(file, "%" PRId64, value);
	fprintf(file, ", \"verdict\": \"%s\"}", tw_verdict_names[verdict]);
}

void tw_report_json_limits(FILE *file, const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	int i;

	fprintf(file, "    \"limits\": [");
	for (i = 0; i < config->limit_count; i++) {
		fprintf(file, "%s\n      ", i ? "," : "");
		json_limit(file, report, &config->limits[i]);
	}
	fprintf(file, "],\n");
}
