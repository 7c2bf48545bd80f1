// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/tw_privileges.h"

#define NOBODY		65534
#define RUNAWAY_US	200000

int tw_privileges_limit_runaway(void)
{
	struct rlimit limit;

	/* It may be lower already, and cannot be raised then. */
	if (!getrlimit(RLIMIT_RTTIME, &limit) && limit.rlim_max <= RUNAWAY_US)
		return 0;
	limit = (struct rlimit) { RUNAWAY_US, RUNAWAY_US };
	return setrlimit(RLIMIT_RTTIME, &limit) ? -errno : 0;
}

/* The kernel then refuses more than @ceiling. */
static int limit_by_kernel(int ceiling)
{
	const struct rlimit priority = { (rlim_t)ceiling, (rlim_t)ceiling };
	const struct rlimit memory = { RLIM_INFINITY, RLIM_INFINITY };

	if (setrlimit(RLIMIT_RTPRIO, &priority) ||
	    setrlimit(RLIMIT_MEMLOCK, &memory))
		return -errno;
	return 0;
}

/* Of the capabilities, only those to lock memory and, if need be, to schedule. */
static int keep_capabilities(bool realtime)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];
	const __u32 kept = (realtime ? 1U << CAP_SYS_NICE : 0) |
			   1U << CAP_IPC_LOCK;

	memset(data, 0, sizeof(data));
	data[0].effective = kept;
	data[0].permitted = kept;
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

static int become_nobody(void)
{
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		return -errno;
	return 0;
}

static int drop_root(int ceiling, char text[TW_PRIVILEGES])
{
	int limited = limit_by_kernel(ceiling), err;

	if (limited && prctl(PR_SET_KEEPCAPS, 1))
		return -errno;
	err = become_nobody();
	if (!err && limited)
		err = keep_capabilities(ceiling > 0);
	if (limited && !ceiling)
		snprintf(text, TW_PRIVILEGES, "user %d, CAP_IPC_LOCK", NOBODY);
	else if (limited)
		snprintf(text, TW_PRIVILEGES, "user %d, CAP_SYS_NICE and CAP_IPC_LOCK; the program itself refuses priorities above %d",
			 NOBODY, ceiling);
	else
		snprintf(text, TW_PRIVILEGES, "user %d, real-time priorities up to %d, locked memory",
			 NOBODY, ceiling);
	return err;
}

int tw_privileges_drop(int ceiling, char text[TW_PRIVILEGES])
{
	struct rlimit limit = { 0, 0 };
	int err;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (!geteuid()) {
		err = drop_root(ceiling, text);
		/* What cannot be undone has to be so. */
		if (!err && !setuid(0))
			err = -EPERM;
		return err;
	}
	getrlimit(RLIMIT_RTPRIO, &limit);
	if (limit.rlim_cur > (rlim_t)ceiling) {
		limit.rlim_cur = (rlim_t)ceiling;
		limit.rlim_max = (rlim_t)ceiling;
		setrlimit(RLIMIT_RTPRIO, &limit);
	}
	snprintf(text, TW_PRIVILEGES, "user %d, real-time priorities up to %d",
		 (int)geteuid(), (int)limit.rlim_cur);
	return 0;
}

static bool may_schedule(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	return !syscall(SYS_capget, &header, data) &&
	       data[0].effective & 1U << CAP_SYS_NICE;
}

int tw_privileges_highest(int ceiling)
{
	struct rlimit limit = { 0, 0 };

	if (may_schedule())
		return ceiling;
	getrlimit(RLIMIT_RTPRIO, &limit);
	return limit.rlim_cur < (rlim_t)ceiling ? (int)limit.rlim_cur :
						  ceiling;
}
