// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An instance is made and removed, while others are in the way: the guardian,
 * the clock and the system calls that matter are scripted.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>

#include "tree.h"

#include "base/tw_time.h"
#include "cause/tw_trace_own.h"

static struct {
	int busy, rmdirs, pauses;
	int64_t step_ns, now_ns;
	int same_time;		/* so often the clock stands still */
	int guards, closed;
	int open_err, fails, opens;
} world;

static int rmdir_by_script(const char *path)
{
	world.rmdirs++;
	if (world.busy && world.busy--) {
		errno = EBUSY;
		return -1;
	}
	return rmdir(path);
}

static int pause_by_script(const struct timespec *pause, struct timespec *left)
{
	(void)left;
	world.pauses++;
	world.now_ns += pause->tv_sec * INT64_C(1000000000) + pause->tv_nsec;
	return 0;
}

static int64_t now_by_script(clockid_t clockid)
{
	(void)clockid;
	if (world.same_time)
		world.same_time--;
	else
		world.now_ns++;
	return world.now_ns;
}

static int guard_by_script(struct tw_guard *guard,
			   int (*undo)(const void *what), const void *what,
			   int held)
{
	assert_int_equal(held, -1);
	guard->undo = undo;
	guard->what = what;
	world.guards++;
	return 0;
}

static void close_by_script(struct tw_guard *guard)
{
	world.closed++;
	assert_int_equal(guard->undo(guard->what), 0);
}

static int here_by_script(char *dir, size_t size, char *why)
{
	(void)why;
	snprintf(dir, size, "%s", tree_root);
	return 0;
}

static int fds_by_script(struct tw_trace_fds *fds, const char *dir, char *why)
{
	/* It has been made. */
	assert_int_equal(access(dir, F_OK), 0);
	fds->mark = fds->stop = -1;
	world.opens++;
	if (world.fails && world.fails--)
		return tw_trace_tell(why, dir, world.open_err);
	return 0;
}

#define rmdir rmdir_by_script
#define nanosleep pause_by_script
#define tw_now_ns now_by_script
#define tw_guard_open guard_by_script
#define tw_guard_close close_by_script
#define tw_trace_here here_by_script
#define tw_trace_open_fds fds_by_script
#include "cause/tw_trace_own.c"
#undef rmdir
#undef nanosleep

static struct tw_trace trace;
static char why[TW_TRACE_WHY];

static int set_up_tree(void **state)
{
	char path[PATH_MAX];

	memset(&world, 0, sizeof(world));
	memset(&trace, 0, sizeof(trace));
	if (tree_setup(state))
		return -1;
	snprintf(path, sizeof(path), "%s/instances", tree_root);
	return mkdir(path, 0700);
}

static int left_in_tree(void)
{
	char path[PATH_MAX];

	/* Empty, it goes and comes. */
	snprintf(path, sizeof(path), "%s/instances", tree_root);
	return rmdir(path) || mkdir(path, 0700);
}

static void make_instance(void)
{
	snprintf(trace.dir, sizeof(trace.dir), "%s/instances/x", tree_root);
	assert_int_equal(mkdir(trace.dir, 0700), 0);
}

/* Those that have its files open take some time to die. */
static void test_busy(void **state)
{
	(void)state;
	make_instance();
	world.busy = 7;
	assert_int_equal(remove_instance(&trace), 0);
	assert_int_equal(world.rmdirs, 8);
	/* A pause after each, and at last the kernel's own. */
	assert_int_equal(world.pauses, 8);
	assert_int_equal(left_in_tree(), 0);
}

/* But not for ever. */
static void test_busy_for_ever(void **state)
{
	(void)state;
	make_instance();
	world.busy = 1000000;
	assert_int_equal(remove_instance(&trace), -EBUSY);
	assert_in_range(world.rmdirs, 2, 100000);
	assert_int_equal(world.pauses, world.rmdirs - 1);
}

static int open_it(int open_err, int fails)
{
	struct tw_trace_fds fds;
	cpu_set_t cpus = one_cpu(0);

	memset(&world, 0, sizeof(world));
	world.open_err = open_err;
	world.fails = fails;
	return tw_trace_open_own(&trace, &fds, NULL, &cpus, why);
}

/* Swept away by another before its files are open, it is made anew. */
static void test_swept(void **state)
{
	static const int errors[] = { -ENOENT, -ENODEV };
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		/* At last it is there; a plain directory has no files. */
		assert_int_equal(open_it(errors[i], 3), -ENOENT);
		assert_int_equal(world.opens, 4);
		assert_non_null(strstr(why, "/tracing_on: "));
		assert_int_equal(world.guards, 4);
		assert_int_equal(world.closed, 4);
		assert_int_equal(left_in_tree(), 0);
		assert_string_equal(trace.dir, "");
	}
	/* Not for ever. */
	assert_int_equal(open_it(-ENOENT, 1000000), -ENOENT);
	assert_in_range(world.opens, 2, 1000);
	assert_int_equal(world.guards, world.opens);
	assert_int_equal(world.closed, world.opens);
	assert_int_equal(left_in_tree(), 0);
	assert_string_equal(trace.dir, "");
}

/* What no second try would change is told at once. */
static void test_refused(void **state)
{
	(void)state;
	assert_int_equal(open_it(-EROFS, 1000000), -EROFS);
	assert_int_equal(world.opens, 1);
	assert_int_equal(world.closed, 1);
	assert_non_null(strstr(why, "read-only"));
	assert_int_equal(left_in_tree(), 0);
	assert_string_equal(trace.dir, "");
	/* There is nothing to close. */
	tw_trace_close(&trace);
	assert_int_equal(world.closed, 1);
}

/* In another container, our PID may be another's, at the same time. */
static void test_names(void **state)
{
	char first[PATH_MAX], instances[PATH_MAX];

	(void)state;
	snprintf(instances, sizeof(instances), "%s/instances", tree_root);
	world.now_ns = INT64_C(0x123456789ab);
	choose_name(&trace, instances);
	strcpy(first, trace.dir);
	assert_int_equal(mkdir(first, 0700), 0);
	world.same_time = 5;
	choose_name(&trace, instances);
	assert_string_not_equal(trace.dir, first);
	assert_int_equal(world.same_time, 0);
	assert_int_equal(access(trace.dir, F_OK), -1);
	/* Both are names of ours. */
	assert_int_equal(owner_of(strrchr(first, '/') + 1), getpid());
	assert_int_equal(owner_of(strrchr(trace.dir, '/') + 1), getpid());
}

int main(void)
{
#define TREE(test) \
	cmocka_unit_test_setup_teardown(test, set_up_tree, tree_teardown)
	const struct CMUnitTest tests[] = {
		TREE(test_busy),
		TREE(test_busy_for_ever),
		TREE(test_swept),
		TREE(test_refused),
		TREE(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
