// SPDX-License-Identifier: GPL-2.0-or-later
/* Characters in any bytes. */
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
