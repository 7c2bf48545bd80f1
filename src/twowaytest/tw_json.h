/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings of any origin as JSON. */
#ifndef TW_JSON_H
#define TW_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Writes @text to @buf of @size bytes, escaped for the inside of a JSON
 * string: valid UTF-8 whatever @text holds. Returns the length, without the
 * final NUL, that it takes (as snprintf: not all is there if that is @size
 * or more). 6 bytes for each of @text are enough.
 */
size_t tw_json_escape(char *buf, size_t size, const char *text);

/* Writes @text, quoted and escaped; null if it is NULL. */
void tw_json_string(FILE *file, const char *text);

static inline const char *tw_json_bool(bool value)
{
	return value ? "true" : "false";
}

#endif /* TW_JSON_H */
