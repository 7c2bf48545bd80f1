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

/* What is not the value of an option here, but is one there; or NULL. */
struct tw_ask {
	const char *server_cpus;	/* --server-affinity */
	const char *load_cpus;		/* --load-affinity */
	bool load;			/* the load is to run there */
	int steps;			/* how many the run has */
};

/* After the version comes the number of steps, unless it is in the options. */
void tw_ask_write(FILE *file, const struct tw_ask *ask);

/*
 * Reads the options out of such a line; returns the number of steps. Ends the
 * program after a message if it is wrong, or asks for what nobody may ask for
 * from another host, or not without a @login there.
 */
int tw_ask_parse(const char *line, bool login);

#endif /* TW_ASK_H */
