// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>

#include "tw_say.h"
#include "tw_string.h"

/* Overlong forms, surrogates, and what is above U+10FFFF. */
static bool is_forbidden(const unsigned char *s)
{
	return (*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	       (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f);
}

/* The bytes of the character at @s; 0 if that is not valid UTF-8. */
static int utf8_bytes(const unsigned char *s)
{
	int bytes = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 :
		    *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;
	int i;

	for (i = 1; i < bytes; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return bytes > 2 && is_forbidden(s) ? 0 : bytes;
}

void tw_string_clean(char *text)
{
	unsigned char *s = (unsigned char *)text;
	int bytes;

	for (; *s; s += bytes) {
		bytes = utf8_bytes(s);
		if (bytes == 2 && *s == 0xc2 && s[1] < 0xa0)
			s[1] = '?';
		else if (bytes && *s != 0x7f && (*s >= ' ' || *s == '\t'))
			continue;
		*s = '?';
		bytes = 1;
	}
}

void tw_string_json(FILE *file, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	int bytes;

	fputc('"', file);
	for (; *s; s += bytes ? bytes : 1) {
		bytes = utf8_bytes(s);
		if (!bytes)
			fputs("\\ufffd", file);
		else if (*s == '"' || *s == '\\')
			fprintf(file, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f)
			fprintf(file, "\\u%04x", *s);
		else
			fwrite(s, bytes, 1, file);
	}
	fputc('"', file);
}

FILE *tw_string_open(char **text)
{
	static size_t size;
	FILE *file = open_memstream(text, &size);

	if (!file)
		tw_say_fatal("no memory for a text\n");
	return file;
}
