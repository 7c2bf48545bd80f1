// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "host/tw_keys_value.h"

static void write_int(struct tw_json *json, const struct tw_key *key,
		      const char *name, const void *value)
{
	(void)key;
	tw_json_int(json, name, *(const int64_t *)value);
}

static void write_bool(struct tw_json *json, const struct tw_key *key,
		       const char *name, const void *value)
{
	(void)key;
	tw_json_bool(json, name, *(const bool *)value);
}

static void write_word(struct tw_json *json, const struct tw_key *key,
		       const char *name, const void *value)
{
	tw_json_text(json, name, key->words[*(const int *)value]);
}

static void write_text(struct tw_json *json, const struct tw_key *key,
		       const char *name, const void *value)
{
	(void)key;
	tw_json_text(json, name, value);
}

static void write_hex(struct tw_json *json, const struct tw_key *key,
		      const char *name, const void *value)
{
	char text[2 * TW_KEYS_TEXT + 1] = "";
	const uint8_t *bytes = value;
	size_t i;

	for (i = 0; i < key->size && i < TW_KEYS_TEXT; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	tw_json_text(json, name, text);
}

static void write_value(struct tw_json *json, const struct tw_key *key,
			const char *name, const void *value)
{
	static void (*const writers[])(struct tw_json *json,
				       const struct tw_key *key,
				       const char *name, const void *value) = {
		[TW_KEY_INT] = write_int, [TW_KEY_BOOL] = write_bool,
		[TW_KEY_WORD] = write_word, [TW_KEY_TEXT] = write_text,
		[TW_KEY_HEX] = write_hex,
	};

	if (tw_keys_known(key, value))
		writers[key->kind](json, key, name, value);
	else
		tw_json_null(json, name);
}

static void write_values(struct tw_json *json, const struct tw_key *key,
			 const void *from)
{
	size_t i;

	tw_json_begin_line(json, key->name, '[');
	for (i = 0; i < tw_keys_count(key, from); i++)
		write_value(json, key, NULL, tw_keys_at(key, from, i));
	tw_json_end(json);
}

void tw_keys_json(struct tw_json *json, const struct tw_key *table,
		  const void *from)
{
	const struct tw_key *key;

	for (key = table; key->name; key++) {
		if (key->secret)
			continue;
		if (key->stride)
			write_values(json, key, from);
		else
			write_value(json, key, key->name,
				    tw_keys_at(key, from, 0));
	}
}
