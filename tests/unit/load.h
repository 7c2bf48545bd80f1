/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A load of real processes: opened, awaited, and closed without a trace. */
#ifndef LOAD_H
#define LOAD_H

#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"
#include "subreaper.h"

#include "load/tw_load.h"

#define PATIENCE_MS	10000	/* what is waited for takes some ms */

static struct tw_load load;
static char why[TW_LOAD_WHY];

static inline struct tw_load_params any_cpu(const char *command)
{
	struct tw_load_params params = {
		.command = command, .policy = SCHED_OTHER,
	};

	assert_int_equal(sched_getaffinity(0, sizeof(params.cpus),
					   &params.cpus), 0);
	return params;
}

static inline void open_load(const struct tw_load_ops *ops,
			     const char *command, int most)
{
	const struct tw_load_params params = any_cpu(command);
	int err;

	if (ops == &tw_load_command)
		need_subreaper();
	err = tw_load_open(&load, ops, &params, most, why);
	if (err)
		fail_msg("%s: %s", why, strerror(-err));
}

static inline void pause_ms(int ms)
{
	const struct timespec pause = { .tv_nsec = ms * 1000000L };

	nanosleep(&pause, NULL);
}

/* Waits until @done says so. */
static inline void await(bool (*done)(void))
{
	int ms;

	for (ms = 0; !done(); ms += 2) {
		assert_true(ms < PATIENCE_MS);
		pause_ms(2);
	}
}

static inline bool load_died(void)
{
	return load.ops->died(&load);
}

/* Closed, nothing is left: neither a child nor one of a child's. */
static inline void close_load(void)
{
	assert_int_equal(tw_load_close(&load, why), 0);
	errno = 0;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(tw_load_close(&load, why), 0);
}

/* For commands to sleep: a time that no other process here sleeps for. */
static char nap[32];

/* Whether the process that @path tells of has that for an argument. */
static inline bool is_napping(const char *path)
{
	char words[4096];
	FILE *file = fopen(path, "r");
	size_t len, at;

	if (!file)
		return false;
	len = fread(words, 1, sizeof(words) - 1, file);
	fclose(file);
	words[len] = '\0';
	for (at = 0; at < len; at += strlen(words + at) + 1)
		if (!strcmp(words + at, nap))
			return true;
	return false;
}

static inline int count_napping(void)
{
	int count = 0;
	glob_t paths;
	size_t i;

	assert_int_equal(glob("/proc/[0-9]*/cmdline", 0, NULL, &paths), 0);
	for (i = 0; i < paths.gl_pathc; i++)
		count += is_napping(paths.gl_pathv[i]);
	globfree(&paths);
	return count;
}

static inline bool nobody_is_napping(void)
{
	return !count_napping();
}

static inline bool no_child_is_left(void)
{
	return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
}

static inline int prepare(void **state)
{
	(void)state;
	snprintf(nap, sizeof(nap), "98.%d", (int)getpid());
	return setenv("NAP", nap, 1);
}

#endif /* LOAD_H */
