// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel does when real-time tasks leave no time to others on a CPU:
 * up to Linux 6.11, and later with RT_GROUP_SCHED, it stops all of them there
 * for the rest of a period (throttling). Since Linux 6.12, a fair server lets
 * other tasks run for up to 50 ms of a second, if there are any.
 *
 * No file says when this happens. A cycle is counted as throttled if something
 * in it was late by about the time that such a stop takes, and real-time tasks
 * have used enough time of the CPUs of client or server: all that they may have
 * of a period, for each such cycle.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt-error.h"
#include "rt-utils.h"
#include "tw_part.h"
#include "tw_check.h"
#include "tw_cpus.h"
#include "tw_others.h"
#include "tw_read.h"
#include "tw_run.h"
#include "tw_throttle.h"
#include "tw_time.h"
#include "tw_watch.h"

/* Memory of a pair, for one step. */
struct room {
	int64_t expected_ns[TW_METRICS];
	int first, last;	/* metrics that can be late */
	uint64_t stops;
	int64_t longest_ns;
};

/* As the kernel is set. */
static int64_t runtime_us, period_us;	/* -1: not known */
static bool fair_server;
static int64_t stop_ns;			/* the usual stop; 0: there is none */

/* When a step began, and when it ended. */
static struct tw_snapshot *before, *after;
static int64_t cpu_us_before[TW_PAIRS_MAX];	/* of client and server */

static uint64_t *of_step;		/* throttled cycles of all pairs */
static uint64_t of_pair[TW_PAIRS_MAX];	/* those of all steps */
static int64_t longest_ns;		/* lateness, where there may be some */
static struct tw_task worst;		/* who has used most */

static void read_rules(void)
{
	runtime_us = period_us = -1;
	tw_read_number(&runtime_us, "/proc/sys/kernel/sched_rt_runtime_us");
	tw_read_number(&period_us, "/proc/sys/kernel/sched_rt_period_us");
	fair_server = tw_facts_fair_server(&stop_ns) && stop_ns;
	if (!fair_server && runtime_us > 0)
		stop_ns = (period_us - runtime_us) * TW_NS_PER_US;
}

/* Ordinary tasks are not throttled, but wait for real-time ones in any case. */
static size_t room(const struct tw_run *run)
{
	return tw_config.priority ? sizeof(struct room) : 0;
}

static void attach(void *memory, int pair)
{
	struct tw_metric_params params = tw_config_params(pair);
	struct room *room = memory;

	room->expected_ns[TW_SLEEP] = params.sleep_ns;
	room->first = params.period_ns ? TW_WAKEUP : TW_SEND;
	/* The client also waits without phases of a server. */
	room->last = tw_metrics[TW_SEND].lacks ? TW_RESPONSE : TW_RECEIVE;
}

bool tw_throttle_is_stop(int64_t late_ns)
{
	return stop_ns && late_ns >= stop_ns - stop_ns / 4 &&
	       late_ns <= stop_ns + stop_ns / 2;
}

/* How long, at most, one of both was kept back. */
static bool record(void *memory, const struct tw_cycle *cycle,
		   const int64_t values_ns[])
{
	struct room *room = memory;
	int64_t late_ns = 0;
	int id;

	for (id = room->first; id <= room->last; id++)
		if (values_ns[id] - room->expected_ns[id] > late_ns)
			late_ns = values_ns[id] - room->expected_ns[id];
	room->stops += tw_throttle_is_stop(late_ns);
	if (late_ns > room->longest_ns)
		room->longest_ns = late_ns;
	return false;
}

/* Of client and server, since the start of the program. */
static int64_t cpu_us(const struct tw_pair *pair)
{
	return pair->usage[TW_CLIENT].cpu_us + pair->usage[TW_SERVER].cpu_us;
}

static void begin(struct tw_run *run)
{
	struct room *room;
	int i;

	if (!run->step) {
		of_step = calloc(run->steps, sizeof(*of_step));
		if (!of_step)
			fatal("no memory\n");
		read_rules();
		before = tw_snapshot_map();
		if (!before)
			fatal("no memory\n");
		after = before + 1;
	}
	for (i = 0; i < tw_config.pairs && tw_config.priority; i++) {
		room = tw_pair_room(run, i, &tw_part_throttle);
		room->stops = 0;
		room->longest_ns = 0;
		cpu_us_before[i] = cpu_us(run->pairs[i]);
	}
	if (tw_config.priority)
		tw_snapshot_read(before);
}

static bool share(const cpu_set_t *a, const cpu_set_t *b)
{
	cpu_set_t both;

	CPU_AND(&both, a, b);
	return CPU_COUNT(&both) > 0;
}

static void pair_cpus(const struct tw_pair *pair, cpu_set_t *cpus)
{
	CPU_OR(cpus, &pair->process[TW_SERVER].cpus,
	       &pair->process[TW_CLIENT].cpus);
}

/* Of a task that may use the CPUs @may: its time, if the pair's are among them. */
static int64_t used_ns(const struct tw_task *task, const cpu_set_t *may,
		       const cpu_set_t *cpus)
{
	if (!share(may, cpus))
		return 0;
	if (task->ns > worst.ns)
		worst = *task;
	return task->ns;
}

/* Of a real-time task, since the step began. */
static int64_t task_used_ns(struct tw_task task, const cpu_set_t *cpus)
{
	const struct tw_task *old = tw_snapshot_find(before, &task);
	cpu_set_t may;

	if ((task.policy != SCHED_FIFO && task.policy != SCHED_RR) ||
	    tw_cpus_get(task.id, &may))
		return 0;
	task.ns += task.children_ns;
	if (old)
		task.ns -= old->ns + old->children_ns;
	return used_ns(&task, &may, cpus);
}

/* Of client and server, which have ended. */
static int64_t pair_used_ns(const struct tw_pair *pair, const cpu_set_t *cpus)
{
	const struct tw_task both = {
		.id = pair->process[TW_CLIENT].pid, .name = "client, server",
		.ns = (cpu_us(pair) - cpu_us_before[pair->number]) *
		      TW_NS_PER_US,
	};
	cpu_set_t may;

	pair_cpus(pair, &may);
	return used_ns(&both, &may, cpus);
}

/* How many of a pair's stops there can have been. */
static uint64_t judge(const struct tw_run *run, int number)
{
	struct room *room = tw_pair_room(run, number, &tw_part_throttle);
	int64_t sum_ns = 0;
	cpu_set_t cpus;
	uint64_t most;
	int i;

	if (!stop_ns || room->longest_ns < stop_ns / 4 || tw_suspended())
		return 0;
	pair_cpus(run->pairs[number], &cpus);
	for (i = 0; i < after->count; i++)
		sum_ns += task_used_ns(after->task[i], &cpus);
	for (i = 0; i < tw_config.pairs; i++)
		sum_ns += pair_used_ns(run->pairs[i], &cpus);
	/* The kernel's figures may be short by some ticks. */
	most = (sum_ns + sum_ns / 20) / (period_us * TW_NS_PER_US - stop_ns);
	if (most && room->longest_ns > longest_ns)
		longest_ns = room->longest_ns;
	return room->stops < most ? room->stops : most;
}

/* The load still runs: it is one of the tasks. */
static void end(struct tw_run *run)
{
	uint64_t found;
	int i;

	if (!tw_config.priority)
		return;
	tw_snapshot_read(after);
	for (i = 0; i < tw_config.pairs; i++) {
		found = judge(run, i);
		of_step[run->step] += found;
		of_pair[i] += found;
	}
	if (run->steps > 1 && of_step[run->step])
		printf("# Throttled: %" PRIu64 "\n", of_step[run->step]);
}

uint64_t tw_throttled(const struct tw_run *run, int pair)
{
	return of_pair[pair];
}

static uint64_t total(const struct tw_run *run)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < run->steps; i++)
		sum += of_step[i];
	return sum;
}

static void text(FILE *file, const struct tw_run *run)
{
	uint64_t sum = total(run);

	if (sum)
		fprintf(file, "# Throttled: %" PRIu64 "\n", sum);
	if (!longest_ns)
		return;
	fprintf(file, "# The kernel %s stopped real-time tasks, for up to %"
		PRId64 " us at a time; a cycle was %" PRId64 " us late\n",
		sum ? "has probably" : "may have", tw_ns_to_us(stop_ns),
		tw_ns_to_us(longest_ns));
	fprintf(file, "# %s (pid %d) used %.2f s of the same CPUs at real-time priority\n",
		worst.name, worst.id, (double)worst.ns / TW_NS_PER_S);
	if (fair_server)
		fprintf(file, "# (fair server, /sys/kernel/debug/sched/fair_server): not this kernel's latency\n");
	else
		fprintf(file, "# (sched_rt_runtime_us %" PRId64 " of %" PRId64
			"): not this kernel's latency; --rt-runtime=-1 lifts it\n",
			runtime_us, period_us);
}

static void json(FILE *file, const struct tw_run *run)
{
	int i;

	fprintf(file, "    \"throttled\": %" PRIu64 ",\n    \"throttling\": { \"rt_runtime_us\": %"
		PRId64 ", \"rt_period_us\": %" PRId64
		", \"fair_server\": %s, \"stall_us\": %" PRId64 ", \"task\": ",
		total(run), runtime_us, period_us,
		fair_server ? "true" : "false", tw_ns_to_us(stop_ns));
	rt_json_string(file, longest_ns ? worst.name : "");
	fprintf(file, ", \"pid\": %d, \"task_us\": %" PRId64
		", \"steps\": [", longest_ns ? worst.id : 0,
		longest_ns ? tw_ns_to_us(worst.ns) : 0);
	for (i = 0; i < run->steps; i++)
		fprintf(file, "%s%" PRIu64, i ? ", " : "", of_step[i]);
	fprintf(file, "] },\n");
}

const struct tw_part tw_part_throttle = {
	.begin = begin, .end = end, .room = room, .attach = attach,
	.record = record, .whole = true, .remark = text, .json = json,
};
