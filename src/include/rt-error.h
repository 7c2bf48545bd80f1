/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages on stderr. The text is written as formatted: a caller that wants
 * a line gives the newline.
 */
#ifndef __RT_ERROR_H
#define __RT_ERROR_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define __RT_PRINTF(fmt, args)	__attribute__((format(printf, fmt, args)))

/* The text alone. */
void err_msg(char *fmt, ...) __RT_PRINTF(1, 2);

#endif /* __RT_ERROR_H */
