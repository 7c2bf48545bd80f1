/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any strings as JSON. */
#ifndef TW_JSON_H
#define TW_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Writes @text to @buf (@size bytes), escaped for a JSON string. The result is
 * valid UTF-8 for any @text. Returns its length without the final NUL; if this
 * is @size or more, the result was cut. A character needs at most 6 bytes.
 */
size_t tw_json_escape(char *buf, size_t size, const char *text);

/* Writes @text quoted and escaped, or null if it is NULL. */
void tw_json_string(FILE *file, const char *text);

static inline const char *tw_json_bool(bool value)
{
	return value ? "true" : "false";
}

#endif /* TW_JSON_H */
