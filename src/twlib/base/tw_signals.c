// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/signalfd.h>

#include "rt-utils.h"
#include "base/tw_signals.h"

/*
 * nohup, and shells for background jobs, ignore signals; these stay ignored.
 * They are left out because a blocked signal is queued even if it is ignored.
 */
static bool is_ignored(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) &&
	       action.sa_handler == SIG_IGN;
}

int tw_signals_open(void)
{
	static const int heeded[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };
	sigset_t signals;
	size_t i;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);	/* write() returns the error */
	sigemptyset(&signals);
	for (i = 0; i < ARRAY_SIZE(heeded); i++)
		if (!is_ignored(heeded[i]))
			sigaddset(&signals, heeded[i]);
	sigaddset(&signals, SIGCHLD);
	/* If ignored, the kernel reaps children and drops their status. */
	signal(SIGCHLD, SIG_DFL);
	if (sigprocmask(SIG_BLOCK, &signals, NULL))
		return -errno;
	fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}
