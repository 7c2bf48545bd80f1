/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The real-time share of our CPU cgroup (version 1). */
#ifndef TW_CGROUP_H
#define TW_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#define TW_CGROUP_UNKNOWN	INT64_MIN

struct tw_cgroup {
	char file[256];		/* path of cpu.rt_runtime_us; "": none */
	int64_t runtime_us, period_us;	/* or TW_CGROUP_UNKNOWN */
};

/*
 * Reads the share below @root, "" for the real system. A kernel without
 * RT_GROUP_SCHED has no such share.
 */
void tw_cgroup_read(struct tw_cgroup *cgroup, const char *root);

/* Whether the kernel has RT_GROUP_SCHED. */
bool tw_cgroup_exists(const char *root);

#endif /* TW_CGROUP_H */
