// SPDX-License-Identifier: GPL-2.0-or-later
/* How often the quota of a cgroup has stopped its ordinary tasks meanwhile. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tw_cgroup.h"
#include "tw_part.h"
#include "tw_run.h"
#include "tw_string.h"

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

static void json(FILE *file, const struct tw_run *run)
{
	fprintf(file, "    \"quota\": ");
	if (*most.path) {
		fprintf(file, "{ \"cgroup\": ");
		tw_string_json(file, most.path);
		fprintf(file, ", \"quota_us\": %" PRId64 ", \"period_us\": %"
			PRId64 ", \"stops\": %" PRId64 ", \"stopped_us\": %"
			PRId64 " },\n", most.quota_us, most.period_us,
			most.stops, most.stopped_us);
	} else {
		fprintf(file, "null,\n");
	}
}

const struct tw_part tw_part_quota = {
	.begin = begin, .end = end, .remark = remark, .json = json,
};
