/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace's text, as the kernel prints it. */
#ifndef TW_TRACE_TEXT_H
#define TW_TRACE_TEXT_H

#include <stdint.h>
#include <stdio.h>

/*
 * The lines of @file from @from_ns on, by the trace's clock, and those without
 * a time: to *text, which the caller frees. Tasks that the kernel had no name
 * for get the one that a switch has told before. 0 or -errno.
 */
int tw_trace_filter(FILE *file, int64_t from_ns, char **text);

#endif /* TW_TRACE_TEXT_H */
