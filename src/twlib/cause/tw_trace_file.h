/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of a trace, and how it is written to a file. */
#ifndef TW_TRACE_FILE_H
#define TW_TRACE_FILE_H

#include <stdint.h>
#include <stdio.h>

/* What was measured at some time, on the trace's clock. */
struct tw_trace_mark {
	int64_t at_ns;
	const char *what;
};

/*
 * From when on the trace is kept, of what began and ended then: 20 ms, and all
 * since the one before began.
 */
int64_t tw_trace_file_from_ns(int64_t begin_ns, int64_t end_ns,
			      int64_t before_ns);

/*
 * Writes @text, the lines of a trace, with the marks as lines among its own,
 * "# TIME: WHOSE: WHAT". The marks are in order of time.
 */
void tw_trace_file_write(FILE *file, const char *text, const char *whose,
			 const struct tw_trace_mark *marks, int count);

#endif /* TW_TRACE_FILE_H */
