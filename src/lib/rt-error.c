// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages on stderr.
 */
#include "rt-error.h"

static void vmessage(const char *prefix, int err, const char *fmt,
		     va_list args) __attribute__((format(printf, 3, 0)));

static void vmessage(const char *prefix, int err, const char *fmt,
		     va_list args)
{
	fputs(prefix, stderr);
	vfprintf(stderr, fmt, args);
	if (err)
		fprintf(stderr, ": %s\n", strerror(err));
}

void err_exit(int err, char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vmessage("", err, fmt, args);
	va_end(args);
	exit(err);
}

void err_msg(char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vmessage("", 0, fmt, args);
	va_end(args);
}

void err_msg_n(int err, char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vmessage("", err, fmt, args);
	va_end(args);
}

void err_quit(char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vmessage("", 0, fmt, args);
	va_end(args);
	exit(1);
}

void warn(char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vmessage("WARN: ", 0, fmt, args);
	va_end(args);
}

void fatal(char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vmessage("FATAL: ", 0, fmt, args);
	va_end(args);
	exit(EXIT_FAILURE);
}
