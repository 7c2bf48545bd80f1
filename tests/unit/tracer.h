/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that traces another: what it traces cannot be reaped. */
#ifndef TRACER_H
#define TRACER_H

#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* Returns 0 if no process may be traced here. */
static inline pid_t start_tracer(pid_t pid)
{
	int fds[2];
	pid_t tracer;
	char byte;

	assert_int_equal(pipe(fds), 0);
	tracer = fork();
	assert_true(tracer >= 0);
	if (!tracer) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) ||
		    write(fds[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(fds[1]);
	if (read(fds[0], &byte, 1) != 1) {
		waitpid(tracer, NULL, 0);
		tracer = 0;
	}
	close(fds[0]);
	return tracer;
}

#endif
