// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tw_proc.h"
#include "tw_time.h"

/* Into @text, which is then a string. */
static bool load(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
	return true;
}

bool tw_proc_stat(struct tw_stat *stat, const char *path)
{
	char text[512], *end;
	int i;

	if (!load(path, text, sizeof(text)))
		return false;
	/* The name is in brackets, and may contain some itself. */
	end = strrchr(text, ')');
	if (!end || strlen(end) < 4 || !strchr(text, '('))
		return false;
	*end = '\0';
	snprintf(stat->name, sizeof(stat->name), "%s", strchr(text, '(') + 1);
	end += 3;	/* also the state, a letter */
	for (i = TW_STAT_PARENT; i <= TW_STAT_FIELDS; i++)
		stat->field[i] = strtoll(end, &end, 10);
	return true;
}

bool tw_proc_number(int64_t *number, const char *path)
{
	char text[32], *end;

	if (!load(path, text, sizeof(text)))
		return false;
	*number = strtoll(text, &end, 10);
	return end != text;
}

static bool is_realtime(pid_t tid)
{
	int policy = sched_getscheduler(tid) & ~SCHED_RESET_ON_FORK;

	return policy == SCHED_FIFO || policy == SCHED_RR;
}

/* A process also has the time of the children that it has reaped. */
static bool read_task(struct tw_task *task, pid_t pid)
{
	struct tw_stat stat;
	char path[64];
	int64_t ticks;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, task->tid);
	if (!tw_proc_stat(&stat, path) ||
	    sched_getaffinity(task->tid, sizeof(task->cpus), &task->cpus))
		return false;
	ticks = stat.field[TW_STAT_UTIME] + stat.field[TW_STAT_STIME];
	if (task->tid == pid)
		ticks += stat.field[TW_STAT_CUTIME] +
			 stat.field[TW_STAT_CSTIME];
	memcpy(task->name, stat.name, sizeof(task->name));
	task->ns = ticks * (TW_NS_PER_S / sysconf(_SC_CLK_TCK));
	return true;
}

/* Adds those of the process @pid to the @count tasks. */
static int read_process(struct tw_task **tasks, int count, pid_t pid)
{
	struct dirent *entry;
	struct tw_task *more;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		pid_t tid = atoi(entry->d_name);

		if (tid <= 0 || !is_realtime(tid))
			continue;
		more = realloc(*tasks, (count + 1) * sizeof(*more));
		if (!more)
			break;
		*tasks = more;
		more[count].tid = tid;
		count += read_task(&more[count], pid);
	}
	if (dir)
		closedir(dir);
	return count;
}

int tw_proc_realtime(struct tw_task **tasks)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int count = 0;

	*tasks = NULL;
	while (proc && (entry = readdir(proc)))
		if (atoi(entry->d_name) > 0)
			count = read_process(tasks, count,
					     atoi(entry->d_name));
	if (proc)
		closedir(proc);
	return count;
}
