/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of a trace, as the kernel prints it. */
#ifndef TW_TRACE_TEXT_H
#define TW_TRACE_TEXT_H

#include <stdint.h>
#include <stdio.h>

/*
 * Copies the lines of @file with a time from @from_ns (trace clock) on, and the
 * lines without a time, to *text, which the caller frees. Where the kernel
 * prints no task name ("<...>"), inserts the name from an earlier sched_switch.
 * If that is more than about @most bytes, only the last ones are kept, at least
 * half of @most; *cut is how many bytes were left out before. Returns 0; or
 * -errno, then *text is NULL.
 */
int tw_trace_filter(FILE *file, int64_t from_ns, size_t most, char **text,
		    size_t *cut);

#endif /* TW_TRACE_TEXT_H */
