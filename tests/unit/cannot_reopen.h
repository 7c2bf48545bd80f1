/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The descriptor of a process may be one that it may not open again. */
#ifndef CANNOT_REOPEN_H
#define CANNOT_REOPEN_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool cannot_reopen;

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);
	if (cannot_reopen && !strncmp(path, "/proc/self/fd/", 14)) {
		errno = EACCES;
		return -1;
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

#endif
