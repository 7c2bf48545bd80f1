/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real-time throttling: what the kernel does when real-time tasks leave a CPU
 * no time for others. Up to Linux 6.11, and with RT_GROUP_SCHED later too, it
 * stops all of them there for the rest of a period; since 6.12 a "fair
 * server" lets others in for a while.
 */
#ifndef TW_THROTTLE_H
#define TW_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "tw_guard.h"

struct tw_throttle {
	bool known;		/* could it be read at all? */
	int64_t runtime_us;	/* sched_rt_runtime_us; -1, 0: no limit */
	int64_t period_us;
	bool group;		/* RT_GROUP_SCHED, seen in the CPU cgroup */
	bool fair_server;
	/* How long real-time tasks are stopped in a period; 0: never. */
	int64_t stall_ns;
};

#define TW_THROTTLE_FILE	"/proc/sys/kernel/sched_rt_runtime_us"

/* Reads the system under @root, "" for the real one; @release as uname's. */
void tw_throttle_read(struct tw_throttle *throttle, const char *root,
		      const char *release);

/*
 * The kernel says so, once a boot, when it throttles for the first time.
 * Listens from now on, below @root: a descriptor, or -errno (only root may).
 */
int tw_throttle_listen(const char *root);

/* Whether it has said so since; closes @fd, which may be negative. */
bool tw_throttle_heard(int fd);

/*
 * Sets sched_rt_runtime_us, and sets it back once the calling process closes
 * it or dies: there is a guardian for that. 0, or -errno and nothing changed;
 * -EALREADY: another process has set it so, and what that would set back is
 * not what this one would find. *runtime must stay where it is until it is
 * closed.
 */
struct tw_runtime {
	struct tw_guard guard;
	int64_t old_us;
	int lock_fd;		/* for the setting; the guardian has it too */
};

/*
 * Its lock stands for the setting's, which whoever reads that could take.
 * This one nobody but root may open, and it is wherever the setting is. Those
 * who see another mount of /proc, as in a container, do not see the lock.
 */
#define TW_RUNTIME_LOCK	"/proc/sys/kernel/cad_pid"

int tw_runtime_open(struct tw_runtime *runtime, int64_t runtime_us);
void tw_runtime_close(struct tw_runtime *runtime);

#endif /* TW_THROTTLE_H */
