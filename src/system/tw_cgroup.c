// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_cgroup.h"
#include "tw_read.h"
#include "tw_time.h"

void tw_cgroup_find(char *group, size_t size, bool unified)
{
	char *text = tw_read_all("/proc/self/cgroup"), *line, *rest = text;
	char list[128], words[132], found[256];

	group[0] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		if (unified && sscanf(line, "0::%255[^\n]", found) == 1)
			snprintf(group, size, "%s", found);
		if (unified ||
		    sscanf(line, "%*d:%127[^:]:%255[^\n]", list, found) != 2)
			continue;
		snprintf(words, sizeof(words), ",%s,", list);
		if (strstr(words, ",cpu,"))
			snprintf(group, size, "%s", found);
	}
	free(text);
	tw_read_clean(group);
}

static bool read_number(int64_t *number, const char *path, const char *file)
{
	char name[TW_CGROUP_PATH + 32];

	snprintf(name, sizeof(name), "%s/%s", path, file);
	return tw_read_number(number, name);
}

/* How often it was stopped, and for how long. */
static void read_stops(struct tw_quota *to)
{
	char name[TW_CGROUP_PATH + 32], *text, *line, *rest;
	int64_t number;

	snprintf(name, sizeof(name), "%s/cpu.stat", to->path);
	rest = text = tw_read_all(name);
	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "nr_throttled %" SCNd64, &number) == 1)
			to->stops = number;
		else if (sscanf(line, "throttled_usec %" SCNd64, &number) == 1)
			to->stopped_us = number;
		else if (sscanf(line, "throttled_time %" SCNd64, &number) == 1)
			to->stopped_us = tw_ns_to_us(number);
	}
	free(text);
}

/* Of this directory; false: it has no quota. */
static bool read_quota(struct tw_quota *to, const char *path)
{
	char name[TW_CGROUP_PATH + 32], text[64];

	*to = (struct tw_quota) { .quota_us = -1 };
	snprintf(to->path, sizeof(to->path), "%s", path);
	snprintf(name, sizeof(name), "%s/cpu.max", path);
	if (tw_read_text(text, sizeof(text), name))
		sscanf(text, "%" SCNd64 " %" SCNd64, &to->quota_us,
		       &to->period_us);
	else if (read_number(&to->quota_us, path, "cpu.cfs_quota_us"))
		read_number(&to->period_us, path, "cpu.cfs_period_us");
	if (to->quota_us <= 0 || to->period_us <= 0)
		return false;
	read_stops(to);
	return true;
}

int tw_cgroup_quotas(struct tw_quota quotas[TW_QUOTAS])
{
	static const char *const roots[] = {
		"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct",
		"/sys/fs/cgroup",
	};
	char group[256], path[TW_CGROUP_PATH];
	size_t i, length;
	int count = 0;

	for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		tw_cgroup_find(group, sizeof(group), i == 2);
		length = strlen(roots[i]);
		snprintf(path, sizeof(path), "%s%s", roots[i],
			 strcmp(group, "/") ? group : "");
		/* Up to the root of the mount, which a container's own may be. */
		while (*group && count < TW_QUOTAS) {
			count += read_quota(&quotas[count], path);
			if (!path[length])
				break;
			*strrchr(path, '/') = '\0';
		}
	}
	return count;
}
