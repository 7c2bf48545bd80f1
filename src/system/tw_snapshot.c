// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rt-utils.h"
#include "tw_others.h"
#include "tw_read.h"
#include "tw_time.h"

#define SCAN_NS		(200 * TW_NS_PER_MS)
#define KERNEL_THREAD	0x00200000	/* PF_KTHREAD */

/* An odd file may have any number. */
static int64_t from_ticks(int64_t ticks)
{
	const int64_t tick_ns = TW_NS_PER_S / sysconf(_SC_CLK_TCK);

	return ticks < INT64_MAX / 16 / tick_ns ? ticks * tick_ns : 0;
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

/* Returns the number of threads of its process; 0: it has ended. */
static int64_t read_task(struct tw_task *task, const char *path)
{
	/* Fields of proc(5). */
	enum { FLAGS = 9, USER = 14, SYSTEM, THREADS = 20, START = 22,
	       CPU = 39, PRIORITY, POLICY, FIELDS };
	char text[1024], *name, *end;
	int64_t field[FIELDS];
	int i;

	if (!tw_read_text(text, sizeof(text), path))
		return 0;
	name = strchr(text, '(');
	end = strrchr(text, ')');
	for (i = FLAGS; i < FIELDS; i++)
		if (!name || !tw_read_field(end, i, &field[i]))
			return 0;
	*end = '\0';
	*task = (struct tw_task) {
		.id = atoi(text), .cpu = (int)field[CPU],
		.start = field[START], .policy = (int)field[POLICY],
		.priority = (int)field[PRIORITY],
		.ns = from_ticks(field[USER] + field[SYSTEM]),
		.kernel = field[FLAGS] & KERNEL_THREAD,
	};
	snprintf(task->name, sizeof(task->name), "%.27s", name + 1);
	task->interrupts = task->kernel && works_for_interrupts(task->name);
	return field[THREADS];
}

/* The threads of a process, or of all: @path is /proc or /proc/PID/task. */
static void scan(struct tw_snapshot *to, const char *path, bool all,
		 int64_t end_ns)
{
	char self[32] = "", file[300];
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (readlink("/proc/self", self, sizeof(self) - 1) < 0)
		self[0] = '\0';
	while (dir && (entry = readdir(dir))) {
		int64_t threads;

		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !strcmp(entry->d_name, self))
			continue;
		if (to->count == TW_OTHERS_TASKS ||
		    tw_now_ns(CLOCK_MONOTONIC) > end_ns) {
			to->complete = false;
			break;
		}
		/* The first thread; /proc/PID/stat is the sum of all. */
		snprintf(file, sizeof(file), all ? "%s/%.16s/task/%.16s/stat" :
			 "%s/%.16s/stat", path, entry->d_name, entry->d_name);
		threads = read_task(&to->task[to->count], file);
		snprintf(file, sizeof(file), "%s/%.16s/task", path,
			 entry->d_name);
		if (all && threads > 1)
			scan(to, file, false, end_ns);
		else
			to->count += threads > 0;
	}
	if (dir)
		closedir(dir);
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

int tw_task_compare(const void *a, const void *b)
{
	const struct tw_task *one = a, *two = b;

	return (one->id > two->id) - (one->id < two->id);
}

int tw_snapshot_read(struct tw_snapshot *to)
{
	to->at_ns = tw_now_ns(CLOCK_MONOTONIC);
	if (!read_cpus(to, "/proc/stat", parse_stat))
		return -ENODATA;
	to->exact = read_cpus(to, "/proc/schedstat", parse_schedstat);
	to->complete = true;
	to->count = 0;
	scan(to, "/proc", true, to->at_ns + SCAN_NS);
	qsort(to->task, to->count, sizeof(to->task[0]), tw_task_compare);
	return 0;
}
