// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/tw_keys_value.h"

#define SHOWN	64		/* of a key or value in a message */

/* A part of the body. */
struct piece {
	const char *at;
	size_t length;
};

struct input {
	const struct tw_key *table;
	void *to;
	unsigned int version;
	struct tw_keys_notes *notes;
	struct piece unknown;	/* the last key listed */
	/* Bit K of key i of the table: value K is there. */
	uint64_t seen[TW_KEYS_MAX][TW_KEYS_REPEAT / 64];
};

static int refuse(const struct input *input, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(const struct input *input, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(input->notes->why, sizeof(input->notes->why), format, args);
	va_end(args);
	return err;
}

/* A number that is written as we would write it. */
static bool read_number(struct piece text, int64_t *number)
{
	char copy[24], again[24];

	if (text.length >= sizeof(copy))
		return false;
	memcpy(copy, text.at, text.length);
	copy[text.length] = '\0';
	*number = strtoll(copy, NULL, 10);
	snprintf(again, sizeof(again), "%" PRId64, *number);
	return strlen(again) == text.length &&
	       !memcmp(copy, again, text.length);
}

static bool get_int(const struct tw_key *key, struct piece text, void *value)
{
	int64_t number;

	if (!read_number(text, &number) || number < key->min ||
	    number > key->max)
		return false;
	*(int64_t *)value = number;
	return true;
}

static bool get_bool(const struct tw_key *key, struct piece text, void *value)
{
	(void)key;
	if (text.length != 1 || (*text.at != '0' && *text.at != '1'))
		return false;
	*(bool *)value = *text.at == '1';
	return true;
}

static bool is_word(struct piece text, const char *word)
{
	return strlen(word) == text.length &&
	       !memcmp(word, text.at, text.length);
}

static bool get_word(const struct tw_key *key, struct piece text, void *value)
{
	int i;

	for (i = 0; key->words[i]; i++)
		if (is_word(text, key->words[i])) {
			*(int *)value = i;
			return true;
		}
	return false;
}

static bool get_text(const struct tw_key *key, struct piece text, void *value)
{
	if (text.length >= key->size ||
	    !tw_keys_printable(text.at, text.length))
		return false;
	memcpy(value, text.at, text.length);
	((char *)value)[text.length] = '\0';
	return true;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool get_hex(const struct tw_key *key, struct piece text, void *value)
{
	uint8_t *bytes = value;
	size_t i;

	if (text.length != 2 * key->size)
		return false;
	for (i = 0; i < text.length; i++)
		if (digit(text.at[i]) < 0)
			return false;
	for (i = 0; i < key->size; i++)
		bytes[i] = (uint8_t)(digit(text.at[2 * i]) << 4 |
				     digit(text.at[2 * i + 1]));
	return true;
}

static void say_words(const struct tw_key *key, char *buf, size_t size)
{
	size_t used = 0, i;

	for (i = 0; key->words[i] && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 i ? ", " : "", key->words[i]);
}

/* What is allowed. */
static void say_allowed(const struct tw_key *key, char *buf, size_t size)
{
	switch (key->kind) {
	case TW_KEY_INT:
		snprintf(buf, size, "numbers from %" PRId64 " to %" PRId64,
			 key->min, key->max);
		break;
	case TW_KEY_BOOL:
		snprintf(buf, size, "0, 1");
		break;
	case TW_KEY_WORD:
		say_words(key, buf, size);
		break;
	case TW_KEY_TEXT:
		snprintf(buf, size, "at most %zu bytes of printable UTF-8",
			 key->size - 1);
		break;
	case TW_KEY_HEX:
		snprintf(buf, size, "%zu digits of 0-9, a-f", 2 * key->size);
		break;
	}
}

static int refuse_value(const struct input *input, const struct tw_key *key,
			struct piece name, struct piece text)
{
	char shown[SHOWN] = "(not shown)", allowed[128];

	if (!key->secret)
		tw_keys_show(shown, sizeof(shown), text.at, text.length);
	say_allowed(key, allowed, sizeof(allowed));
	return refuse(input, -EINVAL, "%.*s=%s: allowed: %s",
		      (int)name.length, name.at, shown, allowed);
}

static int set_value(const struct input *input, const struct tw_key *key,
		     struct piece name, size_t index, struct piece text)
{
	static bool (*const readers[])(const struct tw_key *key,
				       struct piece text, void *value) = {
		[TW_KEY_INT] = get_int, [TW_KEY_BOOL] = get_bool,
		[TW_KEY_WORD] = get_word, [TW_KEY_TEXT] = get_text,
		[TW_KEY_HEX] = get_hex,
	};
	void *value = (char *)input->to + key->offset + index * key->stride;

	if (readers[key->kind](key, text, value))
		return 0;
	return refuse_value(input, key, name, text);
}

/* "name.K" to its parts; false: no ".K". */
static bool split(struct piece full, struct piece *name, int64_t *index)
{
	const char *dot = memchr(full.at, '.', full.length);
	struct piece number;

	*name = full;
	*index = 0;
	if (!dot)
		return false;
	name->length = (size_t)(dot - full.at);
	number.at = dot + 1;
	number.length = full.length - name->length - 1;
	if (read_number(number, index) && *index >= 0)
		return true;
	*name = full;
	return false;
}

static int note_unknown(struct input *input, struct piece full,
			struct piece name)
{
	struct tw_keys_notes *notes = input->notes;
	size_t used = strlen(notes->unknown);
	char shown[SHOWN];

	if (!notes->list_unknown)
		return refuse(input, -EINVAL, "unknown key \"%s\"",
			      tw_keys_show(shown, sizeof(shown), full.at,
					   full.length));
	/* The values of all pairs are one key. */
	if (input->unknown.at && name.length == input->unknown.length &&
	    !memcmp(name.at, input->unknown.at, name.length))
		return 0;
	input->unknown = name;
	notes->unknown_count++;
	tw_keys_show(shown, sizeof(shown), name.at, name.length);
	snprintf(notes->unknown + used, sizeof(notes->unknown) - used, "%s%s",
		 used ? ", " : "", shown);
	return 0;
}

static int take_value(struct input *input, struct piece full,
		      struct piece text)
{
	const struct tw_key *key;
	struct piece name;
	int64_t index;
	bool indexed = split(full, &name, &index);
	uint64_t *seen;

	for (key = input->table; key->name; key++)
		if (is_word(name, key->name) &&
		    key->since <= input->version &&
		    indexed == (key->stride != 0))
			break;
	if (!key->name)
		return note_unknown(input, full, name);
	if (indexed && index >= key->most)
		return refuse(input, -EINVAL,
			      "%s.%" PRId64 ": the highest is %s.%u",
			      key->name, index, key->name, key->most - 1);
	seen = &input->seen[key - input->table][index / 64];
	if (*seen >> index % 64 & 1)
		return refuse(input, -EPROTO, "%.*s is there twice",
			      (int)full.length, full.at);
	*seen |= UINT64_C(1) << index % 64;
	return set_value(input, key, full, (size_t)index, text);
}

static int take_line(struct input *input, struct piece line)
{
	const char *equals = memchr(line.at, '=', line.length);
	struct piece name, text;
	char shown[SHOWN];

	tw_keys_show(shown, sizeof(shown), line.at, line.length);
	if (memchr(line.at, '\0', line.length))
		return refuse(input, -EPROTO, "a line has a NUL byte: %s",
			      shown);
	if (!equals)
		return refuse(input, -EPROTO, "a line has no \"=\": %s",
			      shown);
	name.at = line.at;
	name.length = (size_t)(equals - line.at);
	text.at = equals + 1;
	text.length = line.length - name.length - 1;
	return take_value(input, name, text);
}

/* The value @index is there, or need not be. */
static int check_one(const struct input *input, const struct tw_key *key,
		     size_t index, size_t count)
{
	const uint64_t *seen = input->seen[key - input->table];
	char number[32] = "";

	if (key->stride)
		snprintf(number, sizeof(number), ".%zu", index);
	if (!(seen[index / 64] >> index % 64 & 1))
		return index < count && key->required ?
		       refuse(input, -EINVAL, "key %s%s is missing",
			      key->name, number) : 0;
	if (index < count)
		return 0;
	return refuse(input, -EINVAL, "%s%s: there are only %zu of them",
		      key->name, number, count);
}

/* @repeated ones are checked last: then it is known how many there are. */
static int check_keys(const struct input *input, bool repeated)
{
	const struct tw_key *key;
	size_t count, i;
	int err = 0;

	for (key = input->table; key->name && !err; key++) {
		if (key->since > input->version ||
		    repeated != (key->stride != 0))
			continue;
		count = tw_keys_count(key, input->to);
		for (i = 0; i < (repeated ? key->most : 1) && !err; i++)
			err = check_one(input, key, i, count);
	}
	return err;
}

int tw_keys_decode(const struct tw_key *table, void *to, unsigned int version,
		   const char *body, size_t length,
		   struct tw_keys_notes *notes)
{
	struct input input = {
		.table = table, .to = to, .version = version, .notes = notes,
	};
	const char *end = body + length;
	struct piece line = { .at = body };
	const char *newline;
	int err = 0;

	for (; line.at < end && !err; line.at = newline + 1) {
		newline = memchr(line.at, '\n', (size_t)(end - line.at));
		if (!newline)
			return refuse(&input, -EPROTO,
				      "the last line has no end");
		line.length = (size_t)(newline - line.at);
		err = take_line(&input, line);
	}
	if (!err)
		err = check_keys(&input, false);
	return err ? err : check_keys(&input, true);
}
