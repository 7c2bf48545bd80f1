// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt-numa.h"
#include "base/tw_kfile.h"
#include "base/tw_system.h"

#ifndef SCHED_DEADLINE		/* older glibcs lack it */
#define SCHED_DEADLINE	6
#endif

void *tw_system_map_own(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	madvise(memory, size, MADV_DONTFORK);
	return memory;
}

int tw_system_schedule(int policy, int priority)
{
	struct sched_param param = { .sched_priority = priority };
	int old = sched_getscheduler(0);

	/* Clearing this flag needs a privilege, so keep it. */
	if (old >= 0)
		policy |= old & SCHED_RESET_ON_FORK;
	return sched_setscheduler(0, policy, &param) ? -errno : 0;
}

int tw_system_leave_deadline(void)
{
	return sched_getscheduler(0) == SCHED_DEADLINE ?
	       tw_system_schedule(SCHED_OTHER, 0) : 0;
}

const char *tw_system_policy_name(int policy)
{
	static const char *const names[] = {
		[SCHED_OTHER] = "other", [SCHED_FIFO] = "fifo",
		[SCHED_RR] = "rr", [SCHED_BATCH] = "batch",
		[SCHED_IDLE] = "idle",
	};
	const int count = sizeof(names) / sizeof(names[0]);

	return policy >= 0 && policy < count && names[policy] ?
	       names[policy] : "unknown";
}

int tw_system_pin(const cpu_set_t *cpus)
{
	return sched_setaffinity(0, sizeof(*cpus), cpus) ? -errno : 0;
}

int tw_system_lock_memory(void)
{
	return mlockall(MCL_CURRENT | MCL_FUTURE) ? -errno : 0;
}

/* No system call returns this, but /proc shows the amount. */
static bool memory_is_locked(void)
{
	int64_t kilobytes;

	return tw_kfile_field("", &kilobytes, "/proc/self/status", "VmLck") &&
	       kilobytes > 0;
}

int tw_system_read(struct tw_settings *settings)
{
	struct sched_param param;

	CPU_ZERO(&settings->cpus);
	settings->policy = sched_getscheduler(0);
	if (settings->policy < 0 || sched_getparam(0, &param) ||
	    sched_getaffinity(0, sizeof(settings->cpus), &settings->cpus))
		return -errno;
	settings->policy &= ~SCHED_RESET_ON_FORK;
	settings->priority = param.sched_priority;
	return 0;
}

bool tw_system_changed(const struct tw_settings *begin,
		       const struct tw_settings *end)
{
	return CPU_COUNT(&end->cpus) &&
	       (end->policy != begin->policy ||
		end->priority != begin->priority ||
		!CPU_EQUAL(&end->cpus, &begin->cpus));
}

int tw_system_verify(struct tw_settings *settings, int policy, int priority,
		     const cpu_set_t *cpus, bool locked)
{
	int err = tw_system_read(settings);

	if (err)
		return err;
	settings->locked = locked && memory_is_locked();

	if (settings->policy != policy || settings->priority != priority ||
	    settings->locked != locked ||
	    !CPU_EQUAL(cpus, &settings->cpus))
		return -EINVAL;
	return 0;
}

int tw_system_limit_latency(int32_t latency_us)
{
	int fd, err;

	fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, &latency_us, sizeof(latency_us)) < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

uint64_t tw_system_available_memory(void)
{
	int64_t kilobytes;

	/* A process can use at most half of its address space. */
	if (tw_kfile_field("", &kilobytes, "/proc/meminfo", "MemAvailable") &&
	    (uint64_t)kilobytes < SIZE_MAX / 2048)
		return kilobytes * 1024;
	/* Unknown: the allocation will fail if there is too little. */
	return SIZE_MAX / 2;
}

void tw_system_prefault(void *memory, size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);
	volatile char *bytes = memory;
	size_t at;

	/* Written, because a page that was only read may fault again. */
	for (at = 0; at < size; at += page)
		bytes[at] = bytes[at];
}

void tw_system_place_memory(void *memory, size_t size, const cpu_set_t *cpus)
{
	int node = -1;
	int cpu;

	if (!numa_initialize())
		return;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		if (node >= 0 && node != numa_node_of_cpu(cpu))
			return;
		node = numa_node_of_cpu(cpu);
	}
	if (node >= 0)
		numa_tonode_memory(memory, size, node);
}

int tw_system_check_stdio(void)
{
	/* Otherwise a socket would become descriptor 0, standard input. */
	if (fcntl(STDIN_FILENO, F_GETFD) < 0 &&
	    open("/dev/null", O_RDONLY) != STDIN_FILENO)
		return -EBADF;
	if (fcntl(STDOUT_FILENO, F_GETFD) < 0 ||
	    fcntl(STDERR_FILENO, F_GETFD) < 0)
		return -EBADF;
	return 0;
}

static bool is_kept(int fd, const int *keep, int count)
{
	while (count--)
		if (keep[count] == fd)
			return true;
	return fd <= STDERR_FILENO;
}

/* If close_range() fails: before Linux 5.9, or a seccomp filter. */
static int close_listed(const int *keep, int count)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int fd;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		fd = atoi(entry->d_name);
		if (!is_kept(fd, keep, count) && fd != dirfd(dir))
			close(fd);
	}
	closedir(dir);
	return 0;
}

/* Returns 0, or -1 if the kernel cannot do it. */
static int close_range_of(unsigned int first, unsigned int last)
{
#ifdef SYS_close_range
	return first > last ? 0 :
	       (int)syscall(SYS_close_range, first, last, 0);
#else
	(void)first;
	(void)last;
	return -1;
#endif
}

int tw_system_close_others(const int *keep, int count)
{
	unsigned int first = STDERR_FILENO + 1, next = 0;
	int i;

	while (next != UINT_MAX) {
		/* The next descriptor to keep, or UINT_MAX. */
		next = UINT_MAX;
		for (i = 0; i < count; i++)
			if (keep[i] >= (int)first &&
			    (unsigned int)keep[i] < next)
				next = (unsigned int)keep[i];
		if (close_range_of(first, next == UINT_MAX ? next : next - 1))
			return close_listed(keep, count);
		first = next + 1;
	}
	return 0;
}

int tw_system_die_with(pid_t parent, int signal)
{
	if (prctl(PR_SET_PDEATHSIG, signal))
		return -errno;
	/* It may have died before the call above. */
	return getppid() == parent ? 0 : -ESRCH;
}

bool tw_system_told_to_end(void)
{
	sigset_t pending;

	return !sigpending(&pending) &&
	       (sigismember(&pending, SIGINT) ||
		sigismember(&pending, SIGTERM) ||
		sigismember(&pending, SIGHUP));
}

void tw_system_usage(struct tw_usage *usage)
{
	struct rusage used;

	memset(&used, 0, sizeof(used));
	getrusage(RUSAGE_SELF, &used);
	usage->minor_faults = used.ru_minflt;
	usage->major_faults = used.ru_majflt;
	usage->voluntary_switches = used.ru_nvcsw;
	usage->involuntary_switches = used.ru_nivcsw;
}
