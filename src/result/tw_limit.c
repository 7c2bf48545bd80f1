// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tw_buckets.h"
#include "tw_limit.h"
#include "tw_part.h"
#include "tw_percentile.h"

#define LIMITS_MAX	64
#define MOST	1e9	/* US or N */

/* From good to bad. */
enum verdict { MET, UNDECIDED, EXCEEDED };

static const char *const verdicts[] = {
	"met", "undecided", "exceeded", NULL
};

struct judgment {
	enum verdict verdict;
	const char *doubt;	/* met but for this; NULL: for nothing */
	bool skipped;		/* met but for what was not measured */
	int result;		/* the worst one; -1: there is none */
	struct tw_limit_value of;
};

static struct tw_limit limits[LIMITS_MAX];
static int count;

/* "p99.9:" at the beginning; returns what follows. */
static const char *parse_percent(const char *text, double *percent)
{
	char word[16];
	size_t length = strcspn(text, ":");

	if (text[0] != 'p' || !text[length] || length >= sizeof(word))
		return text;
	snprintf(word, length, "%s", text + 1);
	if (tw_buckets_parse(word, percent))
		return text + length + 1;
	*percent = 0;
	return text;
}

static bool parse_number(const char *text, bool whole, double *number)
{
	static const char digits[] = ".0123456789";
	char *end;

	*number = strtod(text, &end);
	return strchr(digits + 1, *text) && *text && !*end &&
	       !text[strspn(text, digits + whole)] && *number <= MOST;
}

/* "N/UNIT:US", none of them 0. */
static bool parse_rate(const char *text, struct tw_limit *limit)
{
	char number[16], unit[4], us[16];

	if (sscanf(text, "%15[0-9.]/%3[a-z]:%15s", number, unit, us) < 3 ||
	    !parse_number(number, false, &limit->most) ||
	    !parse_number(us, false, &limit->above_ns))
		return false;
	limit->unit = tw_limited.rate->unit(unit);
	limit->above_ns = round(limit->above_ns * 1e6) / 1e3;
	return limit->unit && limit->most > 0 && limit->above_ns > 0;
}

static void parse(const struct tw_option *option, char *value)
{
	struct tw_limit *limit = &limits[count];
	size_t length = strcspn(value, ":");
	int about = value[length] ? tw_limited.find(value, length) : -1;
	const char *rest = about < 0 ? value : value + length + 1;
	bool rate = tw_limited.rate && !strncmp(value, "rate:", 5);

	if (count++ == LIMITS_MAX)
		tw_option_refuse(option, value, "allowed are at most 64 limits");
	*limit = (struct tw_limit) {
		.text = value, .about = about < 0 ? tw_limited.usual : about,
		.counts = about >= tw_limited.metrics,
	};
	if (!limit->counts && !strncmp(rest, "avg:", 4)) {
		limit->average = true;
		rest += 4;
	} else if (!limit->counts) {
		rest = parse_percent(rest, &limit->percent);
	}
	if (limit->about < 0 || !(rate ? parse_rate(rest, limit) :
				  parse_number(rest, limit->counts,
					       &limit->most)))
		tw_option_refuse(option, value, tw_limited.allowed);
	if (!limit->counts)
		limit->most = round(limit->most * 1e6) / 1e3;
}

uint64_t tw_limit_needed(const struct tw_limit *limit)
{
	return limit->counts ? 0 :
	       limit->percent > 0 ? tw_buckets_needed(limit->percent) : 1;
}

/* At least: what is not known of it, is not below 0. */
static double least_mean(const struct tw_stats *stats,
			 const struct tw_limit_open *open)
{
	double sum_ns = (double)stats->sum +
			(double)open->lost * open->least_ns + open->begun_ns;

	return sum_ns / (double)(stats->count + open->lost + open->cut);
}

/*
 * Met, if it is even if all that is not known is larger than the rest. Those that
 * were lost are: no reply came within a time that the others have kept.
 */
static void set_percentile(struct tw_limit_value *of, const struct tw_run *run,
			   const struct tw_series *series,
			   const struct tw_limit_open *open,
			   const struct tw_limit *limit)
{
	bool larger = open->least_ns > 0;
	int64_t ns;

	if (tw_percentile_value(run, series, limit->percent, of->open, &ns) &&
	    ((double)ns <= limit->most || larger)) {
		of->open = 0;
		of->value = (double)ns;
	} else if (larger) {
		of->value = open->least_ns;
	} else if (tw_percentile_value(run, series, limit->percent, 0, &ns)) {
		of->value = (double)ns;
	}
}

struct tw_limit_value tw_limit_value(const struct tw_run *run,
				     const struct tw_series *series,
				     const struct tw_limit_open *open,
				     const struct tw_limit *limit)
{
	const struct tw_stats *stats = series->stats;
	struct tw_limit_value of = {
		.cycles = stats->count, .open = open->lost + open->cut,
	};

	if (stats->count < tw_limit_needed(limit))
		return of;
	if (limit->average)
		of.value = least_mean(stats, open);
	else if (limit->percent > 0)
		set_percentile(&of, run, series, open, limit);
	else
		of.value = fmax((double)stats->max,
				fmax(open->lost ? open->least_ns : 0,
				     open->begun_ns));
	return of;
}

static void check(struct tw_run *run)
{
	int i;

	for (i = 0; i < count; i++)
		tw_limited.check(run, &limits[i]);
}

/* A signal is the usual end of a run that has no other. */
static bool is_interrupted(const struct tw_run *run)
{
	return run->interrupted && (tw_limited.ends || tw_config.loops ||
				    tw_config.duration_s);
}

static const char *doubt_of(const struct tw_run *run)
{
	if (run->failed || run->broken || is_interrupted(run))
		return "the run was cut short; so far";
	return run->doubt;
}

static struct judgment judge_one(const struct tw_run *run,
				 const struct tw_limit *limit, int result)
{
	struct judgment judgment = {
		.result = result, .of = tw_limited.value(run, result, limit),
	};

	if (judgment.of.cycles < tw_limit_needed(limit))
		judgment.verdict = UNDECIDED;
	else if (judgment.of.value > limit->most)
		judgment.verdict = EXCEEDED;
	else if (judgment.of.value + judgment.of.unknown > limit->most)
		judgment.verdict = UNDECIDED;
	else
		judgment.doubt = doubt_of(run);
	if (judgment.doubt ||
	    (judgment.verdict == MET && judgment.of.open))
		judgment.verdict = UNDECIDED;
	return judgment;
}

static struct judgment judge(const struct tw_run *run,
			     const struct tw_limit *limit)
{
	struct judgment worst = { .verdict = UNDECIDED, .result = -1 }, other;
	int i;

	for (i = 0; i < tw_limited.results(run); i++) {
		if (tw_limited.is_for && !tw_limited.is_for(limit, i))
			continue;
		other = judge_one(run, limit, i);
		if (worst.result < 0 || other.verdict > worst.verdict ||
		    (other.verdict == worst.verdict &&
		     other.of.value > worst.of.value))
			worst = other;
	}
	if (worst.verdict == MET && tw_limited.skipped &&
	    tw_limited.skipped(NULL, limit)) {
		worst.skipped = true;
		worst.verdict = UNDECIDED;
	}
	return worst;
}

static bool exceeded(const struct tw_run *run)
{
	int i;

	for (i = 0; i < count; i++)
		if (judge(run, &limits[i]).verdict != MET)
			return true;
	return false;
}

static void print_result(FILE *file, const struct tw_run *run,
			 const struct tw_limit *limit,
			 const struct judgment *judgment)
{
	if (judgment->doubt)
		fprintf(file, "%s ", judgment->doubt);
	if (judgment->skipped && tw_limited.skipped(file, limit))
		fputs("; otherwise ", file);
	if (!tw_limited.noun)
		fprintf(file, "%s: ", tw_limited.name(limit, judgment->result));
	else if (tw_limited.results(run) > 1)
		fprintf(file, "%s %d: ", tw_limited.noun, judgment->result);
}

static void print_value(FILE *file, const struct tw_run *run,
			const struct tw_limit *limit,
			const struct judgment *judgment)
{
	print_result(file, run, limit, judgment);
	if (judgment->of.cycles < tw_limit_needed(limit))
		fprintf(file, "%" PRIu64 " cycles, needed are %" PRIu64,
			judgment->of.cycles, tw_limit_needed(limit));
	else if (limit->unit)
		tw_limited.rate->print(file, run, judgment->result, limit,
				       judgment->verdict == EXCEEDED);
	else if (limit->counts && judgment->of.unknown > 0)
		fprintf(file, "%.0f to %.0f", judgment->of.value,
			judgment->of.value + judgment->of.unknown);
	else if (limit->counts)
		fprintf(file, "%.0f", judgment->of.value);
	else
		fprintf(file, "%s%.3f us", judgment->of.open ? "at least " : "",
			judgment->of.value / 1000);
	if (tw_limited.where && !limit->counts && !limit->average &&
	    !limit->percent)
		tw_limited.where(file, run, judgment->result, limit);
	if (judgment->of.open)
		fprintf(file, " (%s %" PRIu64 " %s%s)", tw_limited.open,
			judgment->of.open, tw_limited.opened,
			judgment->of.open > 1 ? "s" : "");
}

static void text(FILE *file, const struct tw_run *run)
{
	int i;

	for (i = 0; i < count; i++) {
		const struct judgment judgment = judge(run, &limits[i]);

		fprintf(file, "# Limit %s: %s: ", limits[i].text,
			verdicts[judgment.verdict]);
		if (judgment.result < 0)
			fprintf(file, "it was not measured");
		else
			print_value(file, run, &limits[i], &judgment);
		fputc('\n', file);
	}
}

/* What the JSON says of one. */
struct told {
	int result;		/* first: parts add members of it */
	struct tw_limit of;
	const char *metric, *verdict;
	double value;
};

static const void *next_limit(const void *of, int *i, const char **key)
{
	static struct told told;
	struct judgment judgment;

	if (*i == count)
		return NULL;
	judgment = judge(of, &limits[*i]);
	told = (struct told) {
		.of = limits[*i], .metric = judgment.result < 0 ? NULL :
			tw_limited.name(&limits[*i], judgment.result),
		.verdict = verdicts[judgment.verdict],
		.value = judgment.verdict == UNDECIDED ? NAN :
			 limits[*i].unit && judgment.verdict == MET ?
			 judgment.of.value + judgment.of.unknown :
			 judgment.of.value,
		.result = judgment.result,
	};
	return &told;
}

#define LIMIT(field)	TW_IN(struct told, of.field)
#define COUNTS		TW_IF_IN(struct told, of.counts)
#define IS_TIME		TW_UNLESS_IN(struct told, of.counts)

static const struct tw_member of_limit[] = {
	{ "limit", LIMIT(text), TW_STRING, "As it was given." },
	{ TW_NAMED(struct told, metric), TW_STRING, "A metric, the worst column, or what is counted; null: it was not measured.",
	  "'pattern': '^[a-z0-9_.]+$'", .nullable = true },
	{ "percentile", LIMIT(percent), TW_REAL, "If it is for one.",
	  "'exclusiveMinimum': 0, 'exclusiveMaximum': 100",
	  TW_IF_IN(struct told, of.percent), .format = "%.10g" },
	{ "most", LIMIT(most), TW_REAL, "How many are allowed; of a rate, in its unit of time.",
	  "'minimum': 0", COUNTS, .format = "%.15g" },
	{ "most_ns", LIMIT(most), TW_REAL, "What is allowed.",
	  "'minimum': 0", IS_TIME, .format = "%.15g" },
	{ "value", TW_IN(struct told, value), TW_REAL,
	  "How many were counted; of a rate, the end of its interval that decides. null: undecided.", .nullable = true,
	  COUNTS, .format = "%.15g" },
	{ "value_ns", TW_IN(struct told, value), TW_REAL, "What was measured; of a reply that did not come, at least so much. null: undecided.",
	  .nullable = true, IS_TIME, .format = "%.15g" },
	{ .name = NULL }
};

static const struct tw_member verdict[] = {
	{ TW_NAMED(struct told, verdict), TW_STRING, "Undecided: too few values, one that is not known, or a run that was cut short.",
	  .words = verdicts },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "limits", TW_NOWHERE, TW_ARRAY, "The verdict on each --limit, in the order given.",
	  "'maxItems': 64", .next = next_limit, .of = of_limit,
	  .parts = TW_OF_LIMIT, .then = verdict,
	  .each = "'oneOf': [ { 'required': [ 'most', 'value' ] }, { 'required': [ 'most_ns', 'value_ns' ] } ], 'if': { 'properties': { 'verdict': { 'const': 'undecided' } } }, 'then': { 'properties': { 'value': { 'type': 'null' }, 'value_ns': { 'type': 'null' } } }, 'else': { 'properties': { 'value': { 'type': 'number' }, 'value_ns': { 'type': 'number' } } }" },
	{ .name = NULL }
};

static const char *word(int i)
{
	return tw_limited.word ? tw_limited.word(i) : NULL;
}

static const struct tw_option options[] = {
	{ 0, "limit", TW_LIMIT, NULL, "LIMIT", .choice = word, .parse = parse,
	  .help = tw_limit_help },
	{ .name = NULL }
};

/* Whoever reads the text alone does not take it for a whole run. */
static void remark(FILE *file, const struct tw_run *run)
{
	static const char so_far[] = "this is what was measured until then";

	if (run->failed)
		fprintf(file, "# Failed: standard error says why: %s\n",
			so_far);
	else if (is_interrupted(run))
		fprintf(file, "# Ended by a signal: %s\n", so_far);
}

const struct tw_part tw_part_limit = {
	.options = options, .group = TW_TOO_LONG, .check = check,
	.exceeded = exceeded, .text = text, .remark = remark,
	.tells_end = true, .members[TW_OF_RUN] = members,
};
