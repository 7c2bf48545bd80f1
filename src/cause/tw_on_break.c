// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two processes: the shell, and a keeper above it, which ends both, and what
 * they have started, when the time is over or main has died.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rt-error.h"
#include "tw_on_break.h"
#include "tw_process.h"
#include "tw_time.h"

#define LIMIT_S		10
#define MARGIN_S	2	/* that the keeper has beyond it, to get a CPU */

struct tw_on_break tw_on_break;

static struct tw_process keeper;
static int64_t end_ns;		/* when it must have ended */

static void __attribute__((noreturn))
be_shell(const char *command, int input)
{
	static const int ignored[] = { SIGHUP, SIGPIPE, SIGUSR2, SIGXFSZ };
	sigset_t none;
	size_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(input, STDIN_FILENO);
	/* Standard output is for the results alone. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execl("/bin/sh", "sh", "-c", command, NULL);
	warn("--on-break: cannot run /bin/sh: %m\n");
	_exit(EXIT_FAILURE);
}

/* Returns whether it has failed, after a message. */
static bool report(int status)
{
	if (WIFSIGNALED(status))
		warn("--on-break: the command was killed by signal %d (%s)\n",
		     WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (status)
		warn("--on-break: the command ended with exit status %d\n",
		     WEXITSTATUS(status));
	return status;
}

/* Main has blocked these signals. */
static void __attribute__((noreturn))
be_keeper(const char *command, int input, pid_t parent)
{
	const struct timespec limit = { .tv_sec = LIMIT_S };
	const struct sched_param ordinary = { .sched_priority = 0 };
	const struct sigaction ends = {
		.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP,
	};
	sigset_t signals;
	int status = 0;
	pid_t pid;

	sched_setscheduler(0, SCHED_OTHER, &ordinary);
	prctl(PR_SET_NAME, "twoway-keeper");
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigaction(SIGCHLD, &ends, NULL);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	pid = getppid() == parent ? fork() : -1;
	if (!pid)
		be_shell(command, input);
	if (pid > 0 && sigtimedwait(&signals, NULL, &limit) == SIGCHLD &&
	    waitpid(pid, &status, WNOHANG) == pid)
		_exit(report(status));
	if (errno == EAGAIN)
		warn("--on-break: the command did not end within %d s and is killed\n",
		     LIMIT_S);
	kill(0, SIGKILL);
	_exit(EXIT_FAILURE);
}

static void start(const char *command, void (*set)(void), int input)
{
	pid_t pid, parent = getpid();

	fflush(NULL);
	lseek(input, 0, SEEK_SET);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		set();
		be_keeper(command, input, parent);
	}
	if (pid < 0) {
		warn("--on-break: cannot start the command: %m\n");
		return;
	}
	setpgid(pid, pid);
	keeper = (struct tw_process) {
		.pid = pid, .name = "keeper of --on-break", .group = true,
	};
	end_ns = tw_now_ns(CLOCK_MONOTONIC) +
		 (LIMIT_S + MARGIN_S) * TW_NS_PER_S;
	tw_on_break.run++;
}

void tw_on_break_start(const char *command, void (*set)(void),
		       void (*print)(FILE *file))
{
	FILE *file;
	int input;

	if (keeper.pid) {
		tw_on_break.left_out++;
		return;
	}
	input = memfd_create("on-break", MFD_CLOEXEC);
	file = input < 0 ? NULL : fdopen(input, "w");
	if (!file) {
		warn("--on-break: no memory for its standard input: %m\n");
		return;
	}
	print(file);
	start(command, set, input);
	fclose(file);
}

static bool has_ended(void)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, keeper.pid, &info,
		      WEXITED | WNOWAIT | WNOHANG) || info.si_pid;
}

void tw_on_break_watch(void)
{
	bool failed;

	if (!keeper.pid || (!has_ended() &&
			    tw_now_ns(CLOCK_MONOTONIC) < end_ns))
		return;
	failed = tw_process_stop_failed(&keeper);
	tw_on_break.failed += failed || WIFSIGNALED(keeper.status);
	keeper.pid = 0;
}

void tw_on_break_end(void)
{
	const struct timespec pause = { .tv_nsec = TW_NS_PER_MS };

	for (tw_on_break_watch(); keeper.pid; tw_on_break_watch())
		nanosleep(&pause, NULL);
}
