/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages on stderr. The text is written as formatted: a caller that wants
 * a line gives the newline. @err is an errno: unless it is 0, its description
 * and a newline follow.
 */
#ifndef __RT_ERROR_H
#define __RT_ERROR_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define __RT_PRINTF(fmt, args)	__attribute__((format(printf, fmt, args)))

void err_msg(char *fmt, ...) __RT_PRINTF(1, 2);
void err_msg_n(int err, char *fmt, ...) __RT_PRINTF(2, 3);
void warn(char *fmt, ...) __RT_PRINTF(1, 2);

/* These exit: err_exit() with status @err, the others with status 1. */
_Noreturn void err_exit(int err, char *fmt, ...) __RT_PRINTF(2, 3);
_Noreturn void err_quit(char *fmt, ...) __RT_PRINTF(1, 2);
_Noreturn void fatal(char *fmt, ...) __RT_PRINTF(1, 2);

#endif /* __RT_ERROR_H */
