// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tw_child.h"
#include "tw_guard.h"
#include "tw_policy.h"
#include "tw_process.h"
#include "tw_say.h"

#define END_SIGNAL	SIGRTMIN	/* from main: undo it now */
#define UNDO_MS		5000

/*
 * Who reads what main prints waits for the end of all that could print. Returns
 * whether messages are lost now.
 */
static bool close_output(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct stat of;
	bool read_by_others = fstat(STDERR_FILENO, &of) ||
			      S_ISFIFO(of.st_mode) || S_ISSOCK(of.st_mode);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	if (read_by_others)
		dup2(null, STDERR_FILENO);
	close(null);
	return read_by_others;
}

/*
 * Neither a signal to main's process group nor one to the terminal's ends it.
 * It must get CPU time whatever runs; it sleeps until it is needed. It asks who
 * its parent is, as main's other children may outlive main by any time: they
 * need a CPU to die.
 */
static void __attribute__((noreturn))
keep_guard(const struct tw_guard *guard, int ready)
{
	const struct sched_param param = {
		.sched_priority = sched_get_priority_max(SCHED_FIFO)
	};
	siginfo_t info;
	sigset_t all;
	bool mute;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "twoway-guard");
	tw_policy_set(0, SCHED_FIFO, &param);
	mute = close_output();
	tw_process_close(guard->fds[0], guard->fds[1], ready);
	if (write(ready, "", 1) != 1)
		_exit(EXIT_FAILURE);
	close(ready);
	while (getppid() == guard->owner &&
	       !(sigwaitinfo(&all, &info) == END_SIGNAL &&
		 info.si_pid == guard->owner))
		;
	_exit(guard->undo() && mute ? EXIT_FAILURE : EXIT_SUCCESS);
}

void tw_guard_start(struct tw_guard *guard, int (*undo)(void))
{
	char byte;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		tw_say_fatal("cannot start a guard: %m\n");
	guard->undo = undo;
	guard->owner = getpid();
	/* This signal reaches it also if somebody has stopped it. */
	guard->pid = tw_child_start(SIGCONT);
	if (guard->pid < 0)
		tw_say_fatal("cannot start a guard: %m\n");
	if (!guard->pid)
		keep_guard(guard, fds[1]);
	close(fds[1]);
	if (read(fds[0], &byte, 1) != 1)
		tw_say_fatal("the guard, which is to undo what is set, cannot run\n");
	close(fds[0]);
}

void tw_guard_end(const struct tw_guard *guard)
{
	int status = -1;

	if (getpid() != guard->owner)
		return;
	kill(guard->pid, END_SIGNAL);
	kill(guard->pid, SIGCONT);
	tw_child_ends(guard->pid, UNDO_MS, 0, &status);
	if (status)
		guard->undo();
}
