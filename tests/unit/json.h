/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a text is JSON, by its grammar: no more than that. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

/* Each reads what its name says from @at; what follows, NULL if it is none. */
static inline const char *json_value(const char *at);

static inline const char *json_blank(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

static inline const char *json_text(const char *at)
{
	if (*at++ != '"')
		return NULL;
	for (; *at != '"'; at++) {
		if ((unsigned char)*at < ' ')
			return NULL;
		if (*at != '\\')
			continue;
		at++;
		if (*at == 'u' &&
		    strspn(at + 1, "0123456789abcdefABCDEF") >= 4)
			at += 4;
		else if (!*at || !strchr("\"\\/bfnrt", *at))
			return NULL;
	}
	return at + 1;
}

static inline const char *json_number(const char *at)
{
	static const char digits[] = "0123456789";
	size_t count;

	at += *at == '-';
	count = strspn(at, digits);
	if (!count || (count > 1 && *at == '0'))
		return NULL;
	at += count;
	if (*at != '.')
		return at;
	count = strspn(++at, digits);
	return count ? at + count : NULL;
}

/* The members of an array, or with names, of an object. */
static inline const char *json_members(const char *at, char end, bool named)
{
	at = json_blank(at);
	if (*at == end)
		return at + 1;
	for (;;) {
		if (named) {
			at = json_text(json_blank(at));
			if (!at)
				return NULL;
			at = json_blank(at);
			if (*at++ != ':')
				return NULL;
		}
		at = json_value(at);
		if (!at)
			return NULL;
		at = json_blank(at);
		if (*at != ',')
			return *at == end ? at + 1 : NULL;
		at++;
	}
}

static inline const char *json_value(const char *at)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t i;

	at = json_blank(at);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(at, words[i], strlen(words[i])))
			return at + strlen(words[i]);
	switch (*at) {
	case '{':
		return json_members(at + 1, '}', true);
	case '[':
		return json_members(at + 1, ']', false);
	case '"':
		return json_text(at);
	default:
		return json_number(at);
	}
}

/* @text: the members of an object. */
static inline void assert_members(const char *text)
{
	static char whole[1 << 20];
	const char *end;
	int len = snprintf(whole, sizeof(whole), "{%s}", text);

	assert_true(len > 0 && len < (int)sizeof(whole));
	end = json_value(whole);
	if (!end || *json_blank(end))
		fail_msg("no JSON:\n%s", whole);
}

#endif /* JSON_H */
