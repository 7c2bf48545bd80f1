// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_say.h"
#include "tw_string.h"

#define MESSAGE_BYTES	8192

/* Words of the user, or of files, are only shown: one line stays one. */
static void __attribute__((format(printf, 2, 0)))
say(const char *kind, const char *format, va_list args)
{
	char text[MESSAGE_BYTES], *end;

	vsnprintf(text, sizeof(text), format, args);
	end = text + strlen(text);
	if (end > text && end[-1] == '\n')
		*--end = '\0';
	else
		end = NULL;
	tw_string_clean(text);
	fprintf(stderr, "%s: %s%s", kind, text, end ? "\n" : "");
}

void tw_say_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("WARN", format, args);
	va_end(args);
}

void tw_say_fatal(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("FATAL", format, args);
	va_end(args);
	exit(EXIT_FAILURE);
}
