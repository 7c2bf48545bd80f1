// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_array.h"
#include "tw_child.h"
#include "tw_config.h"
#include "tw_file.h"
#include "tw_policy.h"
#include "tw_process.h"

pid_t tw_child_start(int signal)
{
	pid_t pid, parent = getpid();

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid < 0 ? -errno : pid;
	prctl(PR_SET_PDEATHSIG, signal);
	/* In a PID namespace, the parent of the first process has no number. */
	if (getppid() != parent && getppid())
		_exit(EXIT_FAILURE);
	tw_file_leave();
	return 0;
}

void tw_child_usual(void)
{
	static const int usual[] = { SIGPIPE, SIGUSR2, SIGXFSZ };
	sigset_t none;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(usual); i++)
		signal(usual[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void tw_child_shell(const char *command)
{
	tw_child_usual();
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
}

/*
 * The limit is counted in steps of 1 ms: if the machine stands still, that is
 * one step. A step ends with the child, but not where there is no pidfd: before
 * Linux 5.3, in some sandboxes, or if no more files may be open.
 */
bool tw_child_ends(pid_t pid, int ms, int flag, int *status)
{
	struct pollfd end = {
		.fd = ms ? (int)syscall(SYS_pidfd_open, pid, 0) : -1,
		.events = POLLIN,
	};
	siginfo_t info = { .si_pid = 0 };
	int err;

	while (!(err = waitid(P_PID, pid, &info, WEXITED | WNOHANG | flag)) &&
	       !info.si_pid && ms-- > 0)
		poll(&end, 1, 1);
	if (end.fd >= 0)
		close(end.fd);
	if (info.si_pid)
		*status = info.si_code == CLD_EXITED ?
			  info.si_status << 8 : info.si_status;
	return err || info.si_pid;
}

/* Those of ours that have ended, and are to be reaped; a group is negative. */
static pid_t zombies[16 * TW_PAIRS_MAX];
static size_t count;
static bool held_back;

void tw_child_reap_later(pid_t pid)
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
	int policy = tw_policy_get(0, &own);
	pid_t pid;

	tw_process_schedule(0, SCHED_OTHER, 0);
	while (number--)
		while ((pid = waitpid(which[number], NULL, WNOHANG)) > 0 ||
		       (!pid && ms-- > 0))
			if (!pid)
				usleep(1000);
	tw_process_schedule(0, policy, own.sched_priority);
}

void tw_child_reap(void)
{
	if (held_back)
		return;
	reap(zombies, count, 0);
	count = 0;
}

void tw_child_reap_group(pid_t pid, int ms)
{
	pid = -pid;
	if (held_back)
		tw_child_reap_later(pid);
	else
		reap(&pid, 1, ms);
}

void tw_child_hold_back(bool hold)
{
	held_back = hold;
}
