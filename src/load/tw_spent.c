// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A task's file schedstat has both times, exact to a tick. It is kept open, as
 * to open it takes much longer than to read it. Which tasks are real-time is
 * looked up before the run, and within it only after one of ours has waited for
 * long: that takes some ms.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tw_cpus.h"
#include "tw_memory.h"
#include "tw_spent.h"
#include "tw_place.h"
#include "tw_policy.h"
#include "tw_proc.h"
#include "tw_read.h"
#include "tw_time.h"

#define ONCE_NS		TW_NS_PER_S	/* between two scans of all tasks */

struct tw_spents *tw_spents;

double tw_spent_within(int sample, int64_t from_ns, int64_t to_ns)
{
	int64_t begin_ns = tw_spent_at_ns(sample - 1);
	int64_t end_ns = tw_spent_at_ns(sample), all_ns = end_ns - begin_ns;

	if (from_ns > begin_ns)
		begin_ns = from_ns;
	if (to_ns < end_ns)
		end_ns = to_ns;
	return end_ns > begin_ns ? (double)(end_ns - begin_ns) / all_ns : 0;
}

static bool parse(struct tw_spent *to, int fd)
{
	char text[64] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 &&
	       sscanf(text, "%" SCNd64 " %" SCNd64, &to->ran_ns,
		      &to->waited_ns) == 2;
}

bool tw_spent_self(struct tw_spent *to)
{
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	bool told = parse(to, fd);

	if (fd >= 0)
		close(fd);
	return told;
}

bool tw_spent_told(void)
{
	return tw_spents && tw_spents->told;
}

/* As if it had spent that evenly since its begin. */
static void guess(struct tw_spent_task *task, int64_t ran_ns, int64_t age_ns)
{
	int64_t end_ns = tw_spent_at_ns(tw_spents->count - 1);
	int i;

	for (i = tw_spent_first() + 1; i < tw_spents->count; i++)
		tw_spent_of(task, i)->ran_ns = (int64_t)(
			tw_spent_within(i, end_ns - age_ns, end_ns) *
			(double)(tw_spent_at_ns(i) - tw_spent_at_ns(i - 1)) *
			((double)ran_ns / (double)age_ns));
}

static struct tw_spent_task *find(int id)
{
	struct tw_spent_task *task;

	for (task = tw_spents->task; task < tw_spent_behind(); task++)
		if (task->id == id && !task->ended)
			return task;
	return NULL;
}

/* NULL: there is no room, or it may not use any of the CPUs. */
static struct tw_spent_task *add(int id, int cpu)
{
	struct tw_spent_task *task = tw_spent_behind();
	cpu_set_t both;
	int i;

	if (tw_spents->tasks == TW_SPENT_TASKS)
		return NULL;
	*task = (struct tw_spent_task) { .id = id, .fd = -1 };
	if (tw_cpus_get(id, &task->cpus))
		return NULL;
	CPU_AND(&both, &task->cpus, &tw_spents->cpus);
	if (!CPU_COUNT(&both))
		return NULL;
	for (i = 0; i < TW_SPENT_KEPT; i++)
		task->part[i].cpu = cpu;
	tw_spents->tasks++;
	return task;
}

void tw_spent_add(int id, const struct tw_spent *last)
{
	struct tw_spent_task *task = tw_spent_told() ? find(id) : NULL;
	char path[32];

	if (task && task->ours)
		return;
	if (tw_spent_told() && !task)
		task = add(id, -1);
	if (!task)
		return;
	task->ours = true;
	task->last = last;
	snprintf(path, sizeof(path), "/proc/%d/comm", id);
	tw_read_text(task->name, sizeof(task->name), path);
}

/* What runs above all of them, such as migration/0, is none of them. */
static bool is_realtime(const struct tw_task *task)
{
	return (task->policy == SCHED_FIFO || task->policy == SCHED_RR ||
		task->policy == SCHED_DEADLINE) &&
	       !(task->kernel && task->priority == 99);
}

void tw_spent_scan(void)
{
	const int64_t tick_ns = TW_NS_PER_S / sysconf(_SC_CLK_TCK);
	int64_t now_ns = tw_now_ns(CLOCK_BOOTTIME), age_ns;
	const struct tw_task *found = tw_spents->all.task;
	struct tw_spent_task *task;
	int i;

	if (tw_spent_at_ns(tw_spents->count - 1) - tw_spents->scanned_ns <
	    ONCE_NS || tw_snapshot_read(&tw_spents->all))
		return;
	tw_spents->scanned_ns = tw_now_ns(CLOCK_MONOTONIC);
	for (i = 0; i < tw_spents->all.count; i++, found++) {
		task = is_realtime(found) && !find(found->id) ?
		       add(found->id, found->cpu) : NULL;
		if (!task)
			continue;
		memcpy(task->name, found->name, sizeof(task->name));
		task->total.ran_ns = found->ns;
		age_ns = now_ns - (int64_t)found->start * tick_ns;
		guess(task, found->ns, age_ns > tick_ns ? age_ns : tick_ns);
	}
}

/* What a host takes from all counts as if a real-time task had used it. */
static void add_hosts(void)
{
	struct tw_spent_task *task;
	int cpu, i;

	tw_spents->hosted = false;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		tw_spents->hosted |= tw_spents->all.cpu[cpu].host_ns > 0;
	for (cpu = 0; tw_spents->hosted && cpu < CPU_SETSIZE; cpu++) {
		task = tw_spent_behind();
		if (!CPU_ISSET(cpu, &tw_spents->cpus) ||
		    tw_spents->tasks == TW_SPENT_TASKS)
			continue;
		tw_spents->tasks++;
		*task = (struct tw_spent_task) {
			.fd = -1,
			.total = { .ran_ns = tw_spents->all.cpu[cpu].host_ns },
		};
		CPU_SET(cpu, &task->cpus);
		for (i = 0; i < TW_SPENT_KEPT; i++)
			task->part[i].cpu = cpu;
	}
}

/* Before it, nothing is known but how long tasks have had the CPU until now. */
void tw_spent_begin(const cpu_set_t *cpus, int64_t period_ns)
{
	struct tw_spent spent;
	int i;

	if (!tw_spents)
		tw_spents = tw_memory_own(sizeof(*tw_spents));
	/* Else the numbers of /proc are those of another PID namespace. */
	tw_spents->told = tw_proc_self() == getpid() && tw_spent_self(&spent);
	tw_spents->cpus = *cpus;
	tw_spents->period_ns = period_ns;
	tw_spents->tasks = 0;
	for (i = 0; i <= TW_SPENT_SAMPLES; i++)
		tw_spents->at_ns[i] = tw_now_ns(CLOCK_MONOTONIC) - period_ns +
				    period_ns * i / TW_SPENT_SAMPLES;
	tw_spents->count = i;
	tw_spents->scanned_ns = 0;
	tw_spent_scan();
	add_hosts();
}

static void open_task(struct tw_spent_task *task)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/schedstat", task->id);
	task->fd = open(path, O_RDONLY | O_CLOEXEC);
}

static void close_task(struct tw_spent_task *task)
{
	if (task->fd >= 0)
		close(task->fd);
	task->fd = -1;
	task->ended = true;
	task->ended_ns = tw_now_ns(CLOCK_MONOTONIC);
}

/* One that may move is where it was last. */
static int cpu_of(const struct tw_spent_task *task)
{
	int cpu = tw_place_single(&task->cpus);
	struct tw_stat stat;

	if (cpu < 0 && tw_proc_stat(&stat, task->id, task->id))
		cpu = (int)stat.field[TW_STAT_CPU];
	return cpu;
}

static int64_t more(int64_t now_ns, int64_t before_ns)
{
	return now_ns > before_ns ? now_ns - before_ns : 0;
}

static void take(struct tw_spent_task *task, int sample)
{
	struct tw_spent *to = tw_spent_of(task, sample);
	struct tw_spent now = task->total;

	if (task->id && task->fd < 0)
		open_task(task);
	task->part[sample % TW_SPENT_KEPT].cpu = cpu_of(task);
	if (!task->id)
		now.ran_ns = tw_spents->all.cpu[cpu_of(task)].host_ns;
	else if (parse(&now, task->fd))
		task->known = true;
	else
		close_task(task);
	if (task->ended && task->last && task->last->ran_ns)
		now = *task->last;
	to->ran_ns += more(now.ran_ns, task->total.ran_ns);
	to->waited_ns += more(now.waited_ns, task->total.waited_ns);
	task->total = now;
}

static void forget(int64_t now_ns)
{
	struct tw_spent_task *task = tw_spent_behind();

	while (task-- > tw_spents->task)
		if (task->ended &&
		    now_ns - task->ended_ns > 2 * tw_spents->period_ns)
			*task = tw_spents->task[--tw_spents->tasks];
}

/* One that follows too soon is as if the one before had been taken later. */
void tw_spent_sample(bool now)
{
	const int64_t period_ns = tw_spents->period_ns;
	const int64_t least_ns = period_ns / TW_SPENT_SAMPLES / 4 * 3;
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	int last = tw_spents->count - 1;
	struct tw_spent_task *task;

	if (!tw_spent_told() ||
	    (!now && now_ns - tw_spent_at_ns(last) < least_ns))
		return;
	forget(now_ns);
	if (tw_spent_at_ns(last) - tw_spent_at_ns(last - 1) >= least_ns) {
		last++;
		tw_spents->count++;
		for (task = tw_spents->task; task < tw_spent_behind(); task++)
			*tw_spent_of(task, last) = (struct tw_spent) {
				.ran_ns = 0
			};
	}
	tw_spents->at_ns[last % TW_SPENT_KEPT] = now_ns;
	if (tw_spents->hosted)
		tw_snapshot_read_cpus(&tw_spents->all);
	for (task = tw_spents->task; task < tw_spent_behind(); task++)
		if (!task->ended)
			take(task, last);
}

void tw_spent_end(void)
{
	int i;

	for (i = 0; tw_spents && i < tw_spents->tasks; i++)
		close_task(&tw_spents->task[i]);
}
