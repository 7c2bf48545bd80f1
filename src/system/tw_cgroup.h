/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cgroups of this process that share out CPU time: of the controller "cpu"
 * of version 1, or of version 2. Called by main.
 */
#ifndef TW_CGROUP_H
#define TW_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_QUOTAS	16	/* of a cgroup, and of those above it */
#define TW_CGROUP_PATH	512

/*
 * What the ordinary tasks of a cgroup, and of those below it, may use together
 * in a period: then they are stopped until the next one.
 */
struct tw_quota {
	char path[TW_CGROUP_PATH];	/* of the cgroup's directory */
	int64_t quota_us, period_us;
	int64_t stops, stopped_us;	/* so far */
};

/*
 * Our cgroup, such as "/user.slice", of the controller "cpu", or of version 2
 * (@unified); "": there is none.
 */
void tw_cgroup_find(char *group, size_t size, bool unified);

/* The cgroups that have a quota, ours first. Returns how many, or 0. */
int tw_cgroup_quotas(struct tw_quota quotas[TW_QUOTAS]);

#endif /* TW_CGROUP_H */
