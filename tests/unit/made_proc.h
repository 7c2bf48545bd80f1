/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two made trees of /proc, before and after a run of 10 s. */
#ifndef MADE_PROC_H
#define MADE_PROC_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "check/tw_others.h"
#include "unit.h"

#define SELF	100
#define S	TW_NS_PER_S
#define MS	TW_NS_PER_MS
#define KERNEL	0x00200040u

struct task {
	int id;
	int process;		/* 0: the id */
	int parent;
	const char *name;
	unsigned int flags;
	int cpu;
	int64_t used_ns;	/* negative: no schedstat */
	int64_t reaped_ticks;
	uint64_t start;
	int ticks;
	int further_ticks;	/* of the process's other threads */
};

static char root[64];
static struct tw_others_state before, after;
static struct tw_others others;

static void make(const char *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void make(const char *text, const char *format, ...)
{
	char name[96], path[192];
	va_list args;
	FILE *file;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	snprintf(path, sizeof(path), "%s/proc/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void make_dir(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static void make_dir(const char *format, ...)
{
	char name[96], path[192];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	snprintf(path, sizeof(path), "%s/proc/%s", root, name);
	mkdir(path, 0700);
}

static void make_files(const struct task *task, const char *where, int threads,
		       int ticks)
{
	char text[512];

	snprintf(text, sizeof(text), "%d (%s) S %d 1 1 0 -1 %u 1 2 3 4 %d 0 %"
		 PRId64 " 0 20 0 %d 0 %" PRIu64
		 " 0 0 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 %d 0 0 0",
		 task->id, task->name, task->parent, task->flags, ticks,
		 task->reaped_ticks, threads, task->start, task->cpu);
	make(text, "%s/stat", where);
	snprintf(text, sizeof(text), "%" PRId64 " 5 7", task->used_ns);
	if (task->used_ns >= 0)
		make(text, "%s/schedstat", where);
}

/* The kernel's have no threads, and are many. */
static void make_task(const struct task *task)
{
	int process = task->process ? task->process : task->id;
	bool kernel = task->flags & KERNEL;
	char where[64];

	make_dir("%d", process);
	if (!kernel) {
		make_dir("%d/task", process);
		snprintf(where, sizeof(where), "%d/task/%d", process, task->id);
		make_dir("%s", where);
		make_files(task, where, 2, task->ticks);
	}
	if (task->process)
		return;
	snprintf(where, sizeof(where), "%d", process);
	make_files(task, where, kernel ? 1 : 2,
		   task->ticks + task->further_ticks);
}

/* In ms, of two CPUs: what tasks used, and interrupts. */
static void make_cpus(int used_0, int used_1, int taken, bool exact)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "cpu  1 0 0 7 0 0 0 0 0 0\n"
		 "cpu0 99 0 99 %d 0 %d 0 0 0 0\ncpu1 99 0 99 %d 0 0 0 0 0 0\n",
		 (100000 - used_0 - taken) / 10, taken / 10,
		 (100000 - used_1) / 10);
	make(text, "stat");
	snprintf(text, sizeof(text),
		 "version 15\ncpu0 0 0 0 0 0 0 %d000000 9 9\ndomain0 1 2 3\n"
		 "cpu1 0 0 0 0 0 0 %d000000 9 9\n", used_0, used_1);
	if (exact)
		make(text, "schedstat");
}

static int set_up(void **state)
{
	(void)state;
	/* In memory, if there is such: some tests make thousands of files. */
	snprintf(root, sizeof(root), "%s/test_others.XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(root))
		return -1;
	make_dir("%s", "");
	memset(&others, 0xaa, sizeof(others));
	return 0;
}

static int tear_down(void **state)
{
	char command[96];

	(void)state;
	tw_others_free(&before);
	tw_others_free(&after);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/*
 * 10 s, of which client and server used @sides_ns. /proc/stat's idle time is
 * 100 s at most, so that the second tree has 10 s more of it.
 */
static const struct tw_others_cpu *compare(const char *cpus, int64_t sides_ns)
{
	struct tw_others_run run = {
		.before = &before, .after = &after, .sides_ns = sides_ns,
		.children_ns = sides_ns, .self = SELF,
	};

	before.busy.at_ns = 5 * S;
	after.busy.at_ns = 15 * S;
	CPU_ZERO(&run.cpus);
	for (; *cpus; cpus++)
		CPU_SET(*cpus - '0', &run.cpus);
	tw_others_compare(&others, &run);
	assert_int_equal(others.elapsed_ns, 10 * S);
	return others.cpu;
}

static void read_before(void)
{
	assert_int_equal(tw_others_before(&before, root), 0);
}

static void read_after(void)
{
	assert_int_equal(tw_others_after(&after, root), 0);
}

/* What main itself is, before and after a run in which it used 20 ms. */
static const struct task main_before = {
	.id = SELF, .parent = 1, .name = "twowaytest", .start = 50,
	.used_ns = 100 * MS,
};
static const struct task main_after = {
	.id = SELF, .parent = 1, .name = "twowaytest", .start = 50,
	.used_ns = 120 * MS,
};

static void make_before(int used_0, int used_1)
{
	make_task(&main_before);
	make_cpus(used_0, used_1, 0, true);
}

static void make_after(int used_0, int used_1)
{
	make_task(&main_after);
	make_cpus(used_0, used_1, 0, true);
}

#endif /* MADE_PROC_H */
