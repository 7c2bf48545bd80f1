// SPDX-License-Identifier: GPL-2.0-or-later
/* --latency: no deep idle states during the run, as cyclictest. */
#include <fcntl.h>
#include <unistd.h>

#include "tw_idle.h"
#include "tw_part.h"

#define FILE_NAME	"/dev/cpu_dma_latency"

struct tw_idle tw_idle = { .latency_us = -1 };

static const struct tw_option options[] = {
	{ 0, "default-system", TW_FLAG, &tw_idle.untouched, .far = TW_ASKED,
	  .help = "do not touch power management" },
	{ 0, "latency", TW_NUMBER, &tw_idle.latency_us, "US", 0, 2000000000,
	  .without = "--default-system", .far = TW_MAY_BE_ASKED,
	  .help = "allow idle states that take US to leave, default 0" },
	{ .name = NULL }
};

bool tw_idle_limit(int32_t limit_us)
{
	int fd = open(FILE_NAME, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, &limit_us, sizeof(limit_us)) < 0) {
		tw_say_warn("cannot set " FILE_NAME " to %dus: %m\n", limit_us);
		if (fd >= 0)
			close(fd);
		return false;
	}
	printf("# " FILE_NAME " set to %dus\n", limit_us);
	return true;
}

static void check(struct tw_run *run)
{
	if (tw_idle.untouched)
		return;
	if (tw_idle.latency_us < 0)
		tw_idle.latency_us = 0;
	tw_idle_limit((int)tw_idle.latency_us);
}

const struct tw_part tw_part_idle = {
	.options = options, .group = TW_PLACES, .check = check,
};
