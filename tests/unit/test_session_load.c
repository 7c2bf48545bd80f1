// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The load of a session: begun with each step, given time to settle, and ended
 * before the report. The test's nanosleep() notes what is slept for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "open_files.h"
#include "parse_load.h"
#include "subreaper.h"

#include "base/tw_time.h"

#define QUIET	"--default-system -q -l 1"

static const struct tw_part *const used[] = {
	&tw_part_session, &tw_part_load, NULL
};
static int settles, files;
static FILE *text;

int nanosleep(const struct timespec *span, struct timespec *left)
{
	if (tw_ts_to_ns(span) >= 100 * TW_NS_PER_MS)
		settles++;
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, span, left);
	return errno ? -1 : 0;
}

/* By the options that were parsed last. */
static int open_parsed(void)
{
	tw_session_init(&session);
	session.run = parse_run;
	session.run.parts = used;
	session.run.output.text.flow.stream = text;
	settles = 0;
	files = count_open_files();
	return tw_run_open(&session.run);
}

static int try_open(const char *options)
{
	accepted(options);
	return open_parsed();
}

/* As the frame does: a part that began is ended if another fails. */
static int begin(int step)
{
	int err;

	session.run.step = step;
	assert_int_equal(tw_part_session.begin(&session.run), 0);
	err = tw_part_load.begin(&session.run);
	if (err)
		tw_part_session.end(&session.run);
	return err;
}

static void end(void)
{
	tw_part_load.end(&session.run);
	tw_part_session.end(&session.run);
	tw_session_close_links(&session);
}

static void assert_no_process(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void close_session(void)
{
	tw_run_close(&session.run);
	assert_no_process();
	assert_int_equal(count_open_files(), files);
}

static void assert_error(int err, const char *message)
{
	assert_int_equal(session.run.err, err);
	assert_string_equal(session.run.error, message);
}

static void test_none(void **state)
{
	(void)state;
	assert_int_equal(try_open(QUIET), 0);
	assert_no_process();
	assert_int_equal(begin(0), 0);
	assert_no_process();
	assert_int_equal(settles, 0);
	end();
	tw_part_load.finish(&session.run);
	assert_int_equal(session.run.err, 0);
	close_session();
}

/* Without any worker, none settles. It is gone before the report. */
static void test_steps(void **state)
{
	(void)state;
	assert_int_equal(try_open(QUIET " --load=fft --steps=3"), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), 0);
	assert_int_equal(begin(0), 0);
	assert_int_equal(tw_session_first(&session)->workers, 0);
	assert_int_equal(settles, 0);
	end();
	assert_int_equal(begin(1), 0);
	assert_int_equal(tw_session_first(&session)->workers, 1);
	assert_int_equal(settles, 1);
	end();
	tw_part_load.finish(&session.run);
	assert_no_process();
	assert_int_equal(session.run.err, 0);
	close_session();
}

/* A failure elsewhere: it is closed without finish(). */
static void test_closed(void **state)
{
	(void)state;
	assert_int_equal(try_open(QUIET " --load=fft:2"), 0);
	assert_int_equal(begin(0), 0);
	end();
	close_session();
}

static void test_cannot_run(void **state)
{
	char *path = strdup(getenv("PATH"));

	(void)state;
	setenv("PATH", "/nowhere", 1);
	assert_int_equal(try_open(QUIET " --load=hackbench"), -ENOENT);
	setenv("PATH", path, 1);
	free(path);
	assert_error(-ENOENT, "--load=hackbench: hackbench is not in PATH; it is part of rt-tests: install that package");
	close_session();
}

/* It failed, so there is no step. */
static void test_fails(void **state)
{
	(void)state;
	need_subreaper();
	assert_int_equal(try_open(QUIET " --load=command:false"), 0);
	assert_int_equal(begin(0), -ECHILD);
	assert_error(-ECHILD, "--load=command:false: ended with exit status 1");
	assert_int_equal(session.steps_done, 0);
	assert_null(session.pairs);
	assert_int_equal(settles, 0);
	close_session();
}

/* Without a ramp, the only step is the first, of any number of copies. */
static void test_step_and_workers(void **state)
{
	static const char *const words[] = {
		"--default-system", "-q", "-l1",
		"--load=command:[ $TWOWAYTEST_STEP$TWOWAYTEST_WORKERS = 01 ] && exec sleep 98",
		NULL
	};

	(void)state;
	need_subreaper();
	assert_int_equal(parse_words(words).err, 0);
	assert_int_equal(open_parsed(), 0);
	assert_int_equal(begin(0), 0);
	end();
	close_session();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_cannot_run),
		cmocka_unit_test(test_fails),
		cmocka_unit_test(test_step_and_workers),
	};
	int failed;

	text = tmpfile();
	failed = text ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
	if (text)
		fclose(text);
	return failed;
}
