/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The share of real time that our CPU cgroup (version 1) has. */
#ifndef TW_CGROUP_H
#define TW_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#define TW_CGROUP_UNKNOWN	INT64_MIN

struct tw_cgroup {
	char file[256];		/* its cpu.rt_runtime_us; "": there is none */
	int64_t runtime_us, period_us;	/* or TW_CGROUP_UNKNOWN */
};

/*
 * Reads it below @root, "" for the real system: without RT_GROUP_SCHED there
 * is nothing to read.
 */
void tw_cgroup_read(struct tw_cgroup *cgroup, const char *root);

/* Whether there are such shares at all: the kernel has RT_GROUP_SCHED. */
bool tw_cgroup_exists(const char *root);

#endif /* TW_CGROUP_H */
