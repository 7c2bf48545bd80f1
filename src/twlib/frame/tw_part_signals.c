// SPDX-License-Identifier: GPL-2.0-or-later
/* The signals that end a test, and those that tell of its children. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "rt-utils.h"
#include "frame/tw_run.h"

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

/* Before any other part starts something that a signal must not leave. */
static int open_signals(struct tw_run *run)
{
	static const int heeded[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };
	sigset_t signals;
	size_t i;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);	/* write() returns the error */
	sigemptyset(&signals);
	for (i = 0; i < ARRAY_SIZE(heeded); i++)
		if (!is_ignored(heeded[i]))
			sigaddset(&signals, heeded[i]);
	sigaddset(&signals, SIGCHLD);
	/* If ignored, the kernel reaps children and drops their status. */
	signal(SIGCHLD, SIG_DFL);
	if (!sigprocmask(SIG_BLOCK, &signals, NULL))
		run->signal_fd = signalfd(-1, &signals,
					  SFD_CLOEXEC | SFD_NONBLOCK);
	if (run->signal_fd >= 0)
		return 0;
	return tw_fail(run, -errno, "cannot start: %s", strerror(errno));
}

/* They stay blocked: they come too late to end anything. */
static void close_signals(struct tw_run *run)
{
	if (run->signal_fd >= 0)
		close(run->signal_fd);
	run->signal_fd = -1;
}

bool tw_run_take_signals(struct tw_run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (info.ssi_signo == SIGUSR1)
			tw_output_status(run);
		else
			run->interrupted = (int)info.ssi_signo;
	}
	return run->interrupted;
}

const struct tw_part tw_part_signals = {
	.name = "signals", .open = open_signals, .close = close_signals,
};
