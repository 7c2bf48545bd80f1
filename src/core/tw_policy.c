// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tw_policy.h"

const char *const tw_policy_names[] = {
	"deadline", "other", "normal", "batch", "idle", "fifo", "rr", NULL
};

static const int policies[] = {
	SCHED_DEADLINE, SCHED_OTHER, SCHED_OTHER, SCHED_BATCH, SCHED_IDLE,
	SCHED_FIFO, SCHED_RR
};

int tw_policy_find(const char *name)
{
	int i = 0;

	while (strcmp(tw_policy_names[i], name))
		i++;
	return policies[i];
}

const char *tw_policy_name(int policy)
{
	int i = 0;

	while (tw_policy_names[i] && policies[i] != policy)
		i++;
	return tw_policy_names[i] ? tw_policy_names[i] : "unknown";
}

#ifndef __GLIBC__	/* musl's functions always fail */
#define sched_setscheduler(...) \
	(int)syscall(SYS_sched_setscheduler, __VA_ARGS__)
#define sched_getscheduler(pid)	(int)syscall(SYS_sched_getscheduler, pid)
#define sched_getparam(...)	syscall(SYS_sched_getparam, __VA_ARGS__)
#endif

int tw_policy_set(pid_t pid, int policy, const struct sched_param *param)
{
	return sched_setscheduler(pid, policy, param);
}

int tw_policy_get(pid_t pid, struct sched_param *param)
{
	return sched_getparam(pid, param) ? -1 : sched_getscheduler(pid);
}
