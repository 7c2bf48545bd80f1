// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tw_remote.h"

#define LEVELS	32
#define DIGITS	20
#define HEX	"0123456789abcdefABCDEF"

static const char *skip(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

static const char *string_end(const char *at)
{
	for (at++; (unsigned char)*at >= ' '; at++) {
		if (*at == '"')
			return at + 1;
		if (*at != '\\')
			continue;
		at++;
		if (*at == 'u' && strspn(at + 1, HEX) >= 4)
			at += 4;
		else if (!*at || !strchr("\"\\/bfnrt", *at))
			return NULL;
	}
	return NULL;
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
			at = *at == '"' ? string_end(at) : NULL;
			at = at ? skip(at) : "";
			if (*at++ != ':')
				return NULL;
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
		return string_end(at);
	return *at == '-' || (*at >= '0' && *at <= '9') ? number_end(at) :
	       word_end(at);
}

const char *tw_remote_end(const char *text)
{
	return value_end(text, LEVELS);
}

const char *tw_remote_first(const char *array)
{
	array = array ? skip(array) : "";
	if (*array != '[' && *array != '{')
		return NULL;
	array = skip(array + 1);
	return *array == ']' || *array == '}' ? NULL : array;
}

const char *tw_remote_next(const char *value)
{
	value = skip(tw_remote_end(value));
	return *value == ',' ? skip(value + 1) : NULL;
}

const char *tw_remote_member(const char *object, const char *name)
{
	const char *at = *skip(object) == '{' ? tw_remote_first(object) : NULL;
	size_t length = strlen(name);

	while (at) {
		const char *value = skip(skip(string_end(at)) + 1);

		if (!strncmp(at + 1, name, length) && at[length + 1] == '"')
			return value;
		at = tw_remote_next(value);
	}
	return NULL;
}

/* The character after "\"; of \u, those above 255 are not needed. */
static char unescape(const char **at)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	char digits[5] = { 0 };
	const char *found;
	long code;

	if (**at == 'u') {
		memcpy(digits, *at + 1, 4);
		*at += 4;
		code = strtol(digits, NULL, 16);
		return code && code < 256 ? (char)code : '?';
	}
	found = strchr(from, **at);
	return found ? to[found - from] : **at;
}

bool tw_remote_string(const char *value, char *to, size_t size, bool raw)
{
	const char *at = value ? skip(value) : "";
	char *end = to + size - 1;

	if (*at++ != '"')
		return false;
	for (; *at != '"'; at++) {
		char byte = *at;

		if (to == end)
			return false;
		if (byte == '\\') {
			at++;
			byte = unescape(&at);
		}
		*to++ = raw || (byte >= ' ' && byte < 127) || byte == '\n' ?
			byte : '?';
	}
	*to = '\0';
	return true;
}

bool tw_remote_number(const char *value, int64_t min, int64_t max,
		     int64_t *number)
{
	const char *end = value ? tw_remote_end(value) : NULL;
	char *last;

	if (!end)
		return false;
	errno = 0;
	*number = strtoll(skip(value), &last, 10);
	return !errno && last == end && *number >= min && *number <= max;
}
