// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_child.h"
#include "tw_file.h"
#include "tw_time.h"

#define LONG_MS	60000

/* What the program calls, and what becomes of it. */
static bool no_pidfd, orphan;
static int polls, ready;	/* how often; what the last one found */

long __real_syscall(long number, long pid, long flags);
long __wrap_syscall(long number, long pid, long flags);
long __wrap_syscall(long number, long pid, long flags)
{
	errno = EMFILE;
	return no_pidfd ? -1 : __real_syscall(number, pid, flags);
}

int __real_poll(struct pollfd *fds, nfds_t count, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
	polls++;
	ready = __real_poll(fds, count, ms);
	return ready;
}

/* The parent dies before it. */
int __real_prctl(int option, unsigned long value);
int __wrap_prctl(int option, unsigned long value);
int __wrap_prctl(int option, unsigned long value)
{
	pid_t parent = getppid();

	if (orphan && option == PR_SET_PDEATHSIG) {
		kill(parent, SIGKILL);
		while (getppid() == parent)
			usleep(1000);
	}
	return __real_prctl(option, value);
}

BEFORE_EACH
{
	no_pidfd = orphan = false;
	polls = ready = 0;
}

/* Starts a child that ends with @status when the pipe @go is closed, or now. */
static pid_t start(int status, int *go)
{
	int fds[2] = { -1, -1 };
	char byte;
	pid_t pid;

	if (go)
		assert_int_equal(pipe(fds), 0);
	pid = tw_child_start(SIGKILL);
	assert_true(pid >= 0);
	if (!pid) {
		close(fds[1]);
		if (go && read(fds[0], &byte, 1) != 0)
			_exit(99);
		if (status < 0)
			raise(-status);
		_exit(status);
	}
	close(fds[0]);
	if (go)
		*go = fds[1];
	return pid;
}

static const struct end {
	const char *name;
	bool no_pidfd;
	int how;		/* a signal is negative */
	int flag;
	int left;		/* what waitpid() says then */
} ends[] = {
	{ "status", false, 0, 0, -1 },
	{ "another status", false, 3, 0, -1 },
	{ "signal", false, -SIGKILL, 0, -1 },
	{ "zombie", false, 4, WNOWAIT, 1 },
	{ "status without a file", true, 3, 0, -1 },
	{ "zombie without a file", true, -SIGTERM, WNOWAIT, 1 },
};

TEST_EACH(end_of_a_child, ends)
{
	int expected = of->how < 0 ? -of->how : W_EXITCODE(of->how, 0);
	int status = -1, again = -1, next = dup(0);
	pid_t pid = start(of->how, NULL), left;

	close(next);
	no_pidfd = of->no_pidfd;
	assert_true(tw_child_ends(pid, LONG_MS, of->flag, &status));
	assert_int_equal(status, expected);
	left = waitpid(pid, &again, 0);
	assert_int_equal(left, of->left < 0 ? -1 : pid);
	if (left > 0)
		assert_int_equal(again, expected);
	/* No file stays open. */
	assert_int_equal(dup(0), next);
	close(next);
}

static const struct limit {
	const char *name;
	bool no_pidfd;
	int ms;
} limits[] = {
	{ "look", false, 0 },
	{ "limit", false, 20 },
	{ "limit without a file", true, 20 },
};

TEST_EACH(limit_of_a_wait, limits)
{
	int status = -1, go;
	pid_t pid = start(5, &go);
	int64_t begin_ns = tw_now_ns(CLOCK_MONOTONIC);

	no_pidfd = of->no_pidfd;
	assert_false(tw_child_ends(pid, of->ms, 0, &status));
	assert_true(tw_now_ns(CLOCK_MONOTONIC) - begin_ns >=
		    of->ms * TW_NS_PER_MS);
	assert_int_equal(polls, of->ms);
	assert_int_equal(status, -1);
	close(go);
	assert_true(tw_child_ends(pid, LONG_MS, 0, &status));
	assert_int_equal(status, W_EXITCODE(5, 0));
}

/* The end of the child ends a step of the wait, if we run before that. */
TEST(end_wakes)
{
	int status, tries;
	pid_t pid;

	for (tries = 0; ready != 1 && tries < 100; tries++) {
		pid = tw_child_start(SIGKILL);
		if (!pid) {
			usleep(5000);
			_exit(0);
		}
		assert_true(tw_child_ends(pid, LONG_MS, 0, &status));
	}
	assert_int_equal(ready, 1);
}

TEST(no_child)
{
	int status = -1;

	assert_true(tw_child_ends(getppid(), LONG_MS, 0, &status));
	assert_int_equal(status, -1);
	assert_int_equal(polls, 0);
}

/* A pipe's reader need not wait for it. */
TEST(result_files)
{
	static struct tw_file file = { .path = "-" };
	int fd, status;
	pid_t pid;

	tw_file_add(&file);
	fd = file.fd;
	assert_true(fcntl(fd, F_GETFD) >= 0);
	pid = tw_child_start(SIGKILL);
	if (!pid)
		_exit(fcntl(fd, F_GETFD) >= 0 || file.fd != -1);
	assert_true(tw_child_ends(pid, LONG_MS, 0, &status));
	assert_int_equal(status, 0);
	assert_int_equal(file.fd, fd);
}

static const struct parent {
	const char *name;
	int signal;
	bool orphan;
} parents[] = {
	{ "parent ends", SIGKILL, false },
	{ "parent has ended", 0, true },
};

/* The pipe has no writer any longer when the child has died. */
TEST_EACH(death_of_the_parent, parents)
{
	int fds[2], begun[2], status;
	char text[8];
	pid_t parent;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pipe(begun), 0);
	parent = fork();
	if (!parent) {
		orphan = of->orphan;
		if (!tw_child_start(of->signal)) {
			if (!of->orphan && write(begun[1], "", 1) == 1)
				sleep(20);
			_exit(write(fds[1], "lives", 5) != 5);
		}
		close(begun[1]);
		_exit(read(begun[0], text, 1) != 1);
	}
	close(fds[1]);
	close(begun[1]);
	assert_int_equal(read(fds[0], text, sizeof(text)), 0);
	close(fds[0]);
	assert_int_equal(waitpid(parent, &status, 0), parent);
}

static const struct usual {
	const char *name;
	int number;
} usual[] = {
	{ "PIPE", SIGPIPE }, { "USR2", SIGUSR2 }, { "XFSZ", SIGXFSZ },
};

TEST_EACH(signals_of_a_shell, usual)
{
	char command[64];
	sigset_t blocked;
	int status;
	pid_t pid;

	snprintf(command, sizeof(command), "kill -%s $$; exit 3", of->name);
	pid = tw_child_start(SIGKILL);
	if (!pid) {
		signal(of->number, SIG_IGN);
		sigfillset(&blocked);
		sigprocmask(SIG_SETMASK, &blocked, NULL);
		tw_child_shell(command);
		_exit(99);
	}
	assert_true(tw_child_ends(pid, LONG_MS, 0, &status));
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), of->number);
}
