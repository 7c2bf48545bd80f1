/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a client's side asks of a server's side: one line, a JSON array of words
 * that are options of twowaytest. Called by main.
 */
#ifndef TW_ASK_H
#define TW_ASK_H

#include <stdbool.h>
#include <stdio.h>

#define TW_ASK_VERSION	2
#define TW_ASK_MAX	65536	/* bytes of the line */

/*
 * After the version comes the number of steps, unless it is in the options.
 * @load: it runs there.
 */
void tw_ask_write(FILE *file, int steps, bool load);

/*
 * Reads the options out of such a line; returns the number of steps. Ends the
 * program after a message if it is wrong, or asks for what nobody may ask for
 * from another host, or not without a @login there.
 */
int tw_ask_parse(const char *line, bool login);

#endif /* TW_ASK_H */
