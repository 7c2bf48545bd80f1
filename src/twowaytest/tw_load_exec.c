// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tw_load_exec.h"
#include "tw_system.h"
#include "tw_time.h"

#define SETTLE_NS	(150 * TW_NS_PER_MS)	/* a good beginning */
#define READY_MS	5000
#define STOP_NS		TW_NS_PER_S
#define RESTART_NS	(5 * TW_NS_PER_MS)	/* between two starts */

/* The supervisor's own state. */
struct supervisor {
	struct tw_load *load;
	int count;		/* of the step: groups, or copies */
	int copies;		/* processes to start */
	tw_load_exec_fn exec;
	int complaints;		/* memory that the copies' stderr goes to */
};

/* In the child, before it becomes another program. */
static int become_ordinary(const struct supervisor *supervisor, int index)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;
	int signal, err;

	/* First: what goes wrong from here on must be read by main. */
	if (dup2(supervisor->complaints, STDERR_FILENO) < 0 ||
	    dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		return -errno;
	if (setpgid(0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	err = tw_load_settle(supervisor->load, index);
	if (err)
		return err;
	for (signal = 1; signal <= SIGRTMAX; signal++)
		sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL },
			  NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return supervisor->exec(supervisor->load, index, supervisor->count);
}

static int start_copy(struct supervisor *supervisor, int index)
{
	struct tw_load_slot *slot = &supervisor->load->shared->slots[index];
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		dprintf(STDERR_FILENO, "%s",
			strerror(-become_ordinary(supervisor, index)));
		_exit(127);
	}
	slot->pid = pid;
	return 0;
}

/* What the copies have complained of so far: its first line. */
static void read_complaint(const struct supervisor *supervisor, char *why)
{
	ssize_t len = pread(supervisor->complaints, why, TW_LOAD_WHY - 1, 0);

	why[len > 0 ? len : 0] = '\0';
	why[strcspn(why, "\n")] = '\0';
}

/* The copy that ended is started again, unless it failed. */
static int copy_ended(struct supervisor *supervisor, int index, int status)
{
	const struct timespec pause = tw_ns_to_ts(RESTART_NS);
	struct tw_load_shared *shared = supervisor->load->shared;

	shared->slots[index].pid = 0;
	if (status) {
		read_complaint(supervisor, shared->why);
		if (!shared->why[0] && WIFSIGNALED(status))
			snprintf(shared->why, TW_LOAD_WHY,
				 "killed by signal %d (%s)", WTERMSIG(status),
				 strsignal(WTERMSIG(status)));
		else if (!shared->why[0])
			snprintf(shared->why, TW_LOAD_WHY,
				 "ended with exit status %d",
				 WEXITSTATUS(status));
		return -ECHILD;
	}
	shared->slots[index].done++;
	shared->restarts++;
	nanosleep(&pause, NULL);
	return start_copy(supervisor, index);
}

/* A child has ended: one of the copies, or an orphan that came to us. */
static int child_ended(struct supervisor *supervisor, pid_t pid, int status)
{
	const struct tw_load_slot *slots = supervisor->load->shared->slots;
	int i;

	for (i = 0; i < supervisor->copies; i++)
		if (slots[i].pid == pid)
			return copy_ended(supervisor, i, status);
	return 0;
}

/* *more tells whether there may be another one to reap. */
static int reap_one(struct supervisor *supervisor, bool *more)
{
	int status;
	pid_t pid = waitpid(-1, &status, WNOHANG);

	*more = pid > 0;
	return *more ? child_ended(supervisor, pid, status) : 0;
}

/*
 * Reaps until @end_ns: 0, or before if a copy has failed (-errno) or main
 * wants an end, or has met its own (-ECANCELED).
 */
static int supervise(struct supervisor *supervisor, int64_t end_ns)
{
	struct timespec left;
	sigset_t signals;
	bool more = false;
	int64_t now_ns;
	int err = 0;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	while (!err) {
		now_ns = tw_now_ns(CLOCK_MONOTONIC);
		if (now_ns >= end_ns)
			return 0;
		/* Short commands end faster than they are started again. */
		left = tw_ns_to_ts(more ? 0 : end_ns - now_ns);
		if (sigtimedwait(&signals, NULL, &left) == SIGTERM)
			return -ECANCELED;
		err = reap_one(supervisor, &more);
	}
	return err;
}

static int live(struct supervisor *supervisor, pid_t parent, int ready_fd)
{
	sigset_t blocked;
	int i, err = 0;

	sigfillset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	/* Not SIGKILL: there is something to be done first. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) ||
	    prctl(PR_SET_PDEATHSIG, SIGTERM))
		return -errno;
	if (getppid() != parent)
		return -ESRCH;
	prctl(PR_SET_NAME, "twoway-load");
	/* Only its children load the system; it must be able to end them. */
	supervisor->complaints = memfd_create("complaints", MFD_CLOEXEC);
	if (supervisor->complaints < 0)
		return -errno;

	for (i = 0; !err && i < supervisor->copies; i++)
		err = start_copy(supervisor, i);
	if (!err)
		err = supervise(supervisor, tw_now_ns(CLOCK_MONOTONIC) +
				SETTLE_NS);
	/* Nothing has failed so far: main may go on. */
	if (!err && write(ready_fd, "", 1) != 1)
		err = -errno;
	close(ready_fd);
	if (!err)
		err = supervise(supervisor, INT64_MAX);
	return err == -ECANCELED ? 0 : err;
}

/* For commands that want to scale with the ramp. */
static void set_environment(int step, int count)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", step);
	setenv("TWOWAYTEST_STEP", number, 1);
	snprintf(number, sizeof(number), "%d", count);
	setenv("TWOWAYTEST_WORKERS", number, 1);
}

/* It has not got ready: always -ECHILD, and why if it could not tell. */
static int supervisor_ended(struct tw_load *load)
{
	char *why = load->shared->why;
	int status;

	if (waitpid(load->supervisor, &status, 0) == load->supervisor) {
		load->supervisor = 0;
		if (WIFSIGNALED(status) && !*why)
			snprintf(why, TW_LOAD_WHY,
				 "its supervisor was killed by signal %d (%s)",
				 WTERMSIG(status),
				 strsignal(WTERMSIG(status)));
	}
	return -ECHILD;
}

static int start_supervisor(struct supervisor *supervisor, int step)
{
	struct tw_load *load = supervisor->load;
	struct pollfd ready = { .events = POLLIN };
	pid_t parent = getpid();
	int pipe_fds[2];
	char byte;
	int err;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	load->supervisor = fork();
	if (!load->supervisor) {
		tw_system_close_others(&pipe_fds[1], 1);
		set_environment(step, supervisor->count);
		err = live(supervisor, parent, pipe_fds[1]);
		load->shared->err = err;
		tw_load_kill_children(NULL, 0);
		_exit(err ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	err = load->supervisor < 0 ? -errno : 0;
	close(pipe_fds[1]);
	ready.fd = pipe_fds[0];
	if (!err && poll(&ready, 1, READY_MS) != 1)
		err = -ETIMEDOUT;
	else if (!err && read(pipe_fds[0], &byte, 1) != 1)
		err = supervisor_ended(load);
	close(pipe_fds[0]);
	if (err)
		tw_load_exec_stop(load);
	return err;
}

int tw_load_exec_run(struct tw_load *load, int step, int count, int copies,
		     tw_load_exec_fn exec)
{
	struct supervisor supervisor = {
		.load = load, .count = count, .copies = copies, .exec = exec,
	};

	tw_load_exec_stop(load);
	load->count = count;
	return count ? start_supervisor(&supervisor, step) : 0;
}

int tw_load_exec_prepare(struct tw_load *load, int most)
{
	load->prepared = most;
	return 0;
}

bool tw_load_exec_died(struct tw_load *load)
{
	if (load->supervisor > 0 && !load->dead &&
	    waitpid(load->supervisor, &load->status, WNOHANG) ==
	    load->supervisor) {
		load->dead = load->supervisor;
		load->supervisor = 0;
	}
	return load->dead;
}

void tw_load_exec_stop(struct tw_load *load)
{
	const struct timespec pause = tw_ns_to_ts(2 * TW_NS_PER_MS);
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + STOP_NS;

	if (load->supervisor > 0)
		kill(load->supervisor, SIGTERM);
	while (load->supervisor > 0 &&
	       waitpid(load->supervisor, NULL, WNOHANG) == 0) {
		if (tw_now_ns(CLOCK_MONOTONIC) > end_ns)
			kill(load->supervisor, SIGKILL);
		nanosleep(&pause, NULL);
	}
	load->supervisor = 0;
	/* Had it been killed, then all that it watched over is ours now. */
	tw_load_kill_children(load->params.spared, TW_SPARED);
}
