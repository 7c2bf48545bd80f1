// SPDX-License-Identifier: GPL-2.0-or-later
/* The system was suspended while it measured. */
#include <stdio.h>

#include "tw_part.h"
#include "tw_run.h"
#include "tw_suspend.h"
#include "tw_time.h"
#include "tw_watch.h"

static struct tw_watch boot;
static int64_t suspended_ns;
static bool was_suspended;	/* in this step */

static void begin(struct tw_run *run)
{
	was_suspended = false;
	if (!run->step)
		tw_watch_look(&boot, &tw_clock_boottime);
}

static void end(struct tw_run *run)
{
	tw_watch_look(&boot, &tw_clock_boottime);
	suspended_ns += boot.set_ns;
	was_suspended = boot.set_ns;
	run->suspended_us = tw_ns_to_us(suspended_ns);
	if (suspended_ns)
		run->doubt = TW_SUSPENDED;
}

bool tw_suspend_seen(void)
{
	return was_suspended;
}

static void text(FILE *file, const struct tw_run *run)
{
	if (suspended_ns)
		fprintf(file, "# Suspended: the system slept for %.3f s of this run; what was late then, was late because of it\n",
			(double)suspended_ns / (double)TW_NS_PER_S);
}

static const void *suspended_us(const void *of)
{
	static int64_t us;

	us = tw_ns_to_us(suspended_ns);
	return &us;
}

static const struct tw_member members[] = {
	{ "suspended_us", TW_SELF(int64_t), TW_COUNT, "How long the system slept in the run, on this host.",
	  .get = suspended_us, .line = 4 },
	{ .name = NULL }
};

const struct tw_part tw_part_suspend = {
	.begin = begin, .end = end, .text = text, .members[TW_OF_RUN] = members,
	.tells_end = true,
};
