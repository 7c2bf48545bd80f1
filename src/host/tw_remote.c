// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_remote.h"

#define LEVELS		32
#define DIGITS_MAX	20

static const char *skip(const char *at)
{
	return at + strspn(at, " ");
}

/* After the quotation mark. */
static const char *string_end(const char *at)
{
	for (; *at && *at != '"'; at++) {
		if (*at != '\\')
			continue;
		at++;
		if (*at == 'u' && strspn(at + 1, "0123456789abcdef") >= 4)
			at += 4;
		else if (*at != '"' && *at != '\\')
			return NULL;
	}
	return *at ? at + 1 : NULL;
}

static const char *digits_end(const char *at)
{
	size_t digits = strspn(at, "0123456789");

	return digits && digits <= DIGITS_MAX ? at + digits : NULL;
}

static const char *number_end(const char *at)
{
	const char *first = at + (*at == '-');

	at = digits_end(first);
	if (!at || (*first == '0' && at > first + 1))
		return NULL;
	return *at == '.' ? digits_end(at + 1) : at;
}

static const char *plain_end(const char *at)
{
	static const char *const words[] = { "true", "false", "null", NULL };
	int i;

	for (i = 0; words[i]; i++)
		if (!strncmp(at, words[i], strlen(words[i])))
			return at + strlen(words[i]);
	return *at == '"' ? string_end(at + 1) : number_end(at);
}

static const char *value_end(const char *at, int levels)
{
	char last = *at == '{' ? '}' : ']';

	if (*at != '{' && *at != '[')
		return plain_end(at);
	at = skip(at + 1);
	if (*at == last || !levels)
		return levels ? at + 1 : NULL;
	for (;;) {
		if (last == '}') {
			at = *at == '"' ? string_end(at + 1) : NULL;
			at = at ? skip(at) : "";
			if (*at++ != ':')
				return NULL;
		}
		at = value_end(skip(at), levels - 1);
		at = at ? skip(at) : "";
		if (*at == last)
			return at + 1;
		if (*at != ',')
			return NULL;
		at = skip(at + 1);
	}
}

const char *tw_remote_end(const char *text)
{
	return value_end(text, LEVELS);
}

char *tw_remote_string(char *text)
{
	char *end = *text == '"' ? (char *)string_end(text + 1) : NULL;
	char *from, *to = text;
	unsigned int code;

	if (!end)
		return NULL;
	for (from = text + 1; from < end - 1; from++) {
		bool escape = *from == '\\';

		from += escape;
		if (!escape || sscanf(from, "u%4x", &code) != 1) {
			*to++ = *from;
			continue;
		}
		*to++ = code && code < 256 ? (char)code : '?';
		from += 4;
	}
	*to = '\0';
	return end;
}

int tw_remote_numbers(const char *array, int64_t max, int64_t to[], int count)
{
	const char *at = array;
	char *end;
	int i;

	for (i = 0; i < count && *at == (i ? ',' : '['); i++) {
		errno = 0;
		to[i] = strtoll(at + 1, &end, 10);
		if (errno || end == at + 1 || to[i] > max || to[i] < -max)
			break;
		at = end;
	}
	return i;
}
