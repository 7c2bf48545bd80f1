// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rt-utils.h"
#include "base/tw_kfile.h"
#include "base/tw_system.h"
#include "base/tw_time.h"
#include "check/tw_tasks.h"

#define SIZE		(TW_TASKS_MAX * sizeof(struct tw_task_row))
#define KERNEL_THREAD	0x00200000u	/* PF_KTHREAD of the kernel */
#define GENERATIONS	64	/* more only if what was read is not true */

struct scan {
	struct tw_tasks *tasks;
	const char *root;
	int64_t end_ns;
};

int64_t tw_tick_ns(void)
{
	return TW_NS_PER_S / sysconf(_SC_CLK_TCK);
}

static bool works_for_interrupts(const char *name)
{
	static const char *const begins[] = {
		"ksoftirqd/", "ktimers/", "ktimersoftd/", "irq/", "irq_work/",
		"rcuc/",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* The name is in brackets, and may contain brackets itself. */
static bool parse(struct tw_task_row *row, char *text, long *threads)
{
	char *name = strchr(text, '('), *end = strrchr(text, ')');
	uint64_t user, system;
	int64_t user_reaped, system_reaped;
	unsigned int flags;

	if (!name || !end || end < name)
		return false;
	*end = '\0';
	snprintf(row->name, sizeof(row->name), "%.*s", TW_TASK_NAME - 1,
		 name + 1);
	if (sscanf(end + 1, " %*c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %"
		   SCNu64 " %" SCNu64 " %" SCNd64 " %" SCNd64
		   " %*d %*d %ld %*d %" SCNu64
		   " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
		   " %*s %*s %d", &row->parent, &flags, &user, &system,
		   &user_reaped, &system_reaped, threads, &row->start,
		   &row->cpu) != 9)
		return false;
	row->used_ns = (int64_t)(user + system) * tw_tick_ns();
	row->reaped_ns = (user_reaped + system_reaped) * tw_tick_ns();
	row->coarse = true;
	row->kernel = flags & KERNEL_THREAD;
	row->interrupts = row->kernel && works_for_interrupts(row->name);
	return true;
}

/* In ns; some kernels lack the file, or only zeros are in it. */
static void read_exactly(struct tw_task_row *row, const char *root,
			 const char *path)
{
	int64_t used_ns;
	char text[128];

	if (!tw_kfile_text(root, text, sizeof(text), "%s/schedstat", path) ||
	    sscanf(text, "%" SCNd64, &used_ns) != 1 || used_ns <= 0)
		return;
	row->used_ns = used_ns;
	row->coarse = false;
}

/* In ticks; a process's own file has the time of all its threads. */
static bool read_first_thread(struct tw_task_row *row, const char *root)
{
	struct tw_task_row thread = { .id = row->id };
	char text[1024];
	long threads;

	if (!tw_kfile_text(root, text, sizeof(text), "/proc/%d/task/%d/stat",
			   row->id, row->id) ||
	    !parse(&thread, text, &threads))
		return false;
	row->used_ns = thread.used_ns;
	return true;
}

/* A task that ends meanwhile is left out. Returns its number of threads. */
static long read_task(struct scan *scan, int process, int id, const char *path)
{
	struct tw_tasks *tasks = scan->tasks;
	struct tw_task_row row = { .id = id, .process = process };
	char text[1024];
	long threads = 0;

	if (!tw_kfile_text(scan->root, text, sizeof(text), "%s/stat", path) ||
	    !parse(&row, text, &threads))
		return 0;
	if (tasks->count == TW_TASKS_MAX) {
		tasks->complete = false;
		return 0;
	}
	if (id == process)
		row.process_ns = row.used_ns;
	else	/* The process's, in the file of each of its threads. */
		row.reaped_ns = 0;
	read_exactly(&row, scan->root, path);
	if (id == process && row.coarse && !row.kernel &&
	    !read_first_thread(&row, scan->root))
		return 0;
	tasks->row[tasks->count++] = row;
	return threads;
}

/* The next directory whose name is a number; 0: none, or the time is over. */
static int next(struct scan *scan, DIR *dir)
{
	struct dirent *entry;

	if (tw_now_ns(CLOCK_MONOTONIC) > scan->end_ns)
		scan->tasks->complete = false;
	while (scan->tasks->complete && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			return atoi(entry->d_name);
	return 0;
}

static DIR *open_dir(const char *root, const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return opendir(full);
}

/* All threads but the first, which has the process's number. */
static void read_threads(struct scan *scan, int process)
{
	char path[64];
	DIR *dir;
	int id;

	snprintf(path, sizeof(path), "/proc/%d/task", process);
	dir = open_dir(scan->root, path);
	if (!dir)
		return;
	while ((id = next(scan, dir))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d", process, id);
		if (id != process)
			read_task(scan, process, id, path);
	}
	closedir(dir);
}

static int compare(const void *a, const void *b)
{
	const struct tw_task_row *one = a, *two = b;

	return (one->id > two->id) - (one->id < two->id);
}

int tw_tasks_read(struct tw_tasks *tasks, const char *root)
{
	struct scan scan = {
		.tasks = tasks, .root = root,
		.end_ns = tw_now_ns(CLOCK_MONOTONIC) +
			  TW_TASKS_MS * TW_NS_PER_MS,
	};
	char path[64];
	DIR *dir;
	int id;

	*tasks = (struct tw_tasks) { .complete = true };
	dir = open_dir(root, "/proc");
	if (!dir)
		return -errno;
	tasks->row = tw_system_map_own(SIZE);
	if (!tasks->row) {
		closedir(dir);
		return -ENOMEM;
	}
	while ((id = next(&scan, dir))) {
		snprintf(path, sizeof(path), "/proc/%d", id);
		if (read_task(&scan, id, id, path) > 1)
			read_threads(&scan, id);
	}
	closedir(dir);
	qsort(tasks->row, tasks->count, sizeof(*tasks->row), compare);
	return 0;
}

void tw_tasks_free(struct tw_tasks *tasks)
{
	if (tasks->row)
		munmap(tasks->row, SIZE);
	*tasks = (struct tw_tasks) { .row = NULL };
}

const struct tw_task_row *tw_tasks_find(const struct tw_tasks *tasks, int id)
{
	const struct tw_task_row key = { .id = id };

	return tasks->count ? bsearch(&key, tasks->row, tasks->count,
				      sizeof(key), compare) : NULL;
}

bool tw_tasks_descends(const struct tw_tasks *tasks,
		       const struct tw_task_row *row, int self)
{
	int i;

	for (i = 0; row && i < GENERATIONS; i++) {
		if (row->process == self)
			return true;
		row = tw_tasks_find(tasks, row->parent);
	}
	return false;
}
