// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt-utils.h"
#include "tw_clock.h"
#include "tw_option.h"

static void *field(const struct tw_option *option, struct tw_config *config)
{
	return (char *)config + option->offset;
}

int tw_option_error(const struct tw_option *option, const char *value,
		    char *error, const char *format, ...)
{
	va_list args;
	int used;

	used = snprintf(error, TW_ERROR_MAX, "--%s%s%.100s: ", option->name,
			value ? "=" : "", value ? value : "");
	va_start(args, format);
	vsnprintf(error + used, TW_ERROR_MAX - used, format, args);
	va_end(args);
	return -EINVAL;
}

int tw_option_flag(const struct tw_option *option, const char *value,
		   struct tw_config *config, char *error)
{
	(void)value;
	(void)error;
	*(bool *)field(option, config) = true;
	return 0;
}

/*
 * Digits only, so no sign and no hexadecimal; *end is what follows. Blanks
 * before them are let pass: rteval calls with "-h 3500" in one word.
 */
static int parse_digits(const char *value, const char **end, int64_t *number)
{
	char *stop;

	value += strspn(value, " ");
	if (!isdigit((unsigned char)*value))
		return -EINVAL;
	errno = 0;
	*number = strtoll(value, &stop, 10);
	*end = stop;
	return -errno;
}

int tw_option_number(const struct tw_option *option, const char *value,
		     struct tw_config *config, char *error)
{
	const char *end;
	int64_t number;

	if (parse_digits(value, &end, &number) || *end ||
	    number < option->min || number > option->max)
		return tw_option_error(option, value, error,
				       "allowed is a whole number from %lld to %lld",
				       (long long)option->min,
				       (long long)option->max);
	*(int64_t *)field(option, config) = number;
	return 0;
}

int tw_option_priority(const struct tw_option *option, const char *value,
		       struct tw_config *config, char *error)
{
	if (!tw_option_number(option, value, config, error))
		return 0;
	return tw_option_error(option, value, error,
			       "allowed is a whole number from %lld to %lld, as server and parent process run one and two below",
			       (long long)option->min,
			       (long long)option->max);
}

int tw_option_histofall(const struct tw_option *option, const char *value,
			struct tw_config *config, char *error)
{
	config->histofall = true;
	return tw_option_number(option, value, config, error);
}

int tw_option_duration(const struct tw_option *option, const char *value,
		       struct tw_config *config, char *error)
{
	static const struct {
		const char *suffix;
		int seconds;
	} units[] = {
		{ "", 1 }, { "s", 1 }, { "m", 60 }, { "h", 3600 },
		{ "d", 86400 },
	};
	const char *end;
	int64_t number;
	size_t i;

	if (!parse_digits(value, &end, &number) && number <= option->max)
		for (i = 0; i < ARRAY_SIZE(units); i++)
			if (!strcmp(end, units[i].suffix) &&
			    number <= option->max / units[i].seconds) {
				number *= units[i].seconds;
				*(int64_t *)field(option, config) = number;
				return 0;
			}
	return tw_option_error(option, value, error,
			       "allowed is a whole number of seconds, or with m, h or d of minutes, hours or days; at most %lld s",
			       (long long)option->max);
}

int tw_option_file(const struct tw_option *option, const char *value,
		   struct tw_config *config, char *error)
{
	if (!*value)
		return tw_option_error(option, value, error,
				       "a file name is needed");
	*(const char **)field(option, config) = value;
	return 0;
}

int tw_option_string(const struct tw_option *option, const char *value,
		     struct tw_config *config, char *error)
{
	(void)error;
	*(const char **)field(option, config) = value;
	return 0;
}

int tw_option_find(const struct tw_option *option, const char *value,
		   char *error, tw_option_names names)
{
	char list[256] = "";
	size_t i, used = 0;

	for (i = 0; names(i); i++) {
		if (!strcmp(value, names(i)))
			return (int)i;
		used += snprintf(list + used, sizeof(list) - used, "%s%s",
				 used ? ", " : "", names(i));
	}
	return tw_option_error(option, value, error, "allowed is one of %s",
			       list);
}

static const char *timer_name(size_t index)
{
	return tw_timer_kind(index) ? tw_timer_kind(index)->name : NULL;
}

static const char *wait_name(size_t index)
{
	return tw_wait_kind(index) ? tw_wait_kind(index)->name : NULL;
}

const char *tw_option_metric_name(size_t index)
{
	return index < TW_METRICS ? tw_metrics[index].token : NULL;
}

static const char *total_name(size_t index)
{
	static const char *const names[] = { "documented", "trltp3" };

	return index < ARRAY_SIZE(names) ? names[index] : NULL;
}

const char *tw_option_policy_name(size_t index)
{
	static const char *const names[] = {
		"other", "normal", "batch", "idle", "fifo", "rr",
	};

	return index < ARRAY_SIZE(names) ? names[index] : NULL;
}

int tw_option_clock(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error)
{
	int index;

	/* cyclictest's numbers. */
	if (!strcmp(value, "0") || !strcmp(value, "1"))
		index = *value - '0';
	else
		index = tw_option_find(option, value, error, tw_clock_name);
	if (index < 0)
		return index;
	config->clock = tw_clock_name(index);
	return 0;
}

int tw_option_timer(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error)
{
	int index = tw_option_find(option, value, error, timer_name);

	if (index < 0)
		return index;
	config->timer = tw_timer_kind(index);
	config->timer_given = true;
	return 0;
}

int tw_option_posix(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error)
{
	(void)option;
	(void)value;
	(void)error;
	config->timer = tw_timer_posix;
	config->timer_given = true;
	return 0;
}

int tw_option_wait(const struct tw_option *option, const char *value,
		   struct tw_config *config, char *error)
{
	int index = tw_option_find(option, value, error, wait_name);

	if (index < 0)
		return index;
	config->wait = tw_wait_kind(index);
	return 0;
}

int tw_option_policy(const struct tw_option *option, const char *value,
		     struct tw_config *config, char *error)
{
	int index = tw_option_find(option, value, error, tw_option_policy_name);

	if (index < 0)
		return index;
	config->policy = string_to_policy(value);
	config->policy_given = true;
	return 0;
}

int tw_option_total(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error)
{
	int index = tw_option_find(option, value, error, total_name);

	if (index < 0)
		return index;
	config->total_trltp3 = index == 1;
	return 0;
}

/*
 * The next word of a list, words separated by commas or spaces, into @word;
 * returns what follows it, NULL at the end of the list.
 */
static const char *next_word(const char *list, char *word, size_t size)
{
	size_t len;

	list += strspn(list, ", ");
	len = strcspn(list, ", ");
	if (!len)
		return NULL;
	snprintf(word, size, "%.*s", (int)len, list);
	return list + len;
}

int tw_option_metrics(const struct tw_option *option, const char *value,
		      struct tw_config *config, char *error)
{
	const char *rest = value;
	char word[64];
	int i, id;

	config->metric_count = 0;
	while ((rest = next_word(rest, word, sizeof(word)))) {
		id = tw_option_find(option, word, error,
				    tw_option_metric_name);
		if (id < 0)
			return id;
		for (i = 0; i < config->metric_count; i++)
			if ((int)config->metrics[i] == id)
				return tw_option_error(option, value, error,
						       "%s stands there twice",
						       word);
		config->metrics[config->metric_count++] = id;
	}
	if (!config->metric_count)
		return tw_option_error(option, value, error,
				       "at least one metric is needed");
	return 0;
}

int tw_option_spike(const struct tw_option *option, const char *value,
		    struct tw_config *config, char *error)
{
	const char *colon = strchr(value, ':');
	int id = TW_RESPONSE;
	char word[32];

	if (colon) {
		snprintf(word, sizeof(word), "%.*s", (int)(colon - value),
			 value);
		id = tw_option_find(option, word, error,
				    tw_option_metric_name);
		if (id < 0)
			return id;
		value = colon + 1;
	}
	config->spike_on = id;
	return tw_option_number(option, value, config, error);
}

/* As it will be printed: two that look the same would be one JSON key. */
static bool has_percentile(const struct tw_config *config, double percent)
{
	char this[32], other[32];
	int i;

	snprintf(this, sizeof(this), "%.10g", percent);
	for (i = 0; i < config->percentile_count; i++) {
		snprintf(other, sizeof(other), "%.10g",
			 config->percentiles[i]);
		if (!strcmp(this, other))
			return true;
	}
	return false;
}

int tw_option_percentiles(const struct tw_option *option, const char *value,
			  struct tw_config *config, char *error)
{
	const char *rest = value;
	char word[32], *end;
	double percent;

	config->percentile_count = 0;
	while (rest && (rest = next_word(rest, word, sizeof(word)))) {
		percent = strtod(word, &end);
		if (*end || strspn(word, "0123456789.") != strlen(word) ||
		    !(percent > 0 && percent < 100) ||
		    config->percentile_count == TW_PERCENTILES_MAX)
			return tw_option_error(option, value, error,
					       "allowed are up to %d numbers between 0 and 100, separated by commas",
					       TW_PERCENTILES_MAX);
		if (has_percentile(config, percent))
			return tw_option_error(option, value, error,
					       "%s stands there twice", word);
		config->percentiles[config->percentile_count++] = percent;
	}
	if (value && !config->percentile_count)
		return tw_option_error(option, value, error,
				       "at least one percentile is needed");
	if (!value) {
		config->percentile_count = tw_default_percentile_count;
		memcpy(config->percentiles, tw_default_percentiles,
		       tw_default_percentile_count * sizeof(double));
	}
	return 0;
}
