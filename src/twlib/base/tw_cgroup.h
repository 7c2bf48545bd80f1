/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The real-time share of our CPU cgroup (version 1). */
#ifndef TW_CGROUP_H
#define TW_CGROUP_H

#include <stdint.h>

#define TW_CGROUP_UNKNOWN	INT64_MIN

struct tw_cgroup {
	/* Path of cpu.rt_runtime_us; "": the kernel has no RT_GROUP_SCHED. */
	char file[256];
	int64_t runtime_us, period_us;	/* or TW_CGROUP_UNKNOWN */
};

/*
 * Reads the share below @root, "" for the real system.
 */
void tw_cgroup_read(struct tw_cgroup *cgroup, const char *root);

#endif /* TW_CGROUP_H */
