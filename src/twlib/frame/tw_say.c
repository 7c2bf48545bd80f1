// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "rt-error.h"
#include "base/tw_file.h"
#include "frame/tw_run.h"
#include "frame/tw_say.h"

#define WARNING		"WARN: "	/* as the library's */
#define WARNING_MS	100

void tw_say(const char *prefix, const char *message, int idle_ms)
{
	char line[TW_ERROR_MAX];
	struct tw_file file;
	size_t i;

	snprintf(line, sizeof(line), "%s", message);
	for (i = 0; line[i]; i++)
		if (iscntrl((unsigned char)line[i]))
			line[i] = '?';
	if (!tw_file_use(&file, STDERR_FILENO)) {
		fprintf(file.flow.stream, "%s%s\n", prefix, line);
		tw_file_commit(&file, idle_ms);
	} else {
		err_msg("%s%s\n", prefix, line);
	}
}

void tw_warn(const char *format, ...)
{
	char message[TW_ERROR_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	tw_say(WARNING, message, WARNING_MS);
}
