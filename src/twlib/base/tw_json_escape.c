// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a string of JSON. */
#include <string.h>

#include "base/tw_json.h"

size_t tw_json_character(const char *text, uint32_t *code)
{
	const unsigned char *at = (const unsigned char *)text;
	static const struct {
		unsigned char mask, lead;
		uint32_t least;	/* smaller ones are overlong */
	} forms[] = {
		{ 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0x80 },
		{ 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 },
	};
	size_t len, i;

	for (len = 0; len < 4; len++)
		if ((at[0] & forms[len].mask) == forms[len].lead)
			break;
	if (len == 4)
		return 0;
	*code = at[0] & ~forms[len].mask;
	for (i = 1; i <= len; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (at[i] & 0x3f);
	}
	if (*code < forms[len].least || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return len + 1;
}

size_t tw_json_escape_one(char piece[8], const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	uint32_t code;
	size_t len = tw_json_character(text, &code);

	if (!len) {		/* not valid UTF-8 */
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
		text += tw_json_escape_one(piece, text);
		/* After the first that does not fit, nothing is written. */
		if (written == used && used + strlen(piece) < size) {
			strcpy(buf + used, piece);
			written += strlen(piece);
		}
		used += strlen(piece);
	}
	return used;
}
