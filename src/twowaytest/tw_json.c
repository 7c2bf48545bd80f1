// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tw_json.h"

/* The bytes of the UTF-8 character that begins at @at; 0 if none does. */
static size_t utf8_length(const unsigned char *at)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;	/* smaller ones are overlong */
	} forms[] = {
		{ 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0x80 },
		{ 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 },
	};
	uint32_t code;
	size_t len, i;

	for (len = 0; len < 4; len++)
		if ((at[0] & forms[len].mask) == forms[len].lead)
			break;
	if (len == 4)
		return 0;
	code = at[0] & ~forms[len].mask;
	for (i = 1; i <= len; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	if (code < forms[len].least || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return len + 1;
}

/* One character of @text to @piece; returns how many bytes it had. */
static size_t escape_one(char piece[8], const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t len = utf8_length(at);

	if (!len) {		/* a stray byte */
		strcpy(piece, "\\ufffd");
		return 1;
	}
	if (*at == '"' || *at == '\\')
		snprintf(piece, 8, "\\%c", *at);
	else if (*at < 0x20 || *at == 0x7f)
		snprintf(piece, 8, "\\u%04x", *at);
	else
		snprintf(piece, 8, "%.*s", (int)len, text);
	return len;
}

size_t tw_json_escape(char *buf, size_t size, const char *text)
{
	char piece[8];
	size_t written = 0, used = 0;

	if (size)
		buf[0] = '\0';
	while (*text) {
		text += escape_one(piece, text);
		/* Nothing after the first that does not fit: no gaps. */
		if (written == used && used + strlen(piece) < size) {
			strcpy(buf + used, piece);
			written += strlen(piece);
		}
		used += strlen(piece);
	}
	return used;
}

void tw_json_string(FILE *file, const char *text)
{
	char piece[8];

	if (!text) {
		fputs("null", file);
		return;
	}
	fputc('"', file);
	while (*text) {
		text += escape_one(piece, text);
		fputs(piece, file);
	}
	fputc('"', file);
}
