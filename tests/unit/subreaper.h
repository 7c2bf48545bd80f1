/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests that run programs as load. Include cmocka.h before. */
#ifndef SUBREAPER_H
#define SUBREAPER_H

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

/*
 * Orphans of a killed supervisor come to the caller, as they do to main.
 * Every kernel can do it, but qemu's emulation of one process may not.
 */
static inline void need_subreaper(void)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1)) {
		printf("skipped: no PR_SET_CHILD_SUBREAPER here: %s\n",
		       strerror(errno));
		skip();
	}
}

#endif /* SUBREAPER_H */
