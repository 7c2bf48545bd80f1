// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/tw_kfile.h"
#include "base/tw_time.h"
#include "check/tw_busy.h"
#include "check/tw_tasks.h"

#define PAUSE_NS	(20 * TW_NS_PER_US)

/* The eight times of a line: user, nice, system, idle, iowait and so on. */
static bool parse_stat(struct tw_busy_cpu *cpu, const char *text)
{
	const int64_t tick_ns = tw_tick_ns();
	int64_t idle, io, irq, softirq, steal;

	if (sscanf(text, "%*u %*u %*u %" SCNd64 " %" SCNd64 " %" SCNd64
		   " %" SCNd64 " %" SCNd64, &idle, &io, &irq, &softirq,
		   &steal) != 5)
		return false;
	cpu->idle_ns = (idle + io) * tick_ns;
	cpu->taken_ns = (irq + softirq + steal) * tick_ns;
	cpu->known = true;
	return true;
}

static bool parse_schedstat(struct tw_busy_cpu *cpu, const char *text)
{
	return sscanf(text, "%*u %*u %*u %*u %*u %*u %" SCNd64,
		      &cpu->task_ns) == 1;
}

/* Returns whether there was a line of a CPU, and all were understood. */
static bool read_lines(struct tw_busy *busy, const char *root, const char *path,
		       bool (*parse)(struct tw_busy_cpu *cpu, const char *text))
{
	char *text = tw_kfile_load(root, path);
	char *line, *rest = text;
	bool any = false, all = true;
	int cpu, len;

	while ((line = strsep(&rest, "\n"))) {
		/* "cpu" alone is the sum. */
		if (strncmp(line, "cpu", 3) ||
		    !isdigit((unsigned char)line[3]) ||
		    sscanf(line, "cpu%d %n", &cpu, &len) != 1 ||
		    cpu >= CPU_SETSIZE)
			continue;
		any = true;
		all &= parse(&busy->cpu[cpu], line + len);
	}
	free(text);
	return any && all;
}

int tw_busy_read(struct tw_busy *busy, const char *root)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	/* What a task uses is added when it leaves the CPU: ours, too. */
	nanosleep(&pause, NULL);
	memset(busy, 0, sizeof(*busy));
	busy->at_ns = tw_now_ns(CLOCK_MONOTONIC);
	if (!read_lines(busy, root, "/proc/stat", parse_stat))
		return -ENODATA;
	busy->exact = read_lines(busy, root, "/proc/schedstat",
				 parse_schedstat);
	return 0;
}

int64_t tw_busy_ns(const struct tw_busy *before, const struct tw_busy *after,
		   int cpu)
{
	const struct tw_busy_cpu *one = &before->cpu[cpu];
	const struct tw_busy_cpu *two = &after->cpu[cpu];
	int64_t elapsed_ns = after->at_ns - before->at_ns, ns;

	if (!one->known || !two->known)
		return 0;
	if (before->exact && after->exact)
		ns = two->task_ns - one->task_ns;
	else
		ns = elapsed_ns - (two->idle_ns - one->idle_ns) -
		     (two->taken_ns - one->taken_ns);
	return ns < 0 ? 0 : ns > elapsed_ns ? elapsed_ns : ns;
}
