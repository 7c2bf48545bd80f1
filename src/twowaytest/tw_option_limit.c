// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses the options --limit, --break-on and --trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt-utils.h"
#include "tw_option.h"

#define AVERAGE	"avg:"
#define MOST	INT64_C(1000000000)	/* us, or how many */

int tw_option_break_on(const struct tw_option *option, const char *value,
		       struct tw_config *config, char *error)
{
	int index = tw_option_find(option, value, error,
				   tw_option_metric_name);

	if (index < 0)
		return index;
	config->break_on = index;
	config->break_on_given = true;
	return 0;
}

int tw_option_trace(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error)
{
	const char *list = value && *value == '+' ? value + 1 : value;

	if (list && (strspn(list, ", ") == strlen(list) ||
		     strlen(list) > 1000 ||
		     strspn(list, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:*?, ") !=
		     strlen(list)))
		return tw_option_error(option, value, error,
				       "allowed is a list of systems (irq), events (sched_switch) or system:event, separated by commas, with + before it for those beside the usual ones");
	config->trace = true;
	config->trace_events = value;
	return 0;
}

/* "99.9" of "p99.9:", up to @end, which it has to reach. */
static bool parse_percent(const char *text, const char *end, double *percent)
{
	char *stop;

	if (strspn(text, "0123456789.") != (size_t)(end - text))
		return false;
	*percent = strtod(text, &stop);
	return stop == end && *percent > 0 && *percent < 100;
}

static bool parse_most(const char *text, int64_t *most)
{
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > 10 || text[digits])
		return false;
	*most = strtoll(text, NULL, 10);
	return *most <= MOST;
}

/* The index of a metric or count; -1: there is none of that name. */
static int find_about(const char *name, size_t length)
{
	const char *known;
	int i;

	for (i = 0; (known = tw_limit_about(i)); i++)
		if (strlen(known) == length && !memcmp(known, name, length))
			return i;
	return -1;
}

/* METRIC:US, METRIC:avg:US, METRIC:pNN.N:US, missed:N, throttled:N */
static bool parse_limit(const char *value, struct tw_limit *limit)
{
	const char *rest = strchr(value, ':');
	const char *colon;

	memset(limit, 0, sizeof(*limit));
	limit->text = value;
	limit->about = rest ? find_about(value, rest - value) : -1;
	if (limit->about < 0)
		return false;
	rest++;
	if (tw_limit_counts(limit))
		return parse_most(rest, &limit->most);
	if (!strncmp(rest, AVERAGE, strlen(AVERAGE))) {
		limit->average = true;
		rest += strlen(AVERAGE);
	} else if (*rest == 'p') {
		colon = strchr(rest, ':');
		if (!colon || !parse_percent(rest + 1, colon, &limit->percent))
			return false;
		rest = colon + 1;
	}
	if (!parse_most(rest, &limit->most))
		return false;
	limit->most *= 1000;
	return true;
}

int tw_option_limit(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error)
{
	struct tw_limit limit;

	if (!parse_limit(value, &limit))
		return tw_option_error(option, value, error,
				       "allowed is METRIC:US, METRIC:avg:US, METRIC:pPERCENT:US, missed:N or throttled:N, as in response:500, total:p99.9:200, missed:0; the number up to %lld",
				       (long long)MOST);
	if (config->limit_count == TW_LIMITS_MAX)
		return tw_option_error(option, value, error,
				       "allowed are up to %d limits",
				       TW_LIMITS_MAX);
	config->limits[config->limit_count++] = limit;
	return 0;
}
