// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages on stderr. */
#include <time.h>

#include "rt-error.h"
#include "rt-utils.h"

#define MESSAGE_BYTES	8192

/* A macro, as the caller's arguments cannot be passed on by a function. */
#define SAY(prefix, err, fmt) do {				\
	va_list args;						\
								\
	va_start(args, fmt);					\
	say(prefix, err, fmt, args);				\
	va_end(args);						\
} while (0)

/* Words of the user, or of files, are only shown: one line stays one. */
static __RT_PRINTF(3, 0)
void say(const char *prefix, int err, const char *fmt, va_list args)
{
	char text[MESSAGE_BYTES], *end;

	vsnprintf(text, sizeof(text), fmt, args);
	end = text + strlen(text);
	if (end > text && end[-1] == '\n')
		*--end = '\0';
	else
		end = NULL;
	rt_clean(text);
	fprintf(stderr, "%s%s%s", prefix, text, end ? "\n" : "");
	if (err)
		fprintf(stderr, ": %s\n", strerror(err));
}

void err_msg(char *fmt, ...)
{
	SAY("", 0, fmt);
}

void err_msg_n(int err, char *fmt, ...)
{
	SAY("", err, fmt);
}

void warn(char *fmt, ...)
{
	SAY("WARN: ", 0, fmt);
}

void err_exit(int err, char *fmt, ...)
{
	SAY("", err, fmt);
	exit(err);
}

void err_quit(char *fmt, ...)
{
	SAY("", 0, fmt);
	exit(EXIT_FAILURE);
}

void fatal(char *fmt, ...)
{
	SAY("FATAL: ", 0, fmt);
	exit(EXIT_FAILURE);
}
