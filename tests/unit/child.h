/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children of a test whose output and end are kept: for functions that write
 * to stderr or exit.
 */
#ifndef CHILD_H
#define CHILD_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#define OUTPUT_BYTES	16384

/* The exit code of a child whose function returned. */
#define RETURNED	77

struct outcome {
	int exit_code;		/* -1: did not exit by itself */
	char out[OUTPUT_BYTES];
	char err[OUTPUT_BYTES];
};

/* Reads all of @fd into @text and closes it; returns the length. */
static inline size_t read_all(int fd, char *text)
{
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, text + used, OUTPUT_BYTES - 1 - used)) > 0)
		used += n;
	assert_int_equal(n, 0);
	assert_true(used < OUTPUT_BYTES - 1);
	text[used] = '\0';
	close(fd);
	return used;
}

/* Runs @fn in a child; what it writes must fit into a pipe. */
static inline struct outcome run(void (*fn)(void))
{
	struct outcome o = { .exit_code = -1 };
	int out[2], err[2], status;
	pid_t child;

	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(err), 0);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0)
			_exit(99);
		close(out[0]);
		close(err[0]);
		fn();
		fflush(NULL);
		_exit(RETURNED);
	}
	close(out[1]);
	close(err[1]);
	read_all(out[0], o.out);
	read_all(err[0], o.err);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status))
		o.exit_code = WEXITSTATUS(status);
	return o;
}

static inline void assert_outcome(void (*fn)(void), int exit_code,
				  const char *err)
{
	struct outcome o = run(fn);

	assert_string_equal(o.err, err);
	assert_string_equal(o.out, "");
	assert_int_equal(o.exit_code, exit_code);
}

#endif /* CHILD_H */
