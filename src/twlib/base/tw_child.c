// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/tw_child.h"
#include "base/tw_kfile.h"
#include "base/tw_system.h"
#include "base/tw_time.h"

#define GRACE_MS	1000	/* left for a start after a signal */
#define SLICE_MS	20	/* between two checks for a signal */
#define KILL_MS		1000
#define PAUSE_MAX_NS	(8 * TW_NS_PER_MS)

/* In a child whose parent waits: the pipe to report that it is ready; or -1. */
static int ready_fd = -1;

static int take_place(const struct tw_child_how *how, pid_t parent)
{
	int err = how->death_signal ?
		  tw_system_die_with(parent, how->death_signal) : 0;

	if (err)
		return err;
	if (how->place == TW_CHILD_OWN_GROUP && setpgid(0, 0))
		return -errno;
	if (how->place == TW_CHILD_OWN_SESSION && setsid() < 0)
		return -errno;
	if (how->name)
		prctl(PR_SET_NAME, how->name);
	return 0;
}

static int close_others(const struct tw_child_how *how)
{
	int count = TW_CHILD_KEEP + 1 + how->more_count;
	int *keep = calloc((size_t)count, sizeof(*keep));
	int err;

	if (!keep)
		return -ENOMEM;
	memcpy(keep, how->keep, sizeof(how->keep));
	keep[TW_CHILD_KEEP] = ready_fd;
	if (how->more_count)
		memcpy(&keep[TW_CHILD_KEEP + 1], how->keep_more,
		       (size_t)how->more_count * sizeof(*keep));
	err = tw_system_close_others(keep, count);
	free(keep);
	return err;
}

static _Noreturn void be_child(const struct tw_child_how *how, pid_t parent)
{
	int err = take_place(how, parent);

	if (!err)
		err = close_others(how);
	if (!err)
		err = how->live(how->arg);
	if (err && ready_fd >= 0 &&
	    write(ready_fd, &err, sizeof(err)) != sizeof(err))
		_exit(EXIT_FAILURE);
	/* Not exit(): it would write the parent's stdio buffers again. */
	_exit(err ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* @fds: the pipe on which the parent waits; the child writes to the second. */
static int fork_child(struct tw_child *child, const struct tw_child_how *how,
		      const int fds[2])
{
	pid_t parent = getpid();
	sigset_t blocked, old;
	int err = 0;
	pid_t pid;

	memset(child, 0, sizeof(*child));
	/* No signal may end the child before it has set its own handlers. */
	sigfillset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, &old);
	pid = fork();
	if (!pid) {
		ready_fd = fds[1];
		be_child(how, parent);
	}
	if (pid < 0)
		err = -errno;
	else
		child->pid = pid;	/* parent only: it may be shared */
	sigprocmask(SIG_SETMASK, &old, NULL);
	return err;
}

int tw_child_fork(struct tw_child *child, const struct tw_child_how *how)
{
	static const int none[2] = { -1, -1 };

	return fork_child(child, how, none);
}

int tw_child_ready(void)
{
	const int fine = 0;
	int err = write(ready_fd, &fine, sizeof(fine)) == sizeof(fine) ?
		  0 : -errno;

	close(ready_fd);
	ready_fd = -1;
	return err;
}

/* Waits until the child is ready or has ended; *hangs: neither in time. */
static int await(int fd, int limit_ms, bool *hangs)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + limit_ms * TW_NS_PER_MS;
	int64_t now_ns, grace_ns;
	bool hurry = false;
	int err;

	while (poll(&ready, 1, SLICE_MS) != 1) {
		now_ns = tw_now_ns(CLOCK_MONOTONIC);
		grace_ns = now_ns + GRACE_MS * TW_NS_PER_MS;
		if (!hurry && tw_system_told_to_end()) {
			hurry = true;
			if (grace_ns < end_ns)
				end_ns = grace_ns;
		}
		*hangs = now_ns >= end_ns;
		if (*hangs)
			return hurry ? -EINTR : -ETIMEDOUT;
	}
	return read(fd, &err, sizeof(err)) == sizeof(err) ? err : -ECHILD;
}

/* Copies the value of @name in /proc/PID/status; "" if there is none. */
static void read_status(pid_t pid, const char *name, char *value, size_t size)
{
	char path[64];

	*value = '\0';
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	tw_kfile_field_text("", value, size, path, name);
}

void tw_child_obstacle(pid_t pid, char *buf, size_t size)
{
	char state[32], cpus[48];

	*buf = '\0';
	read_status(pid, "State", state, sizeof(state));
	read_status(pid, "Cpus_allowed_list", cpus, sizeof(cpus));
	if (*state == 'R')
		snprintf(buf, size, "something of a higher priority seems to keep CPU %s busy",
			 cpus);
	else if (*state)
		snprintf(buf, size, "on CPU %s its state is %s", cpus, state);
}

void tw_child_tell(const struct tw_child *child, const char *did, char *buf,
		   size_t size)
{
	*buf = '\0';
	if (child->why[0])
		snprintf(buf, size, "%s: %s%s", did, child->why, child->lost ?
			 "; it cannot even be killed there, and ends once that does" : "");
	else if (child->ended && WIFSIGNALED(child->status))
		snprintf(buf, size, "was killed by signal %d (%s)",
			 WTERMSIG(child->status),
			 strsignal(WTERMSIG(child->status)));
}

int tw_child_start(struct tw_child *child, const struct tw_child_how *how,
		   int limit_ms)
{
	bool hangs = false;
	int fds[2];
	int err;

	memset(child, 0, sizeof(*child));
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	err = fork_child(child, how, fds);
	close(fds[1]);
	if (!err)
		err = await(fds[0], limit_ms, &hangs);
	close(fds[0]);
	if (!err)
		return 0;
	if (hangs)
		tw_child_obstacle(child->pid, child->why,
				  sizeof(child->why));
	/* A child that reported an error ends by itself. */
	tw_child_stop(child, hangs ? how->stop_signal : 0,
		      hangs && !how->stop_signal ? 0 : KILL_MS);
	return err;
}

bool tw_child_reap(struct tw_child *child)
{
	int status;
	pid_t got;

	while (child->pid && !child->ended) {
		got = waitpid(child->pid, &status,
			      WNOHANG | WUNTRACED | WCONTINUED);
		if (!got)
			break;
		if (got == child->pid && WIFCONTINUED(status))
			child->stops++;
		if (got == child->pid &&
		    (WIFCONTINUED(status) || WIFSTOPPED(status)))
			continue;
		child->ended = true;
		child->status = got == child->pid ? status : -1;
	}
	return !child->pid || child->ended;
}

/* Sends @signal until the child has ended; false if it has not by @end_ns. */
static bool ask(struct tw_child *child, int signal, int64_t end_ns)
{
	struct timespec pause = { .tv_nsec = TW_NS_PER_MS / 8 };

	/* Repeatedly: a signal may come just before the child waits for it. */
	while (!tw_child_reap(child)) {
		if (tw_now_ns(CLOCK_MONOTONIC) >= end_ns)
			return false;
		if (signal)
			kill(child->pid, signal);
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < PAUSE_MAX_NS)
			pause.tv_nsec *= 2;
	}
	return true;
}

static bool end(struct tw_child *child)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	cpu_set_t ours;

	if (ask(child, SIGKILL, now_ns + KILL_MS / 10 * TW_NS_PER_MS))
		return true;
	/* Its own CPUs may be busy, so that it cannot exit: give it ours. */
	if (!sched_getaffinity(0, sizeof(ours), &ours))
		sched_setaffinity(child->pid, sizeof(ours), &ours);
	return ask(child, SIGKILL, now_ns + KILL_MS * TW_NS_PER_MS);
}

int tw_child_stop(struct tw_child *child, int signal, int limit_ms)
{
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + limit_ms * TW_NS_PER_MS;

	if (child->lost)
		return -EBUSY;
	if (ask(child, signal, end_ns))
		return 0;
	if (!child->why[0])
		tw_child_obstacle(child->pid, child->why,
				  sizeof(child->why));
	if (end(child))
		return -ETIMEDOUT;
	child->lost = true;
	return -EBUSY;
}
