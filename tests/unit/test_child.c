// SPDX-License-Identifier: GPL-2.0-or-later
/* Children that get ready, fail or hang, and what they inherit. */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "told.h"

static int give_up(void *arg)
{
	return *(int *)arg;
}

static int end_silently(void *arg)
{
	_exit(*(int *)arg);
}

static int kill_itself(void *arg)
{
	kill(getpid(), *(int *)arg);
	return 0;
}

static int tell(void *arg)
{
	sigset_t mask;
	int fd;

	(void)arg;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	told->blocked = sigismember(&mask, SIGTERM) &&
			sigismember(&mask, SIGTSTP);
	told->group = getpgrp();
	told->session = getsid(0);
	prctl(PR_GET_NAME, told->name);
	tw_child_ready();
	for (told->closed = true, fd = 3; fd < 256; fd++)
		if (fcntl(fd, F_GETFD) >= 0 && fd != *(int *)arg)
			told->closed = false;
	return fcntl(*(int *)arg, F_GETFD) < 0 ? -EBADF : 0;
}

/* Asked more than once, as it may just not be waiting. */
static void test_ready_and_stopped(void **state)
{
	int times = 3;

	(void)state;
	assert_int_equal(start(listen_on, &times, LIMIT_MS), 0);
	assert_true(child.pid > 0);
	assert_false(tw_child_reap(&child));
	assert_int_equal(tw_child_stop(&child, SIGUSR1, LIMIT_MS), 0);
	assert_true(child.ended);
	assert_int_equal(child.status, 0);
	assert_string_equal(child.why, "");
	assert_int_equal(told->asked, 4);
	/* A second time there is nothing to do. */
	assert_int_equal(tw_child_stop(&child, SIGUSR1, LIMIT_MS), 0);
	assert_no_child();
}

static void test_none(void **state)
{
	(void)state;
	assert_true(tw_child_reap(&child));
	assert_int_equal(tw_child_stop(&child, SIGUSR1, LIMIT_MS), 0);
}

static void test_place(void **state)
{
	static const enum tw_child_place places[] = {
		TW_CHILD_WITH_PARENT, TW_CHILD_OWN_GROUP, TW_CHILD_OWN_SESSION,
	};
	struct tw_child_how how = { .name = "a-child", .live = tell };
	int fd = open("/dev/null", O_RDONLY);
	int other = open("/dev/null", O_RDONLY);
	sigset_t before, after;
	size_t i;

	(void)state;
	how.arg = &fd;
	how.keep[0] = fd;
	sigprocmask(SIG_SETMASK, NULL, &before);
	for (i = 0; i < 3; i++) {
		how.place = places[i];
		assert_int_equal(tw_child_start(&child, &how, LIMIT_MS), 0);
		assert_int_equal(tw_child_stop(&child, 0, LIMIT_MS), 0);
		assert_int_equal(child.status, 0);
		assert_true(told->blocked);
		assert_true(told->closed);
		assert_string_equal(told->name, "a-child");
		assert_int_equal(told->group, i ? child.pid : getpgrp());
		assert_int_equal(told->session, i == 2 ? child.pid :
							  getsid(0));
	}
	sigprocmask(SIG_SETMASK, NULL, &after);
	assert_int_equal(sigismember(&before, SIGTERM),
			 sigismember(&after, SIGTERM));
	close(fd);
	close(other);
	assert_no_child();
}

#define OPENED	20

/* Of @OPENED files, the even ones are there. */
static int tell_even(void *arg)
{
	const int *fds = arg;
	int i, err = 0;

	for (i = 0; i < OPENED; i++)
		if ((fcntl(fds[i], F_GETFD) < 0) != i % 2)
			err = -EBADF;
	tw_child_ready();
	return err;
}

/* More than there is room for, in any order, and some of them twice. */
static void test_keep_more(void **state)
{
	int fds[OPENED], more[OPENED / 2 + 2];
	struct tw_child_how how = {
		.live = tell_even, .arg = fds, .keep_more = more,
	};
	int i;

	(void)state;
	for (i = 0; i < OPENED; i++)
		fds[i] = open("/dev/null", O_RDONLY);
	how.keep[0] = fds[4];
	how.keep[5] = fds[OPENED - 2];
	more[how.more_count++] = -1;
	more[how.more_count++] = fds[2];
	for (i = OPENED - 4; i >= 0; i -= 2)
		if (i != 4)
			more[how.more_count++] = fds[i];
	assert_int_equal(tw_child_start(&child, &how, LIMIT_MS), 0);
	assert_int_equal(tw_child_stop(&child, 0, LIMIT_MS), 0);
	assert_int_equal(child.status, 0);
	/* Only as many as are said to be there. */
	how.more_count = 2;
	assert_int_equal(tw_child_start(&child, &how, LIMIT_MS), 0);
	assert_int_equal(tw_child_stop(&child, 0, LIMIT_MS), 0);
	assert_int_not_equal(child.status, 0);
	for (i = 0; i < OPENED; i++)
		close(fds[i]);
	assert_no_child();
}

/* As containers' filters answer a call that they do not know. */
static int refuse_close_range(void)
{
#ifdef SYS_close_range
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { 4, code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
#else
	return 0;
#endif
}

/* By another way; where there is none, the child does not live. */
static int without_close_range(void)
{
	int fd = open("/dev/null", O_RDONLY);
	int other = open("/dev/null", O_RDONLY);
	struct tw_child_how how = { .live = tell, .arg = &fd, .keep = { fd } };
	const struct rlimit full = { other + 1, other + 1 };

	if (refuse_close_range())
		return 2;
	if (tw_child_start(&child, &how, LIMIT_MS) ||
	    tw_child_stop(&child, 0, LIMIT_MS) || child.status ||
	    !told->closed)
		return 1;
	/* No descriptor is left to list them with. */
	memset(told->name, 0, sizeof(told->name));
	if (setrlimit(RLIMIT_NOFILE, &full) ||
	    tw_child_fork(&child, &how) ||
	    tw_child_stop(&child, 0, LIMIT_MS) || !child.status ||
	    told->name[0])
		return 1;
	return 0;
}

static void test_without_close_range(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	assert_true(pid >= 0);
	if (!pid)
		_exit(without_close_range());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 2) {
		print_message("# skip: no seccomp filter may be set here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void assert_told(const char *want)
{
	char what[256];

	tw_child_tell(&child, "was late", what, sizeof(what));
	assert_string_equal(what, want);
}

static void test_fails_to_start(void **state)
{
	int err = -ENOTTY, status = 3, killed = SIGKILL;

	(void)state;
	assert_int_equal(start(give_up, &err, LIMIT_MS), -ENOTTY);
	assert_true(child.ended);
	assert_told("");
	assert_int_equal(start(end_silently, &status, LIMIT_MS), -ECHILD);
	assert_true(child.ended);
	assert_int_equal(WEXITSTATUS(child.status), 3);
	assert_told("");
	assert_int_equal(start(kill_itself, &killed, LIMIT_MS), -ECHILD);
	assert_true(child.ended);
	assert_told("was killed by signal 9 (Killed)");
	assert_no_child();
}

static void test_hangs_at_start(void **state)
{
	(void)state;
	assert_int_equal(start(hang, NULL, SHORT_MS), -ETIMEDOUT);
	assert_true(child.ended);
	assert_int_equal(WTERMSIG(child.status), SIGKILL);
	assert_non_null(strstr(child.why, "its state is S (sleeping)"));
	assert_no_child();
}

/* A signal that ends the test ends the wait, and is there for others. */
static void test_interrupted_start(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	const struct timespec now = { .tv_sec = 0 };
	int err = -ENOTTY, times = 0;
	sigset_t set, old;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		sigemptyset(&set);
		sigaddset(&set, signals[i]);
		sigprocmask(SIG_BLOCK, &set, &old);
		raise(signals[i]);
		/* 1 s is left to those that are about to be ready, or fail. */
		assert_int_equal(start(give_up, &err, LIMIT_MS), -ENOTTY);
		assert_int_equal(start(listen_on, &times, LIMIT_MS), 0);
		assert_int_equal(tw_child_stop(&child, 0, LIMIT_MS), 0);
		assert_int_equal(start(hang, NULL, 600000), -EINTR);
		assert_true(child.ended);
		assert_int_equal(sigtimedwait(&set, NULL, &now), signals[i]);
		sigprocmask(SIG_SETMASK, &old, NULL);
	}
	assert_no_child();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TOLD(test_ready_and_stopped),
		WITH_TOLD(test_none),
		WITH_TOLD(test_place),
		WITH_TOLD(test_keep_more),
		WITH_TOLD(test_without_close_range),
		WITH_TOLD(test_fails_to_start),
		WITH_TOLD(test_hangs_at_start),
		WITH_TOLD(test_interrupted_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
