// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages on stderr.
 */
#include "rt-error.h"

void err_msg(char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
}
