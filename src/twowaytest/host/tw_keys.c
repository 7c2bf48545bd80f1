// SPDX-License-Identifier: GPL-2.0-or-later
/* What encoding, decoding and JSON have in common; and encoding. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/tw_keys_value.h"

/* In a message, a place for "\xNN" and "..." must be left. */
#define ESCAPE	4
#define CUT	3

char *tw_keys_show(char *buf, size_t size, const char *from, size_t length)
{
	size_t used = 0, i;

	for (i = 0; i < length && used + ESCAPE + CUT < size; i++) {
		unsigned char byte = (unsigned char)from[i];

		if (byte >= 0x20 && byte < 0x7f)
			buf[used++] = (char)byte;
		else
			used += (size_t)sprintf(buf + used, "\\x%02x", byte);
	}
	snprintf(buf + used, size - used, "%s", i < length ? "..." : "");
	return buf;
}

/*
 * The bytes of the character that begins at @at, before @end; 0: TEXT must not
 * have it.
 */
static size_t character(const char *at, const char *end)
{
	static const struct {
		uint32_t first, last;
	} never[] = {
		{ 0, 0x1f }, { 0x7f, 0x9f }, { 0x61c, 0x61c },
		{ 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 },
	};
	uint32_t code;
	size_t length = tw_json_character(at, &code);
	size_t i;

	if (!length || length > (size_t)(end - at))
		return 0;
	for (i = 0; i < sizeof(never) / sizeof(*never); i++)
		if (code >= never[i].first && code <= never[i].last)
			return 0;
	return length;
}

bool tw_keys_printable(const char *text, size_t length)
{
	const char *end = text + length;
	size_t step;

	for (; text < end; text += step) {
		step = character(text, end);
		if (!step)
			return false;
	}
	return true;
}

bool tw_keys_known(const struct tw_key *key, const void *value)
{
	if (key->required)
		return true;
	if (key->kind == TW_KEY_INT)
		return *(const int64_t *)value != TW_KEYS_UNKNOWN;
	return key->kind != TW_KEY_WORD || *(const int *)value >= 0;
}

size_t tw_keys_count(const struct tw_key *key, const void *from)
{
	int64_t count;

	if (!key->stride)
		return 1;
	memcpy(&count, (const char *)from + key->count, sizeof(count));
	if (count < 0)
		return 0;
	return count < key->most ? (size_t)count : key->most;
}

/* What is written, and where. */
struct output {
	char *buf;
	size_t size, used;
	int err;
};

static void put(struct output *output, const void *data, size_t length)
{
	if (length > output->size - output->used) {
		output->err = output->err ? output->err : -EMSGSIZE;
		return;
	}
	memcpy(output->buf + output->used, data, length);
	output->used += length;
}

static void put_int(struct output *output, const struct tw_key *key,
		    const void *value)
{
	int64_t number = *(const int64_t *)value;
	char text[32];

	if (number < key->min || number > key->max)
		output->err = -EINVAL;
	put(output, text, (size_t)snprintf(text, sizeof(text), "%" PRId64,
					   number));
}

static void put_bool(struct output *output, const struct tw_key *key,
		     const void *value)
{
	(void)key;
	put(output, *(const bool *)value ? "1" : "0", 1);
}

static void put_word(struct output *output, const struct tw_key *key,
		     const void *value)
{
	int wanted = *(const int *)value;
	int i;

	for (i = 0; key->words[i]; i++)
		if (i == wanted) {
			put(output, key->words[i], strlen(key->words[i]));
			return;
		}
	output->err = -EINVAL;
}

static void put_text(struct output *output, const struct tw_key *key,
		     const void *value)
{
	const char *at = value;
	const char *end = at + strnlen(value, key->size);
	size_t length;

	if (at + key->size == end)
		output->err = -EINVAL;
	while (at < end) {
		length = character(at, end);
		put(output, length ? at : "?", length ? length : 1);
		at += length ? length : 1;
	}
}

static void put_hex(struct output *output, const struct tw_key *key,
		    const void *value)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *bytes = value;
	size_t i;

	for (i = 0; i < key->size; i++) {
		put(output, &digits[bytes[i] >> 4], 1);
		put(output, &digits[bytes[i] & 0xf], 1);
	}
}

static void put_line(struct output *output, const struct tw_key *key,
		     size_t index, const void *value)
{
	static void (*const writers[])(struct output *output,
				       const struct tw_key *key,
				       const void *value) = {
		[TW_KEY_INT] = put_int, [TW_KEY_BOOL] = put_bool,
		[TW_KEY_WORD] = put_word, [TW_KEY_TEXT] = put_text,
		[TW_KEY_HEX] = put_hex,
	};
	char number[32] = "";

	if (!tw_keys_known(key, value))
		return;
	if (key->stride)
		snprintf(number, sizeof(number), ".%zu", index);
	put(output, key->name, strlen(key->name));
	put(output, number, strlen(number));
	put(output, "=", 1);
	writers[key->kind](output, key, value);
	put(output, "\n", 1);
}

int tw_keys_encode(const struct tw_key *table, const void *from,
		   unsigned int version, char *buf, size_t size)
{
	struct output output = { .buf = buf, .size = size };
	const struct tw_key *key;
	size_t i;

	for (key = table; key->name; key++)
		for (i = 0; i < tw_keys_count(key, from); i++)
			if (key->since <= version)
				put_line(&output, key, i,
					 tw_keys_at(key, from, i));
	return output.err ? output.err : (int)output.used;
}
