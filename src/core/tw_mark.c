// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "tw_mark.h"
#include "tw_say.h"

#define MARK_BYTES	1024

static int mark_fd = -1, tracing_fd = -1;

const char *tw_mark_tracefs(void)
{
	static const char usual[] = "/sys/kernel/tracing";
	static const char below_debugfs[] = "/sys/kernel/debug/tracing";
	char path[64];

	snprintf(path, sizeof(path), "%s/tracing_on", usual);
	if (!access(path, F_OK) || errno != ENOENT)
		return usual;
	snprintf(path, sizeof(path), "%s/tracing_on", below_debugfs);
	return access(path, F_OK) ? usual : below_debugfs;
}

static int open_file(const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", tw_mark_tracefs(), name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		tw_say_warn("cannot open %s: %m\n", path);
	return fd;
}

void tw_mark_open(void)
{
	mark_fd = open_file("trace_marker");
	if (mark_fd >= 0)
		tracing_fd = open_file("tracing_on");
}

void tw_mark_write(const char *format, ...)
{
	char mark[MARK_BYTES];
	va_list args;
	int len;

	if (mark_fd < 0)
		return;
	va_start(args, format);
	len = vsnprintf(mark, sizeof(mark), format, args);
	va_end(args);
	if (len >= MARK_BYTES)
		len = MARK_BYTES - 1;
	if (len > 0 && write(mark_fd, mark, len) != len)
		tw_say_warn("cannot write to %s/trace_marker: %m; is tracing on?\n",
			    tw_mark_tracefs());
}

void tw_mark_stop(void)
{
	if (tracing_fd >= 0 && write(tracing_fd, "0\n", 2) != 2)
		tw_say_warn("cannot stop tracing\n");
}
