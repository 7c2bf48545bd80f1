/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages on stderr; fatal() ends the program with status 1. */
#ifndef __RT_ERROR_H
#define __RT_ERROR_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void warn(char *fmt, ...);
void fatal(char *fmt, ...) __attribute__((noreturn));

#endif /* __RT_ERROR_H */
