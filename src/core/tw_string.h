/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts; and words of users, files and other hosts, which may have any bytes. */
#ifndef TW_STRING_H
#define TW_STRING_H

#include <stdio.h>

/* What a terminal would obey, or is not UTF-8, becomes '?'; a tab stays. */
void tw_string_clean(char *text);

/* Writes @text with quotes; a byte that is not UTF-8 becomes U+FFFD. */
void tw_string_json(FILE *file, const char *text);

/*
 * A stream to @text, which is valid once it is closed, for free(). Ends the
 * program if there is no memory.
 */
FILE *tw_string_open(char **text);

#endif /* TW_STRING_H */
