// SPDX-License-Identifier: GPL-2.0-or-later
/* What is read of CPUs and tasks, from a made /proc. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"
#include "tw_others.h"
#include "tw_proc.h"
#include "tw_read.h"
#include "tw_time.h"

#define CPU		1
#define TIMES		"14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 " \
			"30 31 32 33 34 35 36 37 38 39 40 41 42\n"
/* Each field is its number in proc(5). */
#define FIELDS		"S 4 5 6 7 8 9 10 11 12 13 " TIMES
#define KERNEL_FIELDS	"S 4 5 6 7 8 2097152 10 11 12 13 " TIMES
#define STAT		"cpu  1 1 1 1 1 1 1\ncpu1 1 2 3 40 50 6 7 8 9\nintr 5\n"
#define SCHEDSTAT	"version 15\ncpu1 1 2 3 4 5 6 77 8 9\ndomain0 3 1 2\n"

/* Two processes, the second of which has two threads, and this one. */
static int processes[] = { 70, 0, 30, -1 };
static int threads[] = { 70, 31, 30, -1 };
static const char *of_cpus, *of_tasks, *of_schedule;
static int64_t now_ns, step_ns;
static int crowd;		/* more threads of the first process */
static int asked;		/* the sum of the threads' numbers */

int __wrap_clock_gettime(clockid_t clockid, struct timespec *now);
int __wrap_clock_gettime(clockid_t clockid, struct timespec *now)
{
	assert_int_equal(clockid, CLOCK_MONOTONIC);
	*now = tw_ns_to_ts(now_ns);
	now_ns += step_ns;
	return 0;
}

char *__wrap_tw_read_all(const char *path);
char *__wrap_tw_read_all(const char *path)
{
	const char *text = !strcmp(path, "/proc/stat") ? of_cpus :
			   !strcmp(path, "/proc/schedstat") ? of_schedule :
			   NULL;

	return text ? strdup(text) : NULL;
}

ssize_t __wrap_tw_read_bytes(void *bytes, size_t size, const char *path);
ssize_t __wrap_tw_read_bytes(void *bytes, size_t size, const char *path)
{
	int pid, tid;

	assert_int_equal(sscanf(path, "/proc/%d/task/%d/stat", &pid, &tid), 2);
	assert_int_equal(pid / 10, tid / 10);
	asked += tid;
	return of_tasks ? snprintf(bytes, size, "%d %s", tid, of_tasks) : -1;
}

void __wrap_tw_proc_each(const char *path, bool (*each)(int, void *),
			 void *arg);
void __wrap_tw_proc_each(const char *path, bool (*each)(int, void *),
			 void *arg)
{
	int pid = 0, i;

	if (!strcmp(path, "/proc")) {
		for (i = 0; processes[i] >= 0; i++)
			if (!each(processes[i] ? processes[i] : getpid(), arg))
				return;
		return;
	}
	assert_int_equal(sscanf(path, "/proc/%d/task", &pid), 1);
	assert_int_not_equal(pid, getpid());
	for (i = 0; i < crowd && pid == processes[0]; i++)
		if (!each(pid, arg))
			return;
	for (i = 0; threads[i] >= 0; i++)
		if (threads[i] / 10 == pid / 10 && !each(threads[i], arg))
			return;
}

static struct tw_snapshot *taken;
static int64_t tick_ns;

BEFORE_EACH {
	taken = taken ? taken : calloc(2, sizeof(*taken));
	assert_non_null(taken);
	memset(taken->cpu, 0, sizeof(taken->cpu));
	tick_ns = TW_NS_PER_S / sysconf(_SC_CLK_TCK);
	now_ns = 7 * TW_NS_PER_S;
	step_ns = crowd = asked = 0;
	of_cpus = STAT;
	of_schedule = SCHEDSTAT;
	of_tasks = NULL;
}

static const struct cpus {
	const char *name, *stat, *schedstat;
	bool known;
	int idle, interrupt, host;	/* ticks */
	bool exact;
	int64_t task_ns;
} cpus[] = {
	{ "usual", STAT, SCHEDSTAT, true, 90, 13, 8, true, 77 },
	{ "without schedstat", STAT, NULL, true, 90, 13, 8, false, 0 },
	{ "schedstat without CPUs", STAT, "version 15\n", true, 90, 13, 8,
	  false, 0 },
	{ "a short schedstat", STAT, "cpu1 1 2 3 4 5 6\n", true, 90, 13, 8,
	  false, 0 },
	{ "without stat", NULL, SCHEDSTAT, false, 0, 0, 0, false, 0 },
	{ "all CPUs only", "cpu  1 2 3 40 50 6 7 8\n", SCHEDSTAT,
	  false, 0, 0, 0, false, 0 },
	{ "a kernel that knows no host", "cpu1 1 2 3 40 50 6 7\n", SCHEDSTAT,
	  false, 0, 0, 0, false, 0 },
	{ "a CPU that there cannot be", "cpu99999 1 2 3 40 50 6 7 8\n",
	  SCHEDSTAT, false, 0, 0, 0, false, 0 },
	{ "one of two is odd", STAT "cpu2 1 2 3\n", SCHEDSTAT,
	  false, 0, 0, 0, false, 0 },
	{ "odd numbers", "cpu1 1 2 3 0 -5 9223372036854775 0 -8\n", SCHEDSTAT,
	  true, 0, 0, 0, true, 77 },
};

TEST_EACH(reads_cpus, cpus)
{
	const struct tw_cpu_time *cpu = &taken->cpu[CPU];

	of_cpus = of->stat;
	of_schedule = of->schedstat;
	assert_int_equal(tw_snapshot_read(taken) == 0, of->known);
	if (!of->known)
		return;
	assert_true(cpu->known && taken->complete);
	assert_int_equal(taken->at_ns, 7 * TW_NS_PER_S);
	assert_int_equal(cpu->idle_ns, of->idle * tick_ns);
	assert_int_equal(cpu->interrupt_ns, of->interrupt * tick_ns);
	assert_int_equal(cpu->host_ns, of->host * tick_ns);
	assert_int_equal(taken->exact, of->exact);
	assert_int_equal(cpu->task_ns, of->task_ns);
}

static const struct tasks {
	const char *name, *stat;
	const char *task;	/* its name; NULL: it is none */
	bool kernel, interrupts;
} tasks[] = {
	{ "a program", "(irq/9-x) " FIELDS, "irq/9-x", false, false },
	{ "of the kernel", "(kswapd0) " KERNEL_FIELDS, "kswapd0", true, false },
	{ "irq", "(irq/9-x) " KERNEL_FIELDS, "irq/9-x", true, true },
	{ "irq_work", "(irq_work/1) " KERNEL_FIELDS, "irq_work/1", true, true },
	{ "ksoftirqd", "(ksoftirqd/1) " KERNEL_FIELDS, "ksoftirqd/1", true,
	  true },
	{ "ktimers", "(ktimers/1) " KERNEL_FIELDS, "ktimers/1", true, true },
	{ "rcuc", "(rcuc/1) " KERNEL_FIELDS, "rcuc/1", true, true },
	{ "brackets", "(a) (b\n) " FIELDS, "a) (b?", false, false },
	{ "a long name", "(0123456789012345678901234567) " FIELDS,
	  "012345678901234567890123456", false, false },
	{ "cut off", "(a) S 4 5 6 7 8 9 10", NULL, false, false },
	{ "nothing behind it", "(a) ", NULL, false, false },
	{ "no name", "1 2 3", NULL, false, false },
	{ "no number", "(a) S 4 5 x " FIELDS, NULL, false, false },
	{ "ended", NULL, NULL, false, false },
};

TEST_EACH(reads_tasks, tasks)
{
	static const int ids[] = { 30, 31, 70 };
	const struct tw_task *task;
	int i;

	of_tasks = of->stat;
	assert_int_equal(tw_snapshot_read(taken), 0);
	assert_true(taken->complete);
	assert_int_equal(asked, 30 + 31 + 70);
	assert_int_equal(taken->count, of->task ? 3 : 0);
	for (i = 0; i < taken->count; i++) {
		task = &taken->task[i];
		assert_int_equal(task->id, ids[i]);
		assert_string_equal(task->name, of->task);
		assert_int_equal(task->ns, (14 + 15) * tick_ns);
		assert_int_equal(task->children_ns,
				 ids[i] == 31 ? 0 : (16 + 17) * tick_ns);
		assert_int_equal(task->start, 22);
		assert_int_equal(task->cpu, 39);
		assert_int_equal(task->priority, 40);
		assert_int_equal(task->policy, 41);
		assert_int_equal(task->kernel, of->kernel);
		assert_int_equal(task->interrupts, of->interrupts);
	}
}

static const struct many {
	const char *name;
	int more, step_ms;
	bool complete;
	int count;
} many[] = {
	{ "all that there is room for", TW_OTHERS_TASKS - 3, 0, true,
	  TW_OTHERS_TASKS },
	{ "more than that", TW_OTHERS_TASKS - 2, 0, false, TW_OTHERS_TASKS },
	/* The first is the time of the snapshot. */
	{ "just in time", 196, 1, true, 199 },
	{ "too slow", 197, 1, false, 199 },
};

TEST_EACH(reads_many, many)
{
	of_tasks = "(a) " FIELDS;
	crowd = of->more;
	step_ns = of->step_ms * TW_NS_PER_MS;
	assert_int_equal(tw_snapshot_read(taken), 0);
	assert_int_equal(taken->complete, of->complete);
	assert_int_equal(taken->count, of->count);
}

TEST(finds_the_same_task)
{
	struct tw_task task = { .id = 31, .start = 22 };

	of_tasks = "(a) " FIELDS;
	assert_int_equal(tw_snapshot_read(taken), 0);
	assert_ptr_equal(tw_snapshot_find(taken, &task), &taken->task[1]);
	task.start++;
	assert_null(tw_snapshot_find(taken, &task));
}
