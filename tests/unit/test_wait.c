// SPDX-License-Identifier: GPL-2.0-or-later
/* How the server waits: each kind, on a socket pair. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/tw_wait.h"
#include "unit.h"

enum { POLL, SELECT, EPOLL, READ, BUSY, KINDS };

static int ends[2];	/* ours and the peer's */

static int receive_flags;	/* of the last receive */

/* In place of the C library's. */
ssize_t recv(int fd, void *buf, size_t size, int flags)
{
	receive_flags = flags;
	return recvfrom(fd, buf, size, flags, NULL, NULL);
}

static int open_ends(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static int close_ends(void **state)
{
	(void)state;
	return close(ends[0]) | close(ends[1]);
}

static void test_kinds(void **state)
{
	static const char *const names[KINDS] = {
		"poll", "select", "epoll", "read", "busy",
	};
	size_t i;

	(void)state;
	for (i = 0; i < KINDS; i++)
		assert_string_equal(tw_wait_kinds[i]->name, names[i]);
	assert_null(tw_wait_kinds[KINDS]);
	assert_ptr_equal(&tw_wait_busy, tw_wait_kinds[BUSY]);
}

static int lowest_free_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/* Waits once; what has arrived by then, without waiting for more. */
static ssize_t wait_once(size_t kind, int fd, char *byte)
{
	int before = lowest_free_fd();
	struct tw_wait wait;

	assert_int_equal(tw_wait_open(&wait, tw_wait_kinds[kind], fd), 0);
	receive_flags = MSG_PEEK | MSG_DONTWAIT;
	wait.ops->wait(&wait);
	/* Only looks, and never sleeps, if it receives at all. */
	assert_int_equal(receive_flags, MSG_PEEK | MSG_DONTWAIT);
	wait.ops->close(&wait);
	assert_int_equal(lowest_free_fd(), before);
	return recv(fd, byte, 1, MSG_DONTWAIT);
}

/* It takes nothing of what is there: that is the receive's. */
static void test_ready(void **state)
{
	size_t kind;
	char byte;

	(void)state;
	for (kind = 0; kind < KINDS; kind++) {
		assert_int_equal(write(ends[1], "x", 1), 1);
		assert_int_equal(wait_once(kind, ends[0], &byte), 1);
		assert_int_equal(byte, 'x');
	}
}

/* Returned too early, there would be nothing to receive. */
static void test_waits(void **state)
{
	size_t kind;
	int status;
	char byte;
	pid_t pid;

	(void)state;
	for (kind = 0; kind < KINDS; kind++) {
		if (kind == READ)
			continue;
		pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			usleep(20000);
			_exit(write(ends[1], "x", 1) != 1);
		}
		assert_int_equal(wait_once(kind, ends[0], &byte), 1);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

static void test_read_leaves_it_to_the_receive(void **state)
{
	char byte;

	(void)state;
	assert_int_equal(wait_once(READ, ends[0], &byte), -1);
	assert_int_equal(errno, EAGAIN);
}

static void test_peer_gone(void **state)
{
	size_t kind;
	char byte;

	(void)state;
	assert_int_equal(shutdown(ends[1], SHUT_WR), 0);
	for (kind = 0; kind < KINDS; kind++)
		assert_int_equal(wait_once(kind, ends[0], &byte), 0);
}

static void on_signal(int signal)
{
	(void)signal;
}

/* That is how main gets a server to look at the stop flag. */
static void test_interrupted(void **state)
{
	static const size_t kinds[] = { POLL, SELECT, EPOLL };
	const struct sigaction action = { .sa_handler = on_signal };
	const struct itimerval soon = {
		.it_value = { .tv_usec = 2000 },
		.it_interval = { .tv_usec = 2000 },
	};
	const struct itimerval never = { .it_value = { .tv_usec = 0 } };
	char byte;
	size_t i;

	(void)state;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(wait_once(kinds[i], ends[0], &byte), -1);
		assert_int_equal(errno, EAGAIN);
	}
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
}

/* A descriptor that an fd_set has no bit for. */
static void test_large_descriptor(void **state)
{
	struct rlimit old, more;
	struct tw_wait wait;
	size_t kind;
	char byte;
	int fd;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	more = old;
	more.rlim_cur = FD_SETSIZE + 10;
	if (old.rlim_cur < more.rlim_cur &&
	    setrlimit(RLIMIT_NOFILE, &more)) {
		print_message("skipped: no %d descriptors: %s\n",
			      FD_SETSIZE, strerror(errno));
		skip();
	}
	fd = fcntl(ends[0], F_DUPFD, FD_SETSIZE);
	assert_true(fd >= FD_SETSIZE);
	assert_int_equal(tw_wait_open(&wait, tw_wait_kinds[SELECT], fd),
			 -EBADF);
	for (kind = 0; kind < KINDS; kind++) {
		if (kind == SELECT)
			continue;
		assert_int_equal(write(ends[1], "x", 1), 1);
		assert_int_equal(wait_once(kind, fd, &byte), 1);
	}
	close(fd);
	fd = fcntl(ends[0], F_DUPFD, FD_SETSIZE - 1);
	assert_int_equal(fd, FD_SETSIZE - 1);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(wait_once(SELECT, fd, &byte), 1);
	close(fd);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

/* epoll is the only one that asks the kernel when it is opened. */
static void test_epoll_refused(void **state)
{
	int before = lowest_free_fd();
	struct tw_wait wait;

	(void)state;
	assert_int_equal(tw_wait_open(&wait, tw_wait_kinds[EPOLL], -1),
			 -EBADF);
	assert_int_equal(lowest_free_fd(), before);
}

/* Of no use to other programs. */
static void test_epoll_descriptor(void **state)
{
	struct tw_wait wait;

	(void)state;
	assert_int_equal(tw_wait_open(&wait, tw_wait_kinds[EPOLL], ends[0]), 0);
	assert_true(fcntl(wait.epoll_fd, F_GETFD) & FD_CLOEXEC);
	wait.ops->close(&wait);
	assert_int_equal(fcntl(wait.epoll_fd, F_GETFD), -1);
}

#define WITH_ENDS(test) \
	cmocka_unit_test_setup_teardown(test, open_ends, close_ends)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		WITH_ENDS(test_ready),
		WITH_ENDS(test_waits),
		WITH_ENDS(test_read_leaves_it_to_the_receive),
		WITH_ENDS(test_peer_gone),
		WITH_ENDS(test_interrupted),
		WITH_ENDS(test_large_descriptor),
		cmocka_unit_test(test_epoll_refused),
		WITH_ENDS(test_epoll_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
