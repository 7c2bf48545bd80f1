// SPDX-License-Identifier: GPL-2.0-or-later
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_array.h"
#include "tw_config.h"
#include "tw_process.h"
#include "tw_reap.h"

/* Those of ours that have ended, and are to be reaped; a group is negative. */
static pid_t zombies[16 * TW_PAIRS_MAX];
static size_t count;
static bool held_back;

void tw_reap_later(pid_t pid)
{
	if (count < ARRAY_SIZE(zombies))
		zombies[count++] = pid;
}

/*
 * Not at a real-time priority: the kernel removes what /proc has of a process,
 * and tries again for as long as another task, such as ps, is busy with that,
 * which then might never get our CPU.
 */
static void reap(const pid_t *which, size_t number, int ms)
{
	struct sched_param own;
	int policy = sched_getscheduler(0);
	pid_t pid;

	sched_getparam(0, &own);
	tw_process_schedule(0, SCHED_OTHER, 0);
	while (number--)
		while ((pid = waitpid(which[number], NULL, WNOHANG)) > 0 ||
		       (!pid && ms-- > 0))
			if (!pid)
				usleep(1000);
	tw_process_schedule(0, policy, own.sched_priority);
}

void tw_reap_all(void)
{
	if (held_back)
		return;
	reap(zombies, count, 0);
	count = 0;
}

void tw_reap_group(pid_t pid, int ms)
{
	pid = -pid;
	if (held_back)
		tw_reap_later(pid);
	else
		reap(&pid, 1, ms);
}

void tw_reap_hold_back(bool hold)
{
	held_back = hold;
}
