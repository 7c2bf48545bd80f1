/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls for the settings of the calling process, and reading them back.
 * Functions that can fail return 0 (or a descriptor) or -errno.
 */
#ifndef TW_SYSTEM_H
#define TW_SYSTEM_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Data of two processes are not on the same line. */
#define TW_CACHE_LINE	64

/* A sum of sizes; SIZE_MAX if it is larger than that. */
static inline size_t tw_size_add(size_t size, size_t more)
{
	return more > SIZE_MAX - size ? SIZE_MAX : size + more;
}

/* Rounded up to whole cache lines; SIZE_MAX if that is larger. */
static inline size_t tw_size_in_lines(size_t size)
{
	size = tw_size_add(size, TW_CACHE_LINE - 1);
	return size == SIZE_MAX ? size : size / TW_CACHE_LINE * TW_CACHE_LINE;
}

/*
 * Maps zeroed memory of main's own: children do not inherit it, which would
 * lock it. Returns NULL and errno if there is none; free it with munmap().
 */
void *tw_system_map_own(size_t size);

/* As read from the kernel; locked: memory is locked. */
struct tw_settings {
	int policy;
	int priority;
	cpu_set_t cpus;
	bool locked;
};

/* -EPERM: not allowed; tw_explain.h has a message with the reason. */
int tw_system_schedule(int policy, int priority);

/*
 * Leaves SCHED_DEADLINE, which does not allow fork(), for SCHED_OTHER. Does
 * nothing under other policies.
 */
int tw_system_leave_deadline(void);

/* Name in options and reports: other, fifo, rr, batch, idle; or unknown. */
const char *tw_system_policy_name(int policy);

int tw_system_pin(const cpu_set_t *cpus);

/* Locks present and future memory. -ENOMEM or -EPERM: RLIMIT_MEMLOCK. */
int tw_system_lock_memory(void);

/* Reads the settings of the calling process, except @locked. */
int tw_system_read(struct tw_settings *settings);

/* Whether the settings differ at the end. False if @end was not read. */
bool tw_system_changed(const struct tw_settings *begin,
		       const struct tw_settings *end);

/*
 * Reads the settings back and compares them with the requested ones. -EINVAL:
 * they differ.
 */
int tw_system_verify(struct tw_settings *settings, int policy, int priority,
		     const cpu_set_t *cpus, bool locked);

/*
 * Requests a wake-up latency of at most @latency_us from power management.
 * Returns a descriptor; closing it ends the request.
 */
int tw_system_limit_latency(int32_t latency_us);

/* Touches every page, so that no page fault happens in a cycle. */
void tw_system_prefault(void *memory, size_t size);

/* MemAvailable of /proc/meminfo, in bytes. */
uint64_t tw_system_available_memory(void);

/* Moves shared memory to the NUMA node of @cpus, if all are on one node. */
void tw_system_place_memory(void *memory, size_t size, const cpu_set_t *cpus);

/*
 * Opens /dev/null if standard input is closed. -EBADF: standard output or error
 * is closed.
 */
int tw_system_check_stdio(void);

/*
 * Called by a child: closes all descriptors except 0, 1, 2 and the @count in
 * @keep, so that a descriptor that main closes is closed everywhere.
 */
int tw_system_close_others(const int *keep, int count);

/*
 * Called by a child: the kernel sends it @signal when @parent ends, in any way.
 * -ESRCH: @parent has ended already.
 */
int tw_system_die_with(pid_t parent, int signal);

/*
 * Whether SIGINT, SIGTERM or SIGHUP is pending. These signals end a test; they
 * are blocked. The signal stays pending.
 */
bool tw_system_told_to_end(void);

/* Counts of the kernel (getrusage) since the process started. */
struct tw_usage {
	int64_t minor_faults;
	int64_t major_faults;
	int64_t voluntary_switches;
	int64_t involuntary_switches;
};

void tw_system_usage(struct tw_usage *usage);

#endif /* TW_SYSTEM_H */
