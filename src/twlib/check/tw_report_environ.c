// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports the state of the system: in the JSON, and as the table of --check. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "rt-utils.h"
#include "base/tw_cpus.h"
#include "base/tw_json.h"
#include "check/tw_report_environ.h"

static void write_text(struct tw_json *json, const char *key, const void *fact)
{
	const char *text = fact;

	tw_json_text(json, key, *text ? text : NULL);
}

static void write_flag(struct tw_json *json, const char *key, const void *fact)
{
	const int *flag = fact;

	if (*flag == TW_NO_FLAG)
		tw_json_null(json, key);
	else
		tw_json_bool(json, key, *flag);
}

static void write_number(struct tw_json *json, const char *key,
			 const void *fact)
{
	const int64_t *number = fact;

	tw_json_int_if(json, key, *number != TW_NO_NUMBER, *number);
}

static void write_cpus(struct tw_json *json, const char *key, const void *fact)
{
	const struct tw_cpus *cpus = fact;
	char list[4096];

	tw_cpus_format(&cpus->set, list, sizeof(list));
	tw_json_text(json, key, cpus->known ? list : NULL);
}

static void write_throttle(struct tw_json *json, const char *key,
			   const void *fact)
{
	const struct tw_throttle *throttle = fact;

	if (!throttle->known) {
		tw_json_null(json, key);
		return;
	}
	tw_json_begin_line(json, key, '{');
	tw_json_int(json, "rt_runtime_us", throttle->runtime_us);
	tw_json_int(json, "rt_period_us", throttle->period_us);
	tw_json_bool(json, "rt_group_sched", throttle->group);
	tw_json_bool(json, "fair_server", throttle->fair_server);
	tw_json_end(json);
}

static void (*const writers[])(struct tw_json *json, const char *key,
			       const void *fact) = {
	[TW_FACT_TEXT] = write_text,
	[TW_FACT_FLAG] = write_flag,
	[TW_FACT_NUMBER] = write_number,
	[TW_FACT_CPUS] = write_cpus,
	[TW_FACT_THROTTLE] = write_throttle,
};

static void write_finding(struct tw_json *json,
			  const struct tw_finding *finding)
{
	char names[128], *rest = names, *name;

	tw_json_begin(json, NULL, '{');
	tw_json_text(json, "name", finding->name);
	tw_json_text(json, "read", finding->read);
	tw_json_text(json, "where", finding->where);
	tw_json_text(json, "why", finding->why);
	tw_json_begin_line(json, "metrics", '[');
	snprintf(names, sizeof(names), "%s", finding->metrics);
	while ((name = strsep(&rest, " ")))
		tw_json_text(json, NULL, name);
	tw_json_end(json);
	tw_json_text(json, "fix", finding->fix);
	/* The former name of "fix", for older readers. */
	tw_json_text(json, "mend", finding->fix);
	tw_json_end(json);
}

void tw_report_json_environ(struct tw_json *json,
			    const struct tw_environ *env,
			    const struct tw_finding findings[TW_CHECKS])
{
	const struct tw_fact *fact;
	size_t i;

	tw_json_begin(json, "environment", '{');
	for (fact = tw_facts; fact->name; fact++)
		writers[fact->kind](json, fact->name,
				    (const char *)env + fact->offset);
	tw_json_begin(json, "findings", '[');
	for (i = 0; i < TW_CHECKS; i++)
		if (findings[i].result == TW_CHECK_FINDING)
			write_finding(json, &findings[i]);
	tw_json_end(json);
	tw_json_end(json);
}

void tw_report_check(FILE *file, const struct tw_finding findings[TW_CHECKS])
{
	static const char *const results[] = {
		[TW_CHECK_UNREAD] = "?", [TW_CHECK_OK] = "ok",
		[TW_CHECK_FINDING] = "FINDING",
	};
	int counts[ARRAY_SIZE(results)] = { 0 };
	int i;

	for (i = 0; i < TW_CHECKS; i++) {
		const struct tw_finding *finding = &findings[i];

		counts[finding->result]++;
		fprintf(file, "%-7s  %-15s  %s  (%s)\n",
			results[finding->result], finding->name,
			*finding->read ? finding->read : "cannot be read",
			finding->where);
		if (finding->result != TW_CHECK_FINDING)
			continue;
		fprintf(file, "         why:      %s\n", finding->why);
		fprintf(file, "         disturbs: %s",
			strcmp(finding->metrics, TW_CHECK_ALL) ?
			finding->metrics : "all metrics");
		fprintf(file, "\n         fix:      %s\n", finding->fix);
	}
	fprintf(file, "# %d checks: %d ok, %d %s, %d not readable\n", TW_CHECKS,
		counts[TW_CHECK_OK], counts[TW_CHECK_FINDING],
		counts[TW_CHECK_FINDING] == 1 ? "finding" : "findings",
		counts[TW_CHECK_UNREAD]);
}
