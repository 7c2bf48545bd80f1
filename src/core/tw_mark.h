/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks in the kernel's trace. What fails is a warning. */
#ifndef TW_MARK_H
#define TW_MARK_H

/*
 * The directory of tracefs: its own, or the one below debugfs, if it is there
 * alone. Where there is none, that where it should be.
 */
const char *tw_mark_tracefs(void);

/* For the next two, which do nothing before, or if it failed. */
void tw_mark_open(void);

/* Writes at most 1023 bytes into the trace. */
void tw_mark_write(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void tw_mark_stop(void);	/* tracing */

#endif /* TW_MARK_H */
