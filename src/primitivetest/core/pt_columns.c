// SPDX-License-Identifier: GPL-2.0-or-later
/* The results of a session as columns. */
#include <sched.h>
#include <stdlib.h>

#include "core/pt_session.h"

/* Series are in ps. JSON has all digits: no minimum is above the average. */
static const struct tw_unit unit_ns = {
	.size = PT_PS_PER_NS, .width = 8, .digits = 1,
	.json_size = PT_PS_PER_NS * TW_NS_PER_US, .json_digits = 6,
};

static const struct tw_unit unit_us = {
	.size = PT_PS_PER_NS * TW_NS_PER_US, .width = 5, .digits = 3,
	.json_size = PT_PS_PER_NS * TW_NS_PER_US, .json_digits = 6,
};

/* -N: the JSON, too, is in ns. */
static const struct tw_unit unit_all_ns = {
	.size = PT_PS_PER_NS, .width = 8, .digits = 1,
	.json_size = PT_PS_PER_NS, .json_digits = 3,
};

static const struct tw_unit *unit_of(const struct tw_run *run)
{
	return run->show->nsecs ? &unit_all_ns :
	       pt_config->us ? &unit_us : &unit_ns;
}

static int one_cpu(const cpu_set_t *cpus)
{
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus))
			return CPU_COUNT(cpus) == 1 ? cpu : -1;
	return -1;
}

static struct tw_column describe(const struct pt_case *c, int metric)
{
	const struct pt_task *task = &c->task[0];

	return (struct tw_column) {
		.token = c->token[metric],
		.label = c->metric[metric]->label,
		.headline = true,
		.pid = task->pid,
		.priority = task->priority,
		.cpu = one_cpu(&task->cpus),
		.interval_us = c->config->interval_us,
		.missed = c->missed,
		.throttled = c->throttled,
		.series = c->series,
		.row = metric,
	};
}

struct tw_columns pt_session_columns(const struct tw_run *run)
{
	const struct pt_session *session = pt_session(run);
	struct tw_status status[PT_METRICS];
	int i, k, count = 0;

	for (i = 0; i < session->count; i++) {
		const struct pt_case *c = session->result[i].c;

		if (!c)
			continue;
		tw_series_snapshot(c->series, status);
		for (k = 0; k < c->metric_count; k++) {
			session->column[count] = describe(c, k);
			session->column[count++].status = status[k];
		}
	}
	return (struct tw_columns) {
		.count = count, .unit = unit_of(run),
		.column = session->column,
	};
}

const char *pt_session_policy(const struct tw_run *run)
{
	(void)run;
	return tw_system_policy_name(pt_config->policy);
}

/* The case that is being run. */
const char *pt_session_progress(const struct tw_run *run)
{
	static char name[PT_NAME];
	const struct pt_session *session = pt_session(run);

	*name = '\0';
	if (session->count)
		pt_choice_name(session->result[session->count - 1].choice,
			       name);
	return name;
}

/* Results are complete case by case: there is nothing to add up. */
struct tw_run *pt_session_so_far(struct tw_run *run)
{
	struct pt_session *copy = malloc(sizeof(*copy));

	if (copy)
		*copy = *pt_session(run);
	return copy ? &copy->run : NULL;
}

void pt_session_forget(struct tw_run *copy)
{
	free(pt_session(copy));
}
