/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_RUNTIME_H
#define TW_RUNTIME_H

#include <stdint.h>

#include "base/tw_guard.h"
#include "check/tw_throttle.h"

/*
 * Sets sched_rt_runtime_us until tw_runtime_close(). If the calling process
 * ends without that, a guardian process restores it. tw_runtime_open() returns
 * 0; or -errno, then nothing has changed. -EALREADY: another run has set it and
 * will restore another value. *runtime must not move while it is open.
 */
struct tw_runtime {
	struct tw_guard guard;
	int64_t old_us;
	int lock_fd;		/* also open in the guardian */
};

/*
 * The file that is locked while the setting is changed. Users may read
 * sched_rt_runtime_us and could lock it; cad_pid exists on the same systems,
 * but only root may open it. With another mount of /proc, as in a container,
 * the lock has no effect.
 */
#define TW_RUNTIME_LOCK	"/proc/sys/kernel/cad_pid"

int tw_runtime_open(struct tw_runtime *runtime, int64_t runtime_us);
void tw_runtime_close(struct tw_runtime *runtime);

#endif /* TW_RUNTIME_H */
