// SPDX-License-Identifier: GPL-2.0-or-later
/* How often the quota of a cgroup has stopped its ordinary tasks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tw_cgroup.h"
#include "tw_part.h"
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

static struct tw_quota before[TW_QUOTAS], after[TW_QUOTAS];
static int count;
static struct tw_quota most;	/* that was stopped; path "": there is none */

static void begin(struct tw_run *run)
{
	if (!run->step)
		count = tw_cgroup_quotas(before);
}

/* Of several cgroups, that which was stopped most often. */
static void end(struct tw_run *run)
{
	int i, n, now = tw_cgroup_quotas(after);

	if (!count)
		return;
	most = before[0];
	most.stops = most.stopped_us = 0;
	for (i = 0; i < now; i++)
		for (n = 0; n < count; n++) {
			struct tw_quota of = after[i];

			of.stops -= before[n].stops;
			of.stopped_us -= before[n].stopped_us;
			if (!strcmp(of.path, before[n].path) &&
			    of.stops > most.stops)
				most = of;
		}
}

/* Real-time tasks are not stopped. */
static void remark(FILE *file, const struct tw_run *run)
{
	if (most.stops && tw_config_is_ordinary())
		fprintf(file, "# The CPU quota of %s (%" PRId64 " us in %"
			PRId64 " us) stopped its tasks %" PRId64
			" times, for %" PRId64 " us in all\n", most.path,
			most.quota_us, most.period_us, most.stops,
			most.stopped_us);
}

static const void *quota_of(const void *of)
{
	return *most.path ? &most : NULL;
}

static const struct tw_member quota[] = {
	{ "cgroup", TW_IN(struct tw_quota, path), TW_STRING, "Its directory." },
	{ TW_NAMED(struct tw_quota, quota_us), TW_INTEGER, "CPU time of its ordinary tasks in a period, in us.",
	  "'minimum': 1" },
	{ TW_NAMED(struct tw_quota, period_us), TW_INTEGER,
	  "The period, in us.", "'minimum': 1" },
	{ TW_NAMED(struct tw_quota, stops), TW_COUNT, "In how many periods they had used it up." },
	{ TW_NAMED(struct tw_quota, stopped_us), TW_COUNT, "For how long they were stopped in all, in us." },
	{ .name = NULL }
};

static const struct tw_member members[] = {
	{ "quota", TW_NOWHERE, TW_OBJECT, "The cgroup of this process, or one above it, whose quota stopped its ordinary tasks most often during the run; null: none has a quota.",
	  .nullable = true, .get = quota_of, .of = quota },
	{ .name = NULL }
};

const struct tw_part tw_part_quota = {
	.begin = begin, .end = end, .remark = remark,
	.members[TW_OF_RUN] = members,
};
