// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tw_remote.h"

#define LEVELS		32
#define DIGITS		20
#define PRINTED_MAX	16384	/* bytes */

static const char *skip(const char *at)
{
	return at + strspn(at, " ");
}

/* After the "\": of \u, those above 255 are not needed. -1: it is none. */
static int escaped(const char *at)
{
	char digits[5] = { 0 };
	long code;

	if (*at != 'u')
		return *at == '"' || *at == '\\' ? *at : -1;
	if (strspn(at + 1, "0123456789abcdef") < 4)
		return -1;
	memcpy(digits, at + 1, 4);
	code = strtol(digits, NULL, 16);
	return code && code < 256 ? (int)code : '?';
}

/* Its text goes to @to, unless that is NULL; it must fit into @size bytes. */
static const char *string_end(const char *at, char *to, size_t size)
{
	size_t used = 0;

	if (*at++ != '"')
		return NULL;
	for (; *at != '"'; at++) {
		int byte = (unsigned char)*at;

		if (byte < ' ')
			return NULL;
		if (byte == '\\') {
			byte = escaped(++at);
			if (byte < 0)
				return NULL;
			at += *at == 'u' ? 4 : 0;
		}
		if (to && used + 1 < size)
			to[used] = (char)byte;
		used++;
	}
	if (to && used >= size)
		return NULL;
	if (to)
		to[used] = '\0';
	return at + 1;
}

static const char *digits_end(const char *at)
{
	size_t digits = strspn(at, "0123456789");

	return digits && digits <= DIGITS ? at + digits : NULL;
}

static const char *number_end(const char *at)
{
	const char *first = at + (*at == '-');

	at = digits_end(first);
	if (!at || (*first == '0' && at > first + 1))
		return NULL;
	return *at == '.' ? digits_end(at + 1) : at;
}

static const char *word_end(const char *at)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t i;

	for (i = 0; i < 3; i++)
		if (!strncmp(at, words[i], strlen(words[i])))
			return at + strlen(words[i]);
	return NULL;
}

static const char *value_end(const char *at, int levels);

/* Of an object or an array, after its first character. */
static const char *rest_end(const char *at, char last, int levels)
{
	at = skip(at);
	if (*at == last)
		return at + 1;
	while (at) {
		if (last == '}') {
			at = string_end(at, NULL, 0);
			at = at ? skip(at) : "";
			at = *at == ':' ? at + 1 : "";
		}
		at = value_end(at, levels);
		at = at ? skip(at) : "";
		if (*at == last)
			return at + 1;
		at = *at == ',' ? skip(at + 1) : NULL;
	}
	return NULL;
}

static const char *value_end(const char *at, int levels)
{
	at = skip(at);
	if (*at == '{' || *at == '[')
		return levels ? rest_end(at + 1, *at == '{' ? '}' : ']',
					 levels - 1) : NULL;
	if (*at == '"')
		return string_end(at, NULL, 0);
	return *at == '-' || (*at >= '0' && *at <= '9') ? number_end(at) :
	       word_end(at);
}

const char *tw_remote_end(const char *text)
{
	return value_end(text, LEVELS);
}

const char *tw_remote_string(const char *text, char *to, size_t size)
{
	return string_end(text, to, size);
}

bool tw_remote_print(FILE *file, const char *name, const char *string)
{
	static char text[PRINTED_MAX];
	char *line, *next = text, *at;

	if (!string_end(string, text, sizeof(text)))
		return false;
	while ((line = strsep(&next, "\n"))) {
		for (at = line; *at; at++)
			if (*at < ' ' || *at > 126)
				*at = '?';
		if (*line)
			fprintf(file, "%s%s\n", strncmp(line, name,
				strlen(name)) ? name : "", line);
	}
	return true;
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
