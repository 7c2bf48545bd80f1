// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tw_array.h"
#include "tw_others.h"
#include "tw_proc.h"
#include "tw_read.h"
#include "tw_time.h"

#define SCAN_NS		(200 * TW_NS_PER_MS)
#define KERNEL_THREAD	0x00200000	/* PF_KTHREAD */

/* An odd file may have any number. */
static int64_t from_ticks(int64_t ticks)
{
	const int64_t tick_ns = TW_NS_PER_S / sysconf(_SC_CLK_TCK);

	return ticks > 0 && ticks < INT64_MAX / 16 / tick_ns ?
	       ticks * tick_ns : 0;
}

static bool works_for_interrupts(const char *name)
{
	static const char *const begins[] = {
		"ksoftirqd/", "ktimers/", "irq/", "irq_work/", "rcuc/",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* false: it has ended. */
static bool read_task(struct tw_task *task, int pid, int tid)
{
	const int64_t *field;
	struct tw_stat stat;

	if (!tw_proc_stat(&stat, pid, tid))
		return false;
	field = stat.field;
	*task = (struct tw_task) {
		.id = tid, .cpu = (int)field[TW_STAT_CPU],
		.start = field[TW_STAT_START],
		.policy = (int)field[TW_STAT_POLICY],
		.priority = (int)field[TW_STAT_PRIORITY],
		.ns = from_ticks(field[TW_STAT_USER]) +
		      from_ticks(field[TW_STAT_SYSTEM]),
		.kernel = field[TW_STAT_FLAGS] & KERNEL_THREAD,
	};
	if (pid == tid)
		task->children_ns = from_ticks(field[TW_STAT_CHILDREN_USER]) +
				    from_ticks(field[TW_STAT_CHILDREN_SYSTEM]);
	memcpy(task->name, stat.name, sizeof(task->name));
	task->interrupts = task->kernel && works_for_interrupts(task->name);
	return true;
}

/* What is to be filled in, and the process whose threads are read. */
struct scan {
	struct tw_snapshot *to;
	int self, pid;
};

static bool add_thread(int tid, void *arg)
{
	const struct scan *scan = arg;
	struct tw_snapshot *to = scan->to;

	to->complete = to->count < TW_OTHERS_TASKS &&
		       tw_now_ns(CLOCK_MONOTONIC) < to->at_ns + SCAN_NS;
	if (to->complete)
		to->count += read_task(&to->task[to->count], scan->pid, tid);
	return to->complete;
}

static bool add_process(int pid, void *arg)
{
	struct scan *scan = arg;
	char path[32];

	scan->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	if (pid != scan->self)
		tw_proc_each(path, add_thread, scan);
	return scan->to->complete;
}

/* Idle and what follows; the time that tasks ran is counted by ticks only. */
static bool parse_stat(struct tw_cpu_time *to, const char *text)
{
	int64_t idle, io, irq, softirq, host;

	to->known = sscanf(text, "%*u %*u %*u %" SCNd64 " %" SCNd64 " %" SCNd64
			   " %" SCNd64 " %" SCNd64, &idle, &io, &irq, &softirq,
			   &host) == 5;
	if (!to->known)
		return false;
	to->idle_ns = from_ticks(idle + io);
	to->interrupt_ns = from_ticks(irq + softirq);
	to->host_ns = from_ticks(host);
	return true;
}

static bool parse_schedstat(struct tw_cpu_time *to, const char *text)
{
	return sscanf(text, "%*u %*u %*u %*u %*u %*u %" SCNd64,
		      &to->task_ns) == 1;
}

/* Returns whether there are lines of CPUs, and all were understood. */
static bool read_cpus(struct tw_snapshot *to, const char *path,
		      bool (*parse)(struct tw_cpu_time *to, const char *text))
{
	char *text = tw_read_all(path), *line, *rest = text;
	bool any = false, all = true;
	int cpu, len;

	while ((line = strsep(&rest, "\n")))
		if (isdigit((unsigned char)line[strcspn(line, "0123456789 ")]) &&
		    sscanf(line, "cpu%d %n", &cpu, &len) == 1 &&
		    cpu >= 0 && cpu < CPU_SETSIZE) {
			any = true;
			all &= parse(&to->cpu[cpu], line + len);
		}
	free(text);
	return any && all;
}

static int compare(const void *a, const void *b)
{
	const struct tw_task *one = a, *two = b;

	return (one->id > two->id) - (one->id < two->id);
}

const struct tw_task *tw_snapshot_find(const struct tw_snapshot *in,
				       const struct tw_task *task)
{
	const struct tw_task *found = bsearch(task, in->task, in->count,
					      sizeof(*task), compare);

	return found && found->start == task->start ? found : NULL;
}

int tw_snapshot_read_cpus(struct tw_snapshot *to)
{
	return read_cpus(to, "/proc/stat", parse_stat) ? 0 : -ENODATA;
}

int tw_snapshot_read(struct tw_snapshot *to)
{
	struct scan scan = { .to = to, .self = tw_proc_self() };

	to->at_ns = tw_now_ns(CLOCK_MONOTONIC);
	to->count = 0;
	if (tw_snapshot_read_cpus(to))
		return -ENODATA;
	to->exact = read_cpus(to, "/proc/schedstat", parse_schedstat);
	to->complete = true;
	tw_proc_each("/proc", add_process, &scan);
	qsort(to->task, to->count, sizeof(to->task[0]), compare);
	return 0;
}
