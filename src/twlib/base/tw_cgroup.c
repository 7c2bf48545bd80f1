// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tw_cgroup.h"
#include "base/tw_kfile.h"

static const char *const mounts[] = {
	"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct",
};

#define MOUNTS	(sizeof(mounts) / sizeof(mounts[0]))

/* The path of our CPU cgroup, version 1; "" if there is none. */
static void find_path(const char *root, char *path, size_t size)
{
	char *text = tw_kfile_load(root, "/proc/self/cgroup");
	char *line, *rest = text, *list, *word;

	path[0] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		strsep(&line, ":");
		list = strsep(&line, ":");
		/* The path is the rest of the line. */
		while (line && (word = strsep(&list, ",")))
			if (!strcmp(word, "cpu"))
				snprintf(path, size, "%s", line);
	}
	free(text);
}

/*
 * In a container the path may be the host's, while the root of the mount is
 * our own cgroup.
 */
void tw_cgroup_read(struct tw_cgroup *cgroup, const char *root)
{
	char group[160], text[32];
	const char *groups[] = { group, "" };
	bool found = false;
	size_t i;

	cgroup->runtime_us = TW_CGROUP_UNKNOWN;
	cgroup->period_us = TW_CGROUP_UNKNOWN;
	find_path(root, group, sizeof(group));
	if (!strcmp(group, "/"))
		group[0] = '\0';
	for (i = 0; !found && i < 2 * MOUNTS; i++) {
		const char *mount = mounts[i % MOUNTS];
		const char *below = groups[i / MOUNTS];

		snprintf(cgroup->file, sizeof(cgroup->file),
			 "%s%s/cpu.rt_runtime_us", mount, below);
		found = tw_kfile_text(root, text, sizeof(text), "%s",
				      cgroup->file);
		if (!found)
			continue;
		tw_kfile_number(root, &cgroup->runtime_us, "%s", cgroup->file);
		tw_kfile_number(root, &cgroup->period_us,
				"%s%s/cpu.rt_period_us", mount, below);
	}
	if (!found)
		cgroup->file[0] = '\0';
}
