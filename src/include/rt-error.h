/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages on stderr. The text is written as formatted: a caller that wants
 * a line gives the newline. @err is a value of errno: if it is not 0, its
 * description follows the text, and a newline.
 */
#ifndef __RT_ERROR_H
#define __RT_ERROR_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define __RT_PRINTF(fmt, args)	__attribute__((format(printf, fmt, args)))
#define __RT_EXITS		__attribute__((noreturn))

/* The text, and go on; warn() begins with "WARN: ". */
void err_msg(char *fmt, ...) __RT_PRINTF(1, 2);
void err_msg_n(int err, char *fmt, ...) __RT_PRINTF(2, 3);
void warn(char *fmt, ...) __RT_PRINTF(1, 2);

/* The text, and exit with status @err. */
void err_exit(int err, char *fmt, ...) __RT_PRINTF(2, 3) __RT_EXITS;

/* The text, and exit with status 1; fatal() begins with "FATAL: ". */
void err_quit(char *fmt, ...) __RT_PRINTF(1, 2) __RT_EXITS;
void fatal(char *fmt, ...) __RT_PRINTF(1, 2) __RT_EXITS;

#endif /* __RT_ERROR_H */
