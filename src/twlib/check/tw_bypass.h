/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_BYPASS_H
#define TW_BYPASS_H

/* What lets others run although a real-time task is ready. */
enum tw_bypass {
	TW_BYPASS_UNKNOWN,
	TW_BYPASS_LIMIT,	/* sched_rt_runtime_us, or a cgroup's */
	TW_BYPASS_FAIR,		/* the fair server */
	TW_BYPASSES
};

#endif /* TW_BYPASS_H */
