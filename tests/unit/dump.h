/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run that dumps, in a directory of its own: its files and their readers. */
#ifndef DUMP_H
#define DUMP_H

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "report.h"
#include "result/tw_part_result.h"

static char home[] = "/tmp/test_dump.XXXXXX";
static int text_fd = -1;	/* where the reader of the text reads */

static inline int enter(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	strcpy(home + sizeof(home) - 7, "XXXXXX");
	return !mkdtemp(home) || chdir(home);
}

static inline void end(void)
{
	if (text_fd < 0)
		return;
	tw_file_abort(tw_part_dump.result->file);
	tw_file_abort(&session.run.output.text);
	close(text_fd);
	text_fd = -1;
}

static inline int leave(void **state)
{
	(void)state;
	end();
	unlink("f");
	return chdir("/") || rmdir(home);
}

/* The files of a run: a pipe for the text, and what --dump names. */
static inline void open_files(void)
{
	const struct tw_result *result = tw_part_dump.result;
	int ends[2];

	end();
	assert_int_equal(pipe(ends), 0);
	text_fd = ends[0];
	assert_int_equal(fcntl(text_fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(tw_file_use(&session.run.output.text, ends[1]), 0);
	close(ends[1]);
	if (*result->path)
		assert_int_equal(tw_file_open(result->file, *result->path), 0);
	assert_int_equal(tw_part_dump.open(&session.run), 0);
}

static inline void begin(const char *line)
{
	end();
	new_run(line);
	open_files();
}

#define IN_HOME(test)	cmocka_unit_test_setup_teardown(test, enter, leave)

#endif /* DUMP_H */
