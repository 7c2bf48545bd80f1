// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_array.h"
#include "tw_child.h"
#include "tw_file.h"

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
			  W_EXITCODE(info.si_status, 0) : info.si_status;
	return err || info.si_pid;
}
