/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors that a function leaves open. */
#ifndef OPEN_FILES_H
#define OPEN_FILES_H

#include <fcntl.h>

/* Of the caller; those far above are other programs' or a sanitizer's. */
static inline int count_open_files(void)
{
	int fd, count = 0;

	for (fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

#endif /* OPEN_FILES_H */
