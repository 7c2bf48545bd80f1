// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words, numbers and results from another host, which are read within their
 * bounds. Whatever comes as results, what is made of it is JSON.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_lines.h"

#define NUMBERS	4
#define MOST	5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static const char *skip(const char *at)
{
	return at + strspn(at, " ");
}

/* After the quotation mark. */
static const char *string_end(const char *at)
{
	for (; *at != '"'; at++) {
		require(*at);
		if (*at != '\\')
			continue;
		at++;
		if (*at == 'u')
			require(strspn(at + 1, "0123456789abcdef") >= 4);
		else
			require(*at == '"' || *at == '\\');
	}
	return at + 1;
}

static const char *digits_end(const char *at)
{
	size_t digits = strspn(at, "0123456789");

	require(digits);
	return at + digits;
}

static const char *plain_end(const char *at)
{
	static const char *const words[] = { "true", "false", "null" };
	const char *first;
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(at, words[i], strlen(words[i])))
			return at + strlen(words[i]);
	if (*at == '"')
		return string_end(at + 1);
	first = at + (*at == '-');
	at = digits_end(first);
	require(*first != '0' || at == first + 1);
	return *at == '.' ? digits_end(at + 1) : at;
}

static const char *value_end(const char *at)
{
	char last = *at == '{' ? '}' : ']';

	if (*at != '{' && *at != '[')
		return plain_end(at);
	at = skip(at + 1);
	if (*at == last)
		return at + 1;
	for (;;) {
		if (last == '}') {
			require(*at == '"');
			at = skip(string_end(at + 1));
			require(*at++ == ':');
		}
		at = skip(value_end(skip(at)));
		if (*at == last)
			return at + 1;
		require(*at == ',');
		at = skip(at + 1);
	}
}

/* Of the lines of the text until they are no results or have an end. */
static void read_results(char *text)
{
	struct tw_lines_json json = { .level = 0 };
	char *made = NULL, *line;
	size_t size = 0;

	json.file = open_memstream(&made, &size);
	require(json.file);
	while ((line = strsep(&text, "\n")) && tw_lines_read_json(&json, line)) {
		require(json.level >= 0 && json.level <= TW_LINES_LEVELS);
		if (!json.level)
			break;
	}
	fclose(json.file);
	if (!json.level && json.more)
		require(!*value_end(made));
	free(made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), *word = calloc(1, size + 1);
	int64_t numbers[NUMBERS];
	int i, count;

	require(text && word);
	memcpy(text, data, size);
	memcpy(word, data, size);
	count = tw_lines_numbers(text, MOST, numbers, NUMBERS);
	for (i = 0; i < count; i++)
		require(numbers[i] <= MOST && numbers[i] >= -MOST);
	tw_lines_read_word(word);
	require(strlen(word) <= strlen(text));
	read_results(text);
	free(text);
	free(word);
	return 0;
}
