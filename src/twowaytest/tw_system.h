/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a process asks of the system for itself, and what the system then
 * says it got. Those that can fail return 0 or -errno.
 */
#ifndef TW_SYSTEM_H
#define TW_SYSTEM_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As read back from the kernel. */
struct tw_settings {
	int policy;
	int priority;
	cpu_set_t cpus;
	bool locked;
};

/* -EPERM: no right to this policy or priority; tw_explain.h tells why. */
int tw_system_schedule(int policy, int priority);

/* SCHED_DEADLINE may not fork: back to SCHED_OTHER. Nothing if it is not. */
int tw_system_leave_deadline(void);

/* As users and options say it: other, fifo, rr, batch, idle; unknown. */
const char *tw_system_policy_name(int policy);

int tw_system_pin(const cpu_set_t *cpus);

/* Locks present and future memory: -ENOMEM or -EPERM, RLIMIT_MEMLOCK. */
int tw_system_lock_memory(void);

/* Reads those of the calling process, but for locked. */
int tw_system_read(struct tw_settings *settings);

/* Whether they are others in the end; not if the end was not read. */
bool tw_system_changed(const struct tw_settings *begin,
		       const struct tw_settings *end);

/*
 * Reads the calling process's settings back and compares them with what it
 * asked for: -EINVAL if the kernel gave something else.
 */
int tw_system_verify(struct tw_settings *settings, int policy, int priority,
		     const cpu_set_t *cpus, bool locked);

/*
 * Asks power management for a wake-up latency of @latency_us at the most.
 * Returns a descriptor; the request ends when it is closed.
 */
int tw_system_limit_latency(int32_t latency_us);

/* Touches every page, so that the first cycle to use it need not fault. */
void tw_system_prefault(void *memory, size_t size);

/* Bytes that the kernel can give without swapping; /proc/meminfo. */
uint64_t tw_system_available_memory(void);

/* Moves shared memory to the NUMA node of the CPUs, if all lie on one. */
void tw_system_place_memory(void *memory, size_t size, const cpu_set_t *cpus);

/* Opens /dev/null as standard input if it is closed; -EBADF if another is. */
int tw_system_check_stdio(void);

/*
 * In a child: closes all descriptors but the standard ones and @keep (@count
 * of them), so that what main holds ends when main lets go of it.
 */
int tw_system_close_others(const int *keep, int count);

/*
 * A child of @parent gets @signal when that dies, whatever ends it. -ESRCH:
 * it is dead already.
 */
int tw_system_die_with(pid_t parent, int signal);

/*
 * Whether one of the signals that end a test, blocked, has come: SIGINT,
 * SIGTERM or SIGHUP. It stays pending for those who wait for it.
 */
bool tw_system_told_to_end(void);

/* What the kernel counted of the calling process so far. */
struct tw_usage {
	int64_t minor_faults;
	int64_t major_faults;
	int64_t voluntary_switches;
	int64_t involuntary_switches;
};

void tw_system_usage(struct tw_usage *usage);

#endif /* TW_SYSTEM_H */
