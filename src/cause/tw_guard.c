// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rt-error.h"
#include "tw_guard.h"
#include "tw_time.h"

#define UNDO_MS	5000

/*
 * Neither a signal to main's process group nor one to the terminal's ends it.
 * main's other children have the write end, too: it waits for their deaths.
 */
static void __attribute__((noreturn))
keep_guard(const struct tw_guard *guard, int fd)
{
	sigset_t all;
	char byte;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "twoway-guard");
	close(guard->fd);
	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(-guard->undo());
}

void tw_guard_start(struct tw_guard *guard, int (*undo)(void))
{
	int fds[2];

	fflush(NULL);
	if (pipe2(fds, O_CLOEXEC))
		fatal("cannot start a guard: %m\n");
	guard->undo = undo;
	guard->fd = fds[1];
	guard->pid = fork();
	if (guard->pid < 0)
		fatal("cannot start a guard: %m\n");
	if (!guard->pid)
		keep_guard(guard, fds[0]);
	close(fds[0]);
}

int tw_guard_end(struct tw_guard *guard)
{
	const struct timespec pause = { .tv_nsec = TW_NS_PER_MS };
	int status = -1, ms = 0;

	/* A byte, as others may have this end open. */
	if (write(guard->fd, "", 1) < 0)
		ms = UNDO_MS;
	close(guard->fd);
	while (!waitpid(guard->pid, &status, WNOHANG) && ms++ < UNDO_MS)
		nanosleep(&pause, NULL);
	return status ? guard->undo() : 0;
}
