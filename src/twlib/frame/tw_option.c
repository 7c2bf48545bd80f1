// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt-utils.h"
#include "frame/tw_run.h"

int tw_option_error(const struct tw_option *option, const char *value,
		    struct tw_run *run, const char *format, ...)
{
	char message[TW_ERROR_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return tw_fail(run, -EINVAL, "--%s%s%.100s: %s", option->name,
		       value ? "=" : "", value ? value : "", message);
}

int tw_option_flag(const struct tw_option *option, const char *value,
		   struct tw_run *run)
{
	(void)value;
	(void)run;
	*(bool *)option->to = true;
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
		     struct tw_run *run)
{
	const char *end;
	int64_t number;

	if (parse_digits(value, &end, &number) || *end ||
	    number < option->min || number > option->max)
		return tw_option_error(option, value, run,
				       "allowed is a whole number from %lld to %lld%s",
				       (long long)option->min,
				       (long long)option->max,
				       option->more ? option->more : "");
	*(int64_t *)option->to = number;
	return 0;
}

int tw_option_duration(const struct tw_option *option, const char *value,
		       struct tw_run *run)
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
				if (number < option->min)
					break;
				*(int64_t *)option->to = number;
				return 0;
			}
	return tw_option_error(option, value, run,
			       "allowed is a whole number of seconds, or with m, h or d of minutes, hours or days; %sat most %lld s",
			       option->min ? "more than 0 and " : "",
			       (long long)option->max);
}

int tw_option_file(const struct tw_option *option, const char *value,
		   struct tw_run *run)
{
	if (!*value)
		return tw_option_error(option, value, run,
				       "a file name is needed");
	*(const char **)option->to = value;
	return 0;
}

int tw_option_string(const struct tw_option *option, const char *value,
		     struct tw_run *run)
{
	(void)run;
	*(const char **)option->to = value;
	return 0;
}

static int refuse_word(const struct tw_option *option, const char *word,
		       struct tw_run *run, const char *const names[])
{
	char list[256] = "";
	size_t i, used = 0;

	for (i = 0; names[i] && used < sizeof(list); i++)
		used += snprintf(list + used, sizeof(list) - used, "%s%s",
				 used ? ", " : "", names[i]);
	return tw_option_error(option, word, run, "allowed is one of %s",
			       list);
}

int tw_option_find(const struct tw_option *option, const char *word,
		   struct tw_run *run, const char *const names[])
{
	int i;

	for (i = 0; names[i]; i++)
		if (!strcmp(word, names[i]))
			return i;
	return refuse_word(option, word, run, names);
}

int tw_option_kind(const struct tw_option *option, const char *value,
		   struct tw_run *run)
{
	const void *const *kinds = option->kinds;
	const char *names[TW_KINDS_MAX + 1] = { NULL };
	int i, found;

	/* A pointer to a struct is one to its first member, the name. */
	for (i = 0; kinds[i] && i < TW_KINDS_MAX; i++)
		names[i] = *(const char *const *)kinds[i];
	found = tw_option_find(option, value, run, names);
	if (found < 0)
		return found;
	*(const void **)option->to = kinds[found];
	return 0;
}

int tw_option_word(const struct tw_option *option, const char *value,
		   struct tw_run *run)
{
	int found = tw_option_find(option, value, run, option->kinds);

	if (found < 0)
		return found;
	*(int *)option->to = found;
	return 0;
}

int tw_option_policy(const struct tw_option *option, const char *value,
		     struct tw_run *run)
{
	static const char *const names[] = {
		"other", "normal", "batch", "idle", "fifo", "rr", NULL
	};
	int found = tw_option_find(option, value, run, names);

	if (found < 0)
		return found;
	*(int *)option->to = string_to_policy(value);
	return 0;
}

const char *tw_option_next_word(const char *list, char *word, size_t size)
{
	size_t len;

	list += strspn(list, ", ");
	len = strcspn(list, ", ");
	if (!len)
		return NULL;
	snprintf(word, size, "%.*s", (int)len, list);
	return list + len;
}
