// SPDX-License-Identifier: GPL-2.0-or-later
/* Children that get ready, fail, hang, do not listen, or do not even die. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#include "tw_child.h"
#include "tw_time.h"

#define LIMIT_MS	20000	/* a busy host must not break a test */
#define SHORT_MS	50	/* of what is to be too long */

/* What children tell, for all processes to see. */
static struct told {
	atomic_int asked;
	pid_t group, session;
	char name[16];
	bool blocked, closed;
} *told;

static struct tw_child child;

static int map_told(void **state)
{
	(void)state;
	memset(&child, 0, sizeof(child));
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return told == MAP_FAILED ? -1 : 0;
}

static int unmap_told(void **state)
{
	(void)state;
	return munmap(told, sizeof(*told));
}

static void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void sleep_ms(int ms)
{
	const struct timespec time = tw_ns_to_ts(ms * TW_NS_PER_MS);

	nanosleep(&time, NULL);
}

static int start(int (*live)(void *arg), void *arg, int limit_ms)
{
	const struct tw_child_how how = {
		.name = "a-child", .death_signal = SIGKILL, .live = live,
		.arg = arg,
	};

	return tw_child_start(&child, &how, limit_ms);
}

/* Sleeps until it is asked to end, as nicely as @arg says. */
static int listen_on(void *arg)
{
	const int *times = arg;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	tw_child_ready();
	while (atomic_fetch_add(&told->asked, 1) < *times)
		sigwaitinfo(&set, NULL);
	return 0;
}

static int hang(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return 0;
}

static int ready_then_hang(void *arg)
{
	tw_child_ready();
	return hang(arg);
}

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

static void test_does_not_listen(void **state)
{
	(void)state;
	assert_int_equal(start(ready_then_hang, NULL, LIMIT_MS), 0);
	assert_int_equal(tw_child_stop(&child, SIGUSR1, SHORT_MS), -ETIMEDOUT);
	assert_true(child.ended);
	assert_non_null(strstr(child.why, "its state is S (sleeping)"));
	assert_false(child.lost);
	assert_no_child();
}

/* Traced by another process, it cannot be reaped: as if it did not die. */
static pid_t start_tracer(pid_t pid)
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

static int traced(void *arg)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	return ready_then_hang(arg);
}

static void test_does_not_die(void **state)
{
	char what[256];
	pid_t tracer;

	(void)state;
	assert_int_equal(start(traced, NULL, LIMIT_MS), 0);
	tracer = start_tracer(child.pid);
	if (!tracer) {
		tw_child_stop(&child, 0, 0);
		print_message("# skip: no process may be traced here\n");
		skip();
	}
	assert_int_equal(tw_child_stop(&child, SIGUSR1, SHORT_MS), -EBUSY);
	assert_true(child.lost);
	assert_false(child.ended);
	tw_child_tell(&child, "did not end", what, sizeof(what));
	assert_non_null(strstr(what, "it cannot even be killed there"));
	/* Nobody waits for it any more. */
	assert_int_equal(tw_child_stop(&child, SIGUSR1, 600000), -EBUSY);
	kill(tracer, SIGKILL);
	assert_int_equal(waitpid(tracer, NULL, 0), tracer);
	assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
	assert_no_child();
}

/* Until what keeps process @pid is, in words, @state; "": it is gone. */
static void await_state(pid_t pid, const char *state)
{
	char why[128];
	int ms;

	for (ms = 0; ; ms += 2) {
		tw_child_obstacle(pid, why, sizeof(why));
		if (*state ? strstr(why, state) != NULL :
			     !*why || strstr(why, "Z (zombie)"))
			return;
		assert_true(ms < LIMIT_MS);
		sleep_ms(2);
	}
}

static void test_counts_stops(void **state)
{
	int i;

	(void)state;
	assert_int_equal(start(ready_then_hang, NULL, LIMIT_MS), 0);
	for (i = 0; i < 3; i++) {
		kill(child.pid, SIGSTOP);
		await_state(child.pid, "T (stopped)");
		assert_false(tw_child_reap(&child));
		assert_int_equal(child.stops, i);
		kill(child.pid, SIGCONT);
		await_state(child.pid, "S (sleeping)");
		assert_false(tw_child_reap(&child));
		assert_int_equal(child.stops, i + 1);
	}
	/* One that is stopped can be ended all the same. */
	kill(child.pid, SIGSTOP);
	await_state(child.pid, "T (stopped)");
	assert_int_equal(tw_child_stop(&child, SIGUSR1, SHORT_MS), -ETIMEDOUT);
	assert_non_null(strstr(child.why, "its state is T (stopped)"));
	assert_int_equal(child.stops, 3);
	assert_no_child();
}

/* A parent of its own, which is killed. */
static void test_dies_with_parent(void **state)
{
	pid_t parent, orphan;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	parent = fork();
	assert_true(parent >= 0);
	if (!parent) {
		if (start(ready_then_hang, NULL, LIMIT_MS) ||
		    write(fds[1], &child.pid, sizeof(child.pid)) < 0)
			_exit(1);
		hang(NULL);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &orphan, sizeof(orphan)),
			 sizeof(orphan));
	close(fds[0]);
	assert_int_equal(kill(orphan, 0), 0);
	kill(parent, SIGKILL);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	await_state(orphan, "");
}

int main(void)
{
#define WITH_TOLD(test) \
	cmocka_unit_test_setup_teardown(test, map_told, unmap_told)
	const struct CMUnitTest tests[] = {
		WITH_TOLD(test_ready_and_stopped),
		WITH_TOLD(test_none),
		WITH_TOLD(test_place),
		WITH_TOLD(test_without_close_range),
		WITH_TOLD(test_fails_to_start),
		WITH_TOLD(test_hangs_at_start),
		WITH_TOLD(test_interrupted_start),
		WITH_TOLD(test_does_not_listen),
		WITH_TOLD(test_does_not_die),
		WITH_TOLD(test_counts_stops),
		WITH_TOLD(test_dies_with_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
