// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_cgroup.h"
#include "tw_kfile.h"

static const char *const mounts[] = {
	"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct",
};

#define MOUNTS	(sizeof(mounts) / sizeof(mounts[0]))

/* The path of our CPU cgroup, version 1; "" if there is none. */
static void find_path(const char *root, char *path, size_t size)
{
	char *text = tw_kfile_load(root, "/proc/self/cgroup");
	char *line, *rest = NULL, *list, *group, *word, *words = NULL;

	path[0] = '\0';
	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		list = strchr(line, ':');
		group = list ? strchr(list + 1, ':') : NULL;
		if (!group)
			continue;
		*group = '\0';
		for (word = strtok_r(list + 1, ",", &words); word;
		     word = strtok_r(NULL, ",", &words))
			if (!strcmp(word, "cpu"))
				snprintf(path, size, "%s", group + 1);
	}
	free(text);
}

/*
 * Within a container the path may be one of the host's, and the mount
 * begin with our own cgroup.
 */
void tw_cgroup_read(struct tw_cgroup *cgroup, const char *root)
{
	char group[160];
	const char *groups[] = { group, "" };
	size_t i;

	cgroup->file[0] = '\0';
	cgroup->runtime_us = TW_CGROUP_UNKNOWN;
	cgroup->period_us = TW_CGROUP_UNKNOWN;
	find_path(root, group, sizeof(group));
	if (!strcmp(group, "/"))
		group[0] = '\0';
	for (i = 0; i < 2 * MOUNTS; i++) {
		const char *mount = mounts[i % MOUNTS];
		const char *below = groups[i / MOUNTS];

		if (!tw_kfile_number(root, &cgroup->runtime_us,
				     "%s%s/cpu.rt_runtime_us", mount, below))
			continue;
		tw_kfile_number(root, &cgroup->period_us,
				"%s%s/cpu.rt_period_us", mount, below);
		snprintf(cgroup->file, sizeof(cgroup->file),
			 "%s%s/cpu.rt_runtime_us", mount, below);
		break;
	}
}

bool tw_cgroup_exists(const char *root)
{
	char text[32];
	size_t i;

	for (i = 0; i < MOUNTS; i++)
		if (tw_kfile_text(root, text, sizeof(text),
				  "%s/cpu.rt_runtime_us", mounts[i]))
			return true;
	return false;
}
