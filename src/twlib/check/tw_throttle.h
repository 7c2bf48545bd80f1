/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real-time throttling: the kernel's reaction when real-time tasks leave no
 * time to other tasks on a CPU. Up to Linux 6.11, and later with
 * RT_GROUP_SCHED, it stops all real-time tasks on this CPU for the rest of a
 * period. Since Linux 6.12 a "fair server" runs other tasks for a short time.
 */
#ifndef TW_THROTTLE_H
#define TW_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "check/tw_bypass.h"

struct tw_throttle {
	bool known;		/* false: could not be read */
	int64_t runtime_us;	/* sched_rt_runtime_us; -1, 0: no limit */
	int64_t period_us;
	bool group;		/* RT_GROUP_SCHED, from the CPU cgroup */
	bool fair_server;
	enum tw_bypass bypass;	/* that of the stall; UNKNOWN: none */
	/* Maximum stall of real-time tasks in a period; 0: none. */
	int64_t stall_ns;
};

#define TW_THROTTLE_FILE	"/proc/sys/kernel/sched_rt_runtime_us"

/*
 * Reads the settings below @root, "" for the real system. @release: as from
 * uname().
 */
void tw_throttle_read(struct tw_throttle *throttle, const char *root,
		      const char *release);

/*
 * The kernel logs the first throttling after boot. Starts to read the log,
 * below @root, "" for the real system. Returns a descriptor, or -errno; only
 * root may read it.
 */
int tw_throttle_listen(const char *root);

/*
 * Whether the kernel logged throttling since then. Closes @fd, which may be
 * negative.
 */
bool tw_throttle_heard(int fd);

#endif /* TW_THROTTLE_H */
