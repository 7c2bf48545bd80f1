// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The settings of a process, by script: the kernel's answers stand here in
 * place of this machine's, so the source is compiled here.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "rt-numa.h"
#include "base/tw_kfile.h"
#include "base/tw_system.h"
#include "unit.h"

static struct {
	int policy, priority;		/* of this process */
	cpu_set_t cpus;
	int lock_flags;
	const char *field;		/* the one that can be read ... */
	int64_t kilobytes;		/* ... and its value */
	int write_err;
	bool no_numa;
	void *moved;
	size_t moved_size;
	int node;
} kernel;

static int get_scheduler(void)
{
	return kernel.policy;
}

static int set_scheduler(int policy, const struct sched_param *param)
{
	kernel.policy = policy;
	kernel.priority = param->sched_priority;
	return 0;
}

static int get_param(struct sched_param *param)
{
	param->sched_priority = kernel.priority;
	return 0;
}

static int get_affinity(cpu_set_t *cpus)
{
	*cpus = kernel.cpus;
	return 0;
}

static int lock_all(int flags)
{
	kernel.lock_flags = flags;
	return 0;
}

static bool read_field(int64_t *number, const char *path, const char *name)
{
	char asked[64];

	snprintf(asked, sizeof(asked), "%s %s", path, name);
	if (!kernel.field || strcmp(asked, kernel.field))
		return false;
	*number = kernel.kilobytes;
	return true;
}

/* A file in place of the device; its content is what was requested. */
static char latency_file[] = "/tmp/test_system.XXXXXX";

static int open_device(const char *path, int flags)
{
	assert_string_equal(path, "/dev/cpu_dma_latency");
	return open(latency_file, flags);
}

static ssize_t write_device(int fd, const void *bytes, size_t size)
{
	if (kernel.write_err) {
		errno = kernel.write_err;
		return -1;
	}
	return write(fd, bytes, size);
}

static int get_usage(struct rusage *used)
{
	used->ru_minflt = 1;
	used->ru_majflt = 2;
	used->ru_nvcsw = 3;
	used->ru_nivcsw = 4;
	return 0;
}

/* Two nodes: the CPUs below 4, and the others. */
static int node_of_cpu(int cpu)
{
	return cpu < 4 ? 0 : 1;
}

static void move_memory(void *memory, size_t size, int node)
{
	kernel.moved = memory;
	kernel.moved_size = size;
	kernel.node = node;
}

#define sched_getscheduler(pid)	get_scheduler()
#define sched_setscheduler(pid, policy, param) \
	set_scheduler(policy, param)
#define sched_getparam(pid, param)		get_param(param)
#define sched_getaffinity(pid, size, cpus)	get_affinity(cpus)
#define mlockall(flags)				lock_all(flags)
#define tw_kfile_field(root, number, path, name) \
	read_field(number, path, name)
#define open(path, flags)			open_device(path, flags)
#define write(fd, bytes, size)	write_device(fd, bytes, size)
#define getrusage(who, used)			get_usage(used)
#define numa_initialize()			(!kernel.no_numa)
#define numa_node_of_cpu(cpu)			node_of_cpu(cpu)
#define numa_tonode_memory(memory, size, node) \
	move_memory(memory, size, node)
#include "base/tw_system.c"
#undef open
#undef write
#undef getrusage

static int set_up(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	return 0;
}

static cpu_set_t cpus_of(int one, int other)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(one, &cpus);
	CPU_SET(other, &cpus);
	return cpus;
}

static void test_leave_deadline(void **state)
{
	(void)state;
	kernel.policy = SCHED_DEADLINE;
	assert_int_equal(tw_system_leave_deadline(), 0);
	assert_int_equal(kernel.policy, SCHED_OTHER);
	kernel.policy = SCHED_FIFO;
	assert_int_equal(tw_system_leave_deadline(), 0);
	assert_int_equal(kernel.policy, SCHED_FIFO);
}

static void test_policy_names(void **state)
{
	static const struct { int policy; const char *name; } rows[] = {
		{ SCHED_OTHER, "other" }, { SCHED_FIFO, "fifo" },
		{ SCHED_RR, "rr" }, { SCHED_BATCH, "batch" },
		{ SCHED_IDLE, "idle" }, { 4, "unknown" },
		{ SCHED_DEADLINE, "unknown" }, { INT_MAX, "unknown" },
		{ INT_MIN, "unknown" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(tw_system_policy_name(rows[i].policy),
				    rows[i].name);
}

/* Each setting on its own makes the difference. */
static void test_verify(void **state)
{
	static const struct {
		int policy, priority, cpu;
		bool locked;
		int64_t kilobytes;
		int err;
	} rows[] = {
		{ SCHED_FIFO, 5, 2, true, 4, 0 },
		{ SCHED_FIFO, 5, 2, false, 4, 0 },
		{ SCHED_FIFO, 5, 2, false, 0, 0 },
		{ SCHED_RR, 5, 2, true, 4, -EINVAL },
		{ SCHED_FIFO, 6, 2, true, 4, -EINVAL },
		{ SCHED_FIFO, 5, 3, true, 4, -EINVAL },
		{ SCHED_FIFO, 5, 2, true, 0, -EINVAL },
	};
	struct tw_settings settings;
	cpu_set_t cpus;
	size_t i;

	(void)state;
	/* A flag that is no policy. */
	kernel.policy = SCHED_FIFO | SCHED_RESET_ON_FORK;
	kernel.priority = 5;
	kernel.cpus = cpus_of(2, 2);
	kernel.field = "/proc/self/status VmLck";
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cpus = cpus_of(rows[i].cpu, rows[i].cpu);
		kernel.kilobytes = rows[i].kilobytes;
		assert_int_equal(tw_system_verify(&settings, rows[i].policy,
						  rows[i].priority, &cpus,
						  rows[i].locked),
				 rows[i].err);
		assert_int_equal(settings.policy, SCHED_FIFO);
		assert_int_equal(settings.priority, 5);
		assert_true(CPU_EQUAL(&settings.cpus, &kernel.cpus));
	}
	kernel.policy = -1;
	errno = ESRCH;
	assert_int_equal(tw_system_read(&settings), -ESRCH);
	assert_int_equal(tw_system_verify(&settings, SCHED_FIFO, 5,
					  &kernel.cpus, false), -ESRCH);
}

/* Also what is allocated later. */
static void test_lock_memory(void **state)
{
	(void)state;
	assert_int_equal(tw_system_lock_memory(), 0);
	assert_int_equal(kernel.lock_flags, MCL_CURRENT | MCL_FUTURE);
}

static void test_available_memory(void **state)
{
	(void)state;
	assert_int_equal(tw_system_available_memory(), SIZE_MAX / 2);
	kernel.field = "/proc/meminfo MemAvailable";
	kernel.kilobytes = 1000;
	assert_int_equal(tw_system_available_memory(), 1024000);
	kernel.kilobytes = -1;
	assert_int_equal(tw_system_available_memory(), SIZE_MAX / 2);
	kernel.kilobytes = INT64_MAX;
	assert_int_equal(tw_system_available_memory(), SIZE_MAX / 2);
}

/* A binary number, held as long as the descriptor is open, here alone. */
static void test_limit_latency(void **state)
{
	int32_t held_us = 0;
	int file, fd, again;

	(void)state;
	file = mkstemp(latency_file);
	assert_true(file >= 0);
	fd = tw_system_limit_latency(12345);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(read(file, &held_us, sizeof(held_us)), 4);
	assert_int_equal(held_us, 12345);
	close(fd);
	kernel.write_err = EPERM;
	assert_int_equal(tw_system_limit_latency(1), -EPERM);
	kernel.write_err = 0;
	again = tw_system_limit_latency(1);
	assert_int_equal(again, fd);
	close(again);
	close(file);
	unlink(latency_file);
	assert_int_equal(tw_system_limit_latency(1), -ENOENT);
}

static void test_usage(void **state)
{
	struct tw_usage usage;

	(void)state;
	tw_system_usage(&usage);
	assert_int_equal(usage.minor_faults, 1);
	assert_int_equal(usage.major_faults, 2);
	assert_int_equal(usage.voluntary_switches, 3);
	assert_int_equal(usage.involuntary_switches, 4);
}

/* Only where all CPUs are of one node, and there are nodes at all. */
static void test_place_memory(void **state)
{
	static const struct {
		int one, other, node;
		bool no_numa, moved;
	} rows[] = {
		{ 2, 3, 0, false, true }, { 4, 7, 1, false, true },
		{ 5, 5, 1, false, true }, { 3, 4, 0, false, false },
		{ 2, 3, 0, true, false },
	};
	char memory[10];
	cpu_set_t cpus;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cpus = cpus_of(rows[i].one, rows[i].other);
		memset(&kernel, 0, sizeof(kernel));
		kernel.no_numa = rows[i].no_numa;
		tw_system_place_memory(memory, sizeof(memory), &cpus);
		assert_ptr_equal(kernel.moved, rows[i].moved ? memory : NULL);
		if (!rows[i].moved)
			continue;
		assert_int_equal(kernel.moved_size, sizeof(memory));
		assert_int_equal(kernel.node, rows[i].node);
	}
	CPU_ZERO(&cpus);
	memset(&kernel, 0, sizeof(kernel));
	tw_system_place_memory(memory, sizeof(memory), &cpus);
	assert_null(kernel.moved);
}

/*
 * Memory that was only read still faults when it is written. The kernel may
 * take a page back, but not each of them.
 */
static void test_prefault(void **state)
{
	const size_t page = sysconf(_SC_PAGESIZE), size = 64 * page;
	struct rusage before, after;
	char *memory;
	size_t at;

	(void)state;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	madvise(memory, size, MADV_NOHUGEPAGE);
	memory[0] = 'x';
	tw_system_prefault(memory, size);
	getrusage(RUSAGE_SELF, &before);
	for (at = 0; at < size; at += page)
		((volatile char *)memory)[at] += 1;
	getrusage(RUSAGE_SELF, &after);
	assert_in_range(after.ru_minflt - before.ru_minflt, 0, 16);
	assert_int_equal(memory[0], 'x' + 1);
	munmap(memory, size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_leave_deadline, set_up),
		cmocka_unit_test_setup(test_policy_names, set_up),
		cmocka_unit_test_setup(test_verify, set_up),
		cmocka_unit_test_setup(test_lock_memory, set_up),
		cmocka_unit_test_setup(test_available_memory, set_up),
		cmocka_unit_test_setup(test_limit_latency, set_up),
		cmocka_unit_test_setup(test_usage, set_up),
		cmocka_unit_test_setup(test_place_memory, set_up),
		cmocka_unit_test_setup(test_prefault, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
