// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Starts that fail late or early, and what is left of them. The test's poll()
 * counts the calls and can say at once that nothing has come; its
 * sched_setaffinity() notes whose CPUs are changed.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"
#include "open_files.h"
#include "tracer.h"

#include "base/tw_child.h"
#include "base/tw_time.h"

#define LIMIT_MS	20000	/* a busy host must not break a test */
#define SHORT_MS	50	/* of what is to be too long */

static struct tw_child child;
static sigset_t at_first;
static int polls, polls_in_vain;
static pid_t moved;

int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	const struct timespec timeout = tw_ns_to_ts(timeout_ms * TW_NS_PER_MS);

	polls++;
	if (polls_in_vain) {
		polls_in_vain--;
		return 0;
	}
	return ppoll(fds, count, &timeout, NULL);
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *cpus)
{
	moved = pid;
	return (int)syscall(SYS_sched_setaffinity, pid, size, cpus);
}

static int set_up(void **state)
{
	(void)state;
	memset(&child, 0, sizeof(child));
	polls = polls_in_vain = 0;
	moved = 0;
	return sigprocmask(SIG_SETMASK, NULL, &at_first);
}

/* Each case leaves neither a blocked signal nor a child. */
static int tear_down(void **state)
{
	sigset_t now;
	int i;

	(void)state;
	sigprocmask(SIG_SETMASK, NULL, &now);
	for (i = 1; i < SIGRTMIN; i++)
		if (sigismember(&now, i) != sigismember(&at_first, i))
			return -1;
	return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : -1;
}

static int start(int (*live)(void *arg), int stop_signal, int limit_ms)
{
	const struct tw_child_how how = {
		.death_signal = SIGKILL, .stop_signal = stop_signal,
		.live = live,
	};

	return tw_child_start(&child, &how, limit_ms);
}

static int get_ready(void *arg)
{
	(void)arg;
	return tw_child_ready();
}

static int refuse(void *arg)
{
	(void)arg;
	return -ENOTTY;
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

/* Not ready, but it takes its time to clean up. */
static int end_when_asked(void *arg)
{
	sigset_t set;

	(void)arg;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwaitinfo(&set, NULL);
	usleep(20000);
	_exit(5);
}

static void test_mask(void **state)
{
	sigset_t now;
	int i;

	(void)state;
	assert_int_equal(start(get_ready, 0, LIMIT_MS), 0);
	sigprocmask(SIG_SETMASK, NULL, &now);
	for (i = 1; i < SIGRTMIN; i++)
		assert_int_equal(sigismember(&now, i),
				 sigismember(&at_first, i));
	assert_int_equal(tw_child_stop(&child, 0, LIMIT_MS), 0);
}

static void test_no_leak(void **state)
{
	const int before = count_open_files();

	(void)state;
	assert_int_equal(start(get_ready, 0, LIMIT_MS), 0);
	assert_int_equal(count_open_files(), before);
	assert_int_equal(tw_child_stop(&child, 0, LIMIT_MS), 0);
	assert_int_equal(start(refuse, 0, LIMIT_MS), -ENOTTY);
	assert_int_equal(count_open_files(), before);
	assert_int_equal(start(hang, 0, SHORT_MS), -ETIMEDOUT);
	assert_int_equal(count_open_files(), before);
}

/* What the parent has not written yet is not written by the child, too. */
static void test_no_flush(void **state)
{
	FILE *file = tmpfile();
	int standard;

	(void)state;
	assert_non_null(file);
	fflush(stdout);
	standard = dup(1);
	assert_true(standard >= 0);
	assert_int_equal(dup2(fileno(file), 1), 1);
	fputs("once", stdout);
	start(get_ready, 0, LIMIT_MS);
	tw_child_stop(&child, 0, LIMIT_MS);
	start(refuse, 0, LIMIT_MS);
	fflush(stdout);
	dup2(standard, 1);
	close(standard);
	assert_int_equal(lseek(fileno(file), 0, SEEK_END), 4);
	fclose(file);
}

static char path[] = "/tmp/test_child_start.XXXXXX";

/* Fails after it was ready, with the file under every number that is free. */
static int fail_later(void *arg)
{
	int i;

	(void)arg;
	tw_child_ready();
	for (i = 0; i < 16; i++)
		if (open(path, O_WRONLY | O_CLOEXEC) < 0)
			return -errno;
	return -ENOTTY;
}

/* An error is not written to what has got the number of the closed pipe. */
static void test_fails_when_ready(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(start(fail_later, 0, LIMIT_MS), 0);
	assert_int_equal(tw_child_stop(&child, 0, LIMIT_MS), 0);
	assert_int_equal(WEXITSTATUS(child.status), EXIT_FAILURE);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	close(fd);
	unlink(path);
}

/* Without a descriptor for the pipe there is no child, nor an old one. */
static void test_no_descriptor(void **state)
{
	struct rlimit old, none;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = old;
	none.rlim_cur = 0;
	child.pid = 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(start(get_ready, 0, LIMIT_MS), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(child.pid, 0);
}

/* Too many processes: root, who may have more, becomes another user. */
static int fork_in_vain(void)
{
	const struct rlimit none = { 0, 0 };
	const int before = count_open_files();
	const struct tw_child_how how = { .live = get_ready };

	if (setrlimit(RLIMIT_NPROC, &none) ||
	    (!geteuid() && setuid(65534)))
		return 2;
	if (start(get_ready, 0, LIMIT_MS) != -EAGAIN || child.pid ||
	    child.why[0] || count_open_files() != before)
		return 1;
	return tw_child_fork(&child, &how) != -EAGAIN || child.pid;
}

static void test_no_process(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(fork_in_vain());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 2) {
		print_message("# skip: the number of processes cannot be limited here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Out of time, it is asked by its own signal, and may then take longer. */
static void test_stop_signal(void **state)
{
	(void)state;
	assert_int_equal(start(end_when_asked, SIGUSR1, SHORT_MS),
			 -ETIMEDOUT);
	assert_true(child.ended);
	assert_true(WIFEXITED(child.status));
	assert_int_equal(WEXITSTATUS(child.status), 5);
	assert_non_null(strstr(child.why, "its state is S (sleeping)"));
	/* Without a signal of its own it is killed. */
	assert_int_equal(start(end_when_asked, 0, SHORT_MS), -ETIMEDOUT);
	assert_true(WIFSIGNALED(child.status));
	assert_int_equal(WTERMSIG(child.status), SIGKILL);
}

/* With a pending signal that ends the test. */
static int start_told(int (*live)(void *arg), int limit_ms)
{
	const struct timespec now = { .tv_sec = 0 };
	sigset_t set, old;
	int err;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	raise(SIGTERM);
	err = start(live, 0, limit_ms);
	assert_int_equal(sigtimedwait(&set, NULL, &now), SIGTERM);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return err;
}

/* It has some time even if it is not ready at the first looks. */
static void test_grace(void **state)
{
	(void)state;
	polls_in_vain = 3;
	assert_int_equal(start_told(get_ready, LIMIT_MS), 0);
	assert_true(polls > 3);
	assert_int_equal(tw_child_stop(&child, 0, LIMIT_MS), 0);
}

/* But no more than it would have without the signal. */
static void test_no_more_grace(void **state)
{
	(void)state;
	assert_int_equal(start_told(hang, 0), -EINTR);
	assert_int_equal(polls, 1);
}

/* Somebody else has taken its status. */
static void test_reaped_by_another(void **state)
{
	(void)state;
	assert_int_equal(start(ready_then_hang, 0, LIMIT_MS), 0);
	kill(child.pid, SIGKILL);
	assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
	assert_true(tw_child_reap(&child));
	assert_true(child.ended);
	assert_int_equal(child.status, -1);
}

/* One that does not die of SIGKILL gets our CPUs to die on; no other does. */
static void test_cpus_to_die_on(void **state)
{
	pid_t pid, tracer;

	(void)state;
	assert_int_equal(start(ready_then_hang, 0, LIMIT_MS), 0);
	assert_int_equal(tw_child_stop(&child, SIGUSR1, SHORT_MS), -ETIMEDOUT);
	assert_int_equal(moved, 0);

	assert_int_equal(start(ready_then_hang, 0, LIMIT_MS), 0);
	pid = child.pid;
	tracer = start_tracer(pid);
	if (!tracer) {
		tw_child_stop(&child, 0, 0);
		print_message("# skip: no process may be traced here\n");
		skip();
	}
	assert_int_equal(tw_child_stop(&child, SIGUSR1, SHORT_MS), -EBUSY);
	assert_int_equal(moved, pid);
	kill(tracer, SIGKILL);
	assert_int_equal(waitpid(tracer, NULL, 0), tracer);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
#define TEST(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_mask),
		TEST(test_no_leak),
		TEST(test_no_flush),
		TEST(test_fails_when_ready),
		TEST(test_no_descriptor),
		TEST(test_no_process),
		TEST(test_stop_signal),
		TEST(test_grace),
		TEST(test_no_more_grace),
		TEST(test_reaped_by_another),
		TEST(test_cpus_to_die_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
