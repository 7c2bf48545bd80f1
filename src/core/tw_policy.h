/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scheduling policies: numbers, and names in options and results. */
#ifndef TW_POLICY_H
#define TW_POLICY_H

#include <sched.h>
#include <stdbool.h>

#ifndef SCHED_DEADLINE	/* not in every <sched.h> */
#define SCHED_DEADLINE	6
#endif

/* All names; and those without "deadline". The last is NULL. */
extern const char *const tw_policy_names[];
#define TW_POLICY_SIMPLE	(tw_policy_names + 1)

/* SCHED_FIFO for "fifo" and so on; @name is one of the above. */
int tw_policy_find(const char *name);

/* The other way: "other", not "normal"; "unknown" for another policy. */
const char *tw_policy_name(int policy);

/* What a process is to have; a priority of 0 is no real-time one. */
struct tw_rank {
	int policy, priority;
};

static inline struct tw_rank tw_policy_fifo(int priority)
{
	return (struct tw_rank) {
		priority ? SCHED_FIFO : SCHED_OTHER, priority
	};
}

/* Whether it has a real-time priority. */
static inline bool tw_policy_is_realtime(int policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

/* As sched_setscheduler(); as sched_getscheduler() and sched_getparam(). */
int tw_policy_set(pid_t pid, int policy, const struct sched_param *param);
int tw_policy_get(pid_t pid, struct sched_param *param);

#endif /* TW_POLICY_H */
