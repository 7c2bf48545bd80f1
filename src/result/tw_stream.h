/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A result file that is written while the run lasts. Main never waits for it
 * meanwhile: what a pipe does not take yet is kept in memory. Called by main.
 */
#ifndef TW_STREAM_H
#define TW_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tw_file.h"

struct tw_stream {
	struct tw_file file;
	FILE *text;		/* in memory: print to it */
	char *data;
	size_t size, sent;
	bool begun;		/* what was there is gone */
	uint64_t rows;		/* below the line of names */
	int err;		/* -errno of writing; there was a message */
};

/* The file is open. Ends the program if it fails. */
void tw_stream_open(struct tw_stream *stream);

/* Ends a row. */
void tw_stream_row(struct tw_stream *stream);

/*
 * Writes what can be written now. Returns whether there is room for more. If it
 * fails, so does the run, after a message.
 */
bool tw_stream_push(struct tw_stream *stream, struct tw_run *run);

/*
 * Writes all, and fails if the reader has taken nothing for 5 seconds. Of a run
 * that did not start, what was there stays.
 */
void tw_stream_drain(struct tw_stream *stream, struct tw_run *run);

/*
 * Writes how the run ended and, as the last line, how many rows there are: the
 * file is complete. Returns 0, or -errno after a message.
 */
int tw_stream_finish(struct tw_stream *stream, const struct tw_run *run);

#endif /* TW_STREAM_H */
