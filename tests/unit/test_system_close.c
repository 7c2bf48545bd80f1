// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Descriptors, signals and the parent of a child. close_range() is replaced
 * here, so that the way without it is taken too; so the source is compiled
 * here.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit.h"
#include "child.h"
#include "base/tw_system.h"

static bool no_close_range, bad_range;

__attribute__((unused))
static long checked_syscall(long number, unsigned int first,
			    unsigned int last)
{
	bad_range |= first > last;
	return no_close_range ? -1 : syscall(number, first, last, 0);
}

#define syscall(number, first, last, flags) \
	checked_syscall(number, first, last)
#include "base/tw_system.c"
#undef syscall

#define FDS	64

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* Of descriptors up to FDS, those of @keep stay, and no others. */
static void keeps(const int *keep, int count)
{
	int fd, i;

	for (fd = 3; fd < FDS; fd++)
		if (dup2(STDERR_FILENO, fd) < 0)
			_exit(90);
	if (tw_system_close_others(keep, count))
		_exit(91);
	for (fd = 0; fd < FDS + 4; fd++) {
		bool kept = fd <= STDERR_FILENO;

		for (i = 0; i < count; i++)
			kept |= keep[i] == fd;
		if (is_open(fd) != kept)
			_exit(100 + fd);
	}
	if (bad_range)
		_exit(92);
}

static void do_keep(void)
{
	static const int none[1], one[] = { 7 }, next[] = { 3, 4, 5 },
			 mixed[] = { 40, 5, 63, 6, 40 }, std[] = { 1, 9, 0 };

	keeps(none, 0);
	keeps(one, 1);
	keeps(next, 3);
	keeps(mixed, 5);
	keeps(std, 3);
}

static void do_keep_without(void)
{
	no_close_range = true;
	do_keep();
}

static void test_close_others(void **state)
{
	(void)state;
	assert_int_equal(run(do_keep).exit_code, RETURNED);
	assert_int_equal(run(do_keep_without).exit_code, RETURNED);
}

/* What is closed, and what is then open instead of it. */
static void do_no_stdin(void)
{
	char byte;

	close(STDIN_FILENO);
	if (tw_system_check_stdio() || read(STDIN_FILENO, &byte, 1))
		_exit(90);
}

static void do_all(void)
{
	int next = dup(STDERR_FILENO);

	close(next);
	if (tw_system_check_stdio())
		_exit(90);
	if (dup(STDERR_FILENO) != next)
		_exit(91);
}

static void do_no_stdout(void)
{
	close(STDOUT_FILENO);
	if (tw_system_check_stdio() != -EBADF)
		_exit(90);
}

static void do_no_stderr(void)
{
	close(STDERR_FILENO);
	if (tw_system_check_stdio() != -EBADF)
		_exit(90);
}

static void test_stdio(void **state)
{
	(void)state;
	assert_int_equal(run(do_all).exit_code, RETURNED);
	assert_int_equal(run(do_no_stdin).exit_code, RETURNED);
	assert_int_equal(run(do_no_stdout).exit_code, RETURNED);
	assert_int_equal(run(do_no_stderr).exit_code, RETURNED);
}

static void do_die_with(void)
{
	int signal = 0;

	if (tw_system_die_with(getppid(), SIGUSR1) ||
	    prctl(PR_GET_PDEATHSIG, &signal) || signal != SIGUSR1)
		_exit(90);
	/* A parent that ended in between is another one now. */
	if (tw_system_die_with(getpid(), SIGUSR1) != -ESRCH)
		_exit(91);
	if (tw_system_die_with(getppid(), 9999) != -EINVAL)
		_exit(92);
}

static void test_die_with(void **state)
{
	(void)state;
	assert_int_equal(run(do_die_with).exit_code, RETURNED);
}

static void do_told_to_end(void)
{
	static const struct { int signal; bool end; } rows[] = {
		{ SIGINT, true }, { SIGTERM, true }, { SIGHUP, true },
		{ SIGUSR1, false },
	};
	sigset_t all;
	size_t i;
	int got;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		/* One that is ignored would never be pending. */
		signal(rows[i].signal, SIG_DFL);
		if (tw_system_told_to_end())
			_exit(90);
		raise(rows[i].signal);
		/* It stays pending. */
		if (tw_system_told_to_end() != rows[i].end ||
		    tw_system_told_to_end() != rows[i].end)
			_exit(100 + rows[i].signal);
		if (sigwait(&all, &got) || got != rows[i].signal)
			_exit(91);
	}
}

static void test_told_to_end(void **state)
{
	(void)state;
	assert_int_equal(run(do_told_to_end).exit_code, RETURNED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_close_others),
		cmocka_unit_test(test_stdio),
		cmocka_unit_test(test_die_with),
		cmocka_unit_test(test_told_to_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
