// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rt-error.h"
#include "tw_buckets.h"
#include "tw_limit.h"

#define MOST	1e9	/* US or N */

static const char *const verdicts[] = { "met", "undecided", "exceeded" };

/* What the word up to the first colon names; -1: nothing. */
static int find(const struct tw_limited *of, const char *value)
{
	size_t length = strcspn(value, ":");
	const char *name;
	int i;

	for (i = 0; value[length] && (name = of->name(i)); i++)
		if (strlen(name) == length && !memcmp(name, value, length))
			return i;
	return -1;
}

/* "p99.9:" at the beginning; returns what follows. */
static const char *parse_percent(const char *text, double *percent)
{
	char word[16];
	size_t length = strcspn(text, ":");

	if (text[0] != 'p' || !text[length] || length >= sizeof(word))
		return text;
	snprintf(word, length, "%s", text + 1);
	if (tw_percent_parse(word, percent))
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

static void __attribute__((noreturn))
refuse(const struct tw_option *option, const char *value,
       const struct tw_limited *of)
{
	char message[256] = "allowed are US, avg:US and pPERCENT:US, also with METRIC: before it, as in 500 or p99.9:800";
	int i;

	for (i = of->metrics; of->name(i); i++)
		snprintf(message + strlen(message),
			 sizeof(message) - strlen(message), "; and %s:N",
			 of->name(i));
	tw_option_refuse(option, value, message);
}

void tw_limit_parse(const struct tw_option *option, const char *value,
		    const struct tw_limited *of, struct tw_limit *limit)
{
	int about = find(of, value);
	const char *rest = about < 0 ? value : strchr(value, ':') + 1;

	*limit = (struct tw_limit) {
		.text = value, .about = about < 0 ? of->usual : about,
		.counts = about >= of->metrics,
	};
	if (!limit->counts && !strncmp(rest, "avg:", 4)) {
		limit->average = true;
		rest += 4;
	} else if (!limit->counts) {
		rest = parse_percent(rest, &limit->percent);
	}
	if (limit->about < 0 ||
	    !parse_number(rest, limit->counts, &limit->most))
		refuse(option, value, of);
	if (!limit->counts)
		limit->most = round(limit->most * 1e6) / 1e3;
}

uint64_t tw_limit_needed(const struct tw_limit *limit)
{
	return limit->counts ? 0 :
	       limit->percent > 0 ? tw_buckets_needed(limit->percent) : 1;
}

static struct tw_judgment judge(const struct tw_limit *limit,
				const struct tw_limited *of,
				const struct tw_run *run, int result, bool cut)
{
	struct tw_judgment judgment = {
		.result = result, .of = of->value(run, result, limit),
	};

	if (judgment.of.cycles < tw_limit_needed(limit))
		judgment.verdict = TW_UNDECIDED;
	else if (judgment.of.value > limit->most)
		judgment.verdict = TW_EXCEEDED;
	else
		judgment.cut = cut;
	if (judgment.cut)
		judgment.verdict = TW_UNDECIDED;
	return judgment;
}

struct tw_judgment tw_limit_judge(const struct tw_limit *limit,
				  const struct tw_limited *of,
				  const struct tw_run *run, bool cut)
{
	struct tw_judgment worst = judge(limit, of, run, 0, cut), other;
	int i;

	for (i = 1; i < of->results(run); i++) {
		other = judge(limit, of, run, i, cut);
		if (other.verdict > worst.verdict ||
		    (other.verdict == worst.verdict &&
		     other.of.value > worst.of.value))
			worst = other;
	}
	return worst;
}

void tw_limit_print(FILE *file, const struct tw_limit *limit,
		    const struct tw_limited *of, const struct tw_run *run,
		    const struct tw_judgment *judgment)
{
	fprintf(file, "# Limit %s: %s: ", limit->text,
		verdicts[judgment->verdict]);
	if (judgment->cut)
		fprintf(file, "the run was cut short; so far ");
	if (of->results(run) > 1)
		fprintf(file, "%s %d: ", of->noun, judgment->result);
	if (judgment->of.cycles < tw_limit_needed(limit))
		fprintf(file, "%" PRIu64 " cycles, needed are %" PRIu64,
			judgment->of.cycles, tw_limit_needed(limit));
	else if (limit->counts)
		fprintf(file, "%.0f", judgment->of.value);
	else
		fprintf(file, "%.3f us", judgment->of.value / 1000);
	if (!limit->counts && !limit->average && !limit->percent)
		of->where(file, run, judgment->result, limit);
	fputc('\n', file);
}

void tw_limit_json(FILE *file, const struct tw_limit *limit,
		   const struct tw_limited *of,
		   const struct tw_judgment *judgment)
{
	const char *unit = limit->counts ? "" : "_ns";

	fprintf(file, "{ \"limit\": \"%s\", \"metric\": \"%s\", ",
		limit->text, of->name(limit->about));
	if (limit->percent > 0)
		fprintf(file, "\"percentile\": %.10g, ", limit->percent);
	fprintf(file, "\"most%s\": %.15g, \"value%s\": ", unit, limit->most,
		unit);
	if (judgment->verdict == TW_UNDECIDED)
		fprintf(file, "null");
	else
		fprintf(file, "%.15g", judgment->of.value);
	fprintf(file, ", \"%s\": %d, \"verdict\": \"%s\" }", of->noun,
		judgment->result, verdicts[judgment->verdict]);
}
