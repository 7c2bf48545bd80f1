// SPDX-License-Identifier: GPL-2.0-or-later
/* Streams whose reader may be slow, and that know why they failed. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/tw_flow.h"
#include "cannot_reopen.h"
#include "unit.h"

#define LINE	"twenty bytes a line\n"
#define LINES	100000		/* more than any pipe takes */

static int leave(void **state)
{
	(void)state;
	cannot_reopen = false;
	return 0;
}

static void print_lines(struct tw_flow *flow, int count)
{
	while (count--)
		fputs(LINE, flow->stream);
}

/* Reads @len bytes, which are lines from their beginning on. */
static void assert_lines(int fd, size_t len)
{
	char byte;
	size_t i;

	for (i = 0; i < len; i++) {
		assert_int_equal(read(fd, &byte, 1), 1);
		assert_int_equal(byte, LINE[i % strlen(LINE)]);
	}
}

/* Of a reader that reads nothing, then in between, then all. */
static void check_slow_reader(int reader, int writer)
{
	size_t all = LINES * strlen(LINE);
	struct tw_flow flow;
	size_t behind;

	assert_int_equal(tw_flow_open(&flow, dup(writer)), 0);
	/* Nobody else that writes there is to be surprised. */
	assert_false(fcntl(writer, F_GETFL) & O_NONBLOCK);
	print_lines(&flow, LINES);
	assert_int_equal(tw_flow_behind(&flow), all);
	assert_int_equal(tw_flow_push(&flow, 0), -EAGAIN);
	assert_int_equal(tw_flow_push(&flow, 20), -EAGAIN);
	behind = tw_flow_behind(&flow);
	assert_in_range(behind, 1, all - 1);
	assert_lines(reader, all - behind);
	assert_int_equal(tw_flow_push(&flow, 20), -EAGAIN);
	assert_true(tw_flow_behind(&flow) < behind);
	assert_int_equal(tw_flow_close(&flow), 0);
	close(writer);
	close(reader);
}

static void test_pipe(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	check_slow_reader(ends[0], ends[1]);
}

static void test_pipe_not_reopened(void **state)
{
	int ends[2];

	(void)state;
	cannot_reopen = true;
	assert_int_equal(pipe(ends), 0);
	check_slow_reader(ends[0], ends[1]);
}

static void test_socket(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	check_slow_reader(ends[0], ends[1]);
}

/* A terminal, raw so that lines stay as they are; -1: none to be had. */
static int open_terminal(int *master)
{
	struct termios raw;
	int slave;

	*master = posix_openpt(O_RDWR | O_NOCTTY);
	if (*master < 0 || grantpt(*master) || unlockpt(*master))
		return -1;
	slave = open(ptsname(*master), O_RDWR | O_NOCTTY);
	if (slave < 0 || tcgetattr(slave, &raw))
		return -1;
	cfmakeraw(&raw);
	return tcsetattr(slave, TCSANOW, &raw) ? -1 : slave;
}

static void test_terminal(void **state)
{
	int master, slave = open_terminal(&master);

	(void)state;
	if (slave < 0) {
		print_message("skipped: no pseudoterminals here\n");
		skip();
	}
	check_slow_reader(master, slave);
}

/* Control-S. */
static void test_stopped_terminal(void **state)
{
	int master, slave = open_terminal(&master);
	struct tw_flow flow;

	(void)state;
	if (slave < 0) {
		print_message("skipped: no pseudoterminals here\n");
		skip();
	}
	assert_int_equal(tcflow(slave, TCOOFF), 0);
	assert_int_equal(tw_flow_open(&flow, dup(slave)), 0);
	print_lines(&flow, 1);
	assert_int_equal(tw_flow_push(&flow, 20), -EAGAIN);
	assert_int_equal(tw_flow_behind(&flow), strlen(LINE));
	assert_int_equal(tcflow(slave, TCOON), 0);
	assert_int_equal(tw_flow_push(&flow, 1000), 0);
	assert_lines(master, strlen(LINE));
	assert_int_equal(tw_flow_close(&flow), 0);
	close(slave);
	close(master);
}

/* The end of a terminal that is no terminal's user: never another one. */
static void test_terminals_other_end(void **state)
{
	int master, slave = open_terminal(&master);
	struct tw_flow flow;

	(void)state;
	if (slave < 0) {
		print_message("skipped: no pseudoterminals here\n");
		skip();
	}
	assert_int_equal(tw_flow_open(&flow, dup(master)), 0);
	print_lines(&flow, 1);
	assert_int_equal(tw_flow_push(&flow, 1000), 0);
	assert_lines(slave, strlen(LINE));
	assert_int_equal(tw_flow_close(&flow), 0);
	close(slave);
	close(master);
}

/* All of it, from a reader that takes its time. */
static void test_finish(void **state)
{
	struct tw_flow flow;
	int ends[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(ends[1]);
		usleep(250000);
		assert_lines(ends[0], LINES * strlen(LINE));
		_exit(read(ends[0], &status, 1) ? 2 : 0);
	}
	close(ends[0]);
	assert_int_equal(tw_flow_open(&flow, ends[1]), 0);
	print_lines(&flow, LINES);
	assert_int_equal(tw_flow_finish(&flow, -1), 0);
	assert_int_equal(tw_flow_behind(&flow), 0);
	assert_int_equal(tw_flow_close(&flow), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* A signal, or none for so long, ends the wait; and that is told. */
static void check_given_up(int idle_ms)
{
	struct tw_flow flow;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(tw_flow_open(&flow, ends[1]), 0);
	print_lines(&flow, LINES);
	assert_int_equal(tw_flow_finish(&flow, idle_ms), -EINTR);
	assert_int_equal(tw_flow_close(&flow), -EINTR);
	assert_string_equal(tw_flow_error(-EINTR),
			    "its reader paused until a signal ended the wait");
	close(ends[0]);
}

static void test_given_up(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t one;
	int i, got;

	(void)state;
	check_given_up(0);
	check_given_up(250);
	for (i = 0; i < 3; i++) {
		sigemptyset(&one);
		sigaddset(&one, numbers[i]);
		assert_int_equal(sigprocmask(SIG_BLOCK, &one, NULL), 0);
		raise(numbers[i]);
		check_given_up(-1);
		assert_int_equal(sigwait(&one, &got), 0);
		assert_int_equal(sigprocmask(SIG_UNBLOCK, &one, NULL), 0);
	}
}

/* The first reason stays, whatever happens to errno and to the stream. */
static void check_reason(struct tw_flow *flow, int err)
{
	assert_int_equal(tw_flow_push(flow, 0), err);
	errno = ENOTTY;
	print_lines(flow, LINES);
	errno = 0;
	assert_int_equal(flow->err, err);
	assert_int_equal(tw_flow_push(flow, 0), err);
	assert_int_equal(tw_flow_finish(flow, -1), err);
	assert_int_equal(tw_flow_close(flow), err);
}

static void test_full_device(void **state)
{
	struct tw_flow flow;

	(void)state;
	assert_int_equal(tw_flow_open(&flow, open("/dev/full", O_WRONLY)), 0);
	print_lines(&flow, 1);
	check_reason(&flow, -ENOSPC);
}

/* Known before there is anything to write. */
static void test_no_reader(void **state)
{
	struct tw_flow flow;
	int ends[2], printed;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	for (printed = 0; printed < 2; printed++) {
		assert_int_equal(pipe(ends), 0);
		close(ends[0]);
		assert_int_equal(tw_flow_open(&flow, ends[1]), 0);
		print_lines(&flow, printed);
		check_reason(&flow, -EPIPE);
	}
}

static void test_full_disk(void **state)
{
	const struct rlimit small = { .rlim_cur = 4096,
				      .rlim_max = RLIM_INFINITY };
	struct rlimit old;
	struct tw_flow flow;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	if (old.rlim_max != RLIM_INFINITY) {
		print_message("skipped: file sizes are limited already\n");
		skip();
	}
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(tw_flow_open(&flow, open("/tmp", O_TMPFILE | O_RDWR,
						  0600)), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	print_lines(&flow, LINES);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	check_reason(&flow, -EFBIG);
}

/* Where nobody reads nothing is kept: it is there once it is pushed. */
static void test_regular_file(void **state)
{
	struct tw_flow flow;
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	int copy = dup(fd);

	(void)state;
	assert_true(fd >= 0 && copy >= 0);
	assert_int_equal(tw_flow_open(&flow, fd), 0);
	print_lines(&flow, 1000);
	assert_int_equal(tw_flow_behind(&flow), 0);
	assert_int_equal(tw_flow_push(&flow, 0), 0);
	assert_int_equal(lseek(copy, 0, SEEK_CUR), 1000 * strlen(LINE));
	assert_int_equal(lseek(copy, 0, SEEK_SET), 0);
	assert_lines(copy, 1000 * strlen(LINE));
	assert_int_equal(tw_flow_close(&flow), 0);
	close(copy);
}

static void test_no_descriptor(void **state)
{
	struct tw_flow flow;

	(void)state;
	errno = EMFILE;
	assert_int_equal(tw_flow_open(&flow, -1), -EMFILE);
}

#define TEST(test)	cmocka_unit_test_teardown(test, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_pipe),
		TEST(test_pipe_not_reopened),
		TEST(test_socket),
		TEST(test_terminal),
		TEST(test_stopped_terminal),
		TEST(test_terminals_other_end),
		TEST(test_finish),
		TEST(test_given_up),
		TEST(test_full_device),
		TEST(test_no_reader),
		TEST(test_full_disk),
		TEST(test_regular_file),
		TEST(test_no_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
