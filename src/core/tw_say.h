/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages on standard error, of at most 8191 bytes. The format ends with the
 * newline, and has no other; see tw_string_clean().
 */
#ifndef TW_SAY_H
#define TW_SAY_H

/* "WARN: ..." */
void tw_say_warn(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* "FATAL: ..."; ends the program with status 1. */
void tw_say_fatal(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

#endif /* TW_SAY_H */
