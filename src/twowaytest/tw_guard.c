// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_guard.h"
#include "tw_system.h"

/* Waits for main's end of the pipe to close, by whatever end main takes. */
static _Noreturn void stand_guard(const struct tw_guard *guard, int fd)
{
	char byte;

	/* Out of reach of what is sent to main's whole group. */
	setsid();
	prctl(PR_SET_NAME, "twoway-guard");
	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(guard->undo(guard->what) ? EXIT_FAILURE : EXIT_SUCCESS);
}

int tw_guard_open(struct tw_guard *guard, int (*undo)(const void *what),
		  const void *what, int held)
{
	sigset_t blocked, old;
	int pipe_fds[2];

	guard->fd = -1;
	guard->undo = undo;
	guard->what = what;
	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	/* The guardian must not be there for an instant that a signal ends. */
	sigfillset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, &old);
	guard->pid = fork();
	if (!guard->pid) {
		tw_system_close_others((int[]) { pipe_fds[0], held }, 2);
		stand_guard(guard, pipe_fds[0]);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(pipe_fds[0]);
	if (guard->pid < 0) {
		close(pipe_fds[1]);
		return -EAGAIN;
	}
	guard->fd = pipe_fds[1];
	return 0;
}

void tw_guard_close(struct tw_guard *guard)
{
	int status = -1;

	if (guard->fd < 0)
		return;
	close(guard->fd);
	guard->fd = -1;
	waitpid(guard->pid, &status, 0);
	if (status)		/* it was killed, or could not */
		guard->undo(guard->what);
}
