/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages on stderr. The text is written as formatted: a caller that wants
 * a line gives the newline, except where a system error ends the line.
 */
#ifndef __RT_ERROR_H
#define __RT_ERROR_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define __RT_PRINTF(fmt, args)	__attribute__((format(printf, fmt, args)))
#define __RT_NORETURN		__attribute__((noreturn))

/* The text, for @err != 0 then ": <strerror(err)>\n"; exits with @err. */
void err_exit(int err, char *fmt, ...) __RT_NORETURN __RT_PRINTF(2, 3);

/* The text alone. */
void err_msg(char *fmt, ...) __RT_PRINTF(1, 2);

/* The text, for @err != 0 then ": <strerror(err)>\n". */
void err_msg_n(int err, char *fmt, ...) __RT_PRINTF(2, 3);

/* The text alone; exits with 1. */
void err_quit(char *fmt, ...) __RT_NORETURN __RT_PRINTF(1, 2);

/* "WARN: " and the text. */
void warn(char *fmt, ...) __RT_PRINTF(1, 2);

/* "FATAL: " and the text; exits with EXIT_FAILURE. */
void fatal(char *fmt, ...) __RT_NORETURN __RT_PRINTF(1, 2);

#endif /* __RT_ERROR_H */
