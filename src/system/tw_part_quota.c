// SPDX-License-Identifier: GPL-2.0-or-later
/* How often the quota of a cgroup has stopped its ordinary tasks meanwhile. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tw_cgroup.h"
#include "tw_part.h"
#include "tw_run.h"

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
