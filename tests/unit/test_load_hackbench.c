// SPDX-License-Identifier: GPL-2.0-or-later
/* How hackbench is looked for and called: of a stand-in that tells. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "open_files.h"
#include "subreaper.h"

#include "load/tw_load.h"
#include "run/tw_place.h"

static struct tw_load load;
static char why[TW_LOAD_WHY];
static char dir[] = "/tmp/test_load_hackbench.XXXXXX";
static char *old_path;

/* Puts a program called hackbench, a script, into the only directory. */
static void stand_in(const char *script)
{
	char name[100];
	FILE *file;

	snprintf(name, sizeof(name), "%s/hackbench", dir);
	file = fopen(name, "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", script);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(name, 0700), 0);
}

static int make_dir(void **state)
{
	(void)state;
	old_path = strdup(getenv("PATH"));
	return mkdtemp(dir) && !setenv("PATH", dir, 1) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char name[100];

	(void)state;
	setenv("PATH", old_path, 1);
	free(old_path);
	snprintf(name, sizeof(name), "%s/hackbench", dir);
	unlink(name);
	return rmdir(dir);
}

static int open_load(struct tw_load_params *params)
{
	params->policy = SCHED_OTHER;
	assert_int_equal(sched_getaffinity(0, sizeof(params->cpus),
					   &params->cpus), 0);
	return tw_load_open(&load, &tw_load_hackbench, params, 9, why);
}

static void close_load(void)
{
	assert_int_equal(tw_load_close(&load, why), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_missing(void **state)
{
	static const char *const paths[] = { NULL, "", "/nowhere", ":" };
	struct tw_load_params params = { .priority = 0 };
	char name[100];
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		setenv("PATH", paths[i] ? paths[i] : dir, 1);
		assert_int_equal(open_load(&params), -ENOENT);
		assert_string_equal(why, "hackbench is not in PATH; it is part of rt-tests: install that package");
		close_load();
	}
	setenv("PATH", dir, 1);
	/* What cannot be executed is not it. */
	stand_in("exit 0");
	snprintf(name, sizeof(name), "%s/hackbench", dir);
	assert_int_equal(chmod(name, 0600), 0);
	assert_int_equal(open_load(&params), -ENOENT);
	close_load();
}

/* The directory that has it may stand anywhere in PATH. */
static void test_found(void **state)
{
	static const char *const forms[] = {
		"%s", "%s:/nowhere", "/nowhere:%s", "/nowhere::%s:",
	};
	struct tw_load_params params = { .priority = 0 };
	char path[200];
	size_t i;

	(void)state;
	stand_in("exit 0");
	for (i = 0; i < 4; i++) {
		/* Not a literal, yet each has just one %s. */
		const char *at = strstr(forms[i], "%s");

		snprintf(path, sizeof(path), "%.*s%s%s",
			 (int)(at - forms[i]), forms[i], dir, at + 2);
		setenv("PATH", path, 1);
		assert_int_equal(open_load(&params), 0);
		close_load();
	}
	setenv("PATH", dir, 1);
}

/*
 * The stand-in fails, so that it is heard. On a busy machine it may fail later
 * than a start waits for that: then again.
 */
static void assert_complaint(struct tw_load_params *params, int count,
			     const char *want)
{
	int tries = 10, err;

	do {
		assert_int_equal(open_load(params), 0);
		err = load.ops->run(&load, 0, count);
		if (!err)
			close_load();
	} while (!err && --tries);
	assert_int_equal(err, -ECHILD);
	assert_non_null(strstr(load.shared->why, "; it wrote: "));
	assert_string_equal(strstr(load.shared->why, ": ") + 2, want);
	close_load();
}

static void test_arguments(void **state)
{
	struct tw_load_params params = { .arguments = NULL };

	(void)state;
	need_subreaper();
	stand_in("echo \"$# $*\" >&2; exit 1");
	assert_complaint(&params, 7, "4 -g 7 -l 5000");
	params.arguments = "-T  -s 512";
	assert_complaint(&params, 1, "5 -g 1 -T -s 512");
	params.arguments = "";
	assert_complaint(&params, 2, "2 -g 2");
	/* As every command that scales is told, too. */
	stand_in("echo \"$TWOWAYTEST_STEP $TWOWAYTEST_WORKERS\" >&2; exit 1");
	assert_complaint(&params, 6, "0 6");
}

/* No more of them than there is room for, its own included. */
static void test_many_arguments(void **state)
{
	struct tw_load_params params = { .arguments = NULL };
	char words[200] = "";
	int i;

	(void)state;
	need_subreaper();
	for (i = 1; i <= 40; i++)
		sprintf(words + strlen(words), "a%d ", i);
	params.arguments = words;
	stand_in("shift 29; echo \"$# $*\" >&2; exit 1");
	assert_complaint(&params, 1, "2 a28 a29");
}

/* One process for all groups: it may use all of the load's CPUs. */
static void test_cpus(void **state)
{
	struct tw_load_params params = { .pinned = true };
	char list[100], want[200];

	(void)state;
	need_subreaper();
	stand_in("while read -r name value; do case $name in Cpus_allowed_list:) echo \"$value\" >&2; exit 1; esac; done < /proc/self/status");
	assert_int_equal(open_load(&params), 0);
	assert_int_equal(tw_load_close(&load, why), 0);
	snprintf(want, sizeof(want), "%s",
		 tw_cpus_format(&params.cpus, list, sizeof(list)));
	assert_complaint(&params, 3, want);
}

/* However many groups, it is one process that is started again. */
static void test_restarts(void **state)
{
	struct tw_load_params params = { .priority = 0 };
	int ms;

	(void)state;
	need_subreaper();
	stand_in("exit 0");
	assert_int_equal(open_load(&params), 0);
	assert_int_equal(load.ops->run(&load, 0, 0), 0);
	assert_int_equal(load.keeper.pid, 0);
	assert_int_equal(load.ops->run(&load, 1, 5), 0);
	for (ms = 0; load.shared->restarts < 2 && ms < 10000; ms++)
		usleep(1000);
	assert_true(load.shared->restarts >= 2);
	assert_true(load.shared->slots[0].done >= 2);
	assert_int_equal(load.shared->slots[1].done, 0);
	assert_false(load.ops->died(&load));
	close_load();
}

static bool has_sent_100(void)
{
	return tw_load_progress(&load).done >= 100;
}

static bool has_restarted(void)
{
	return load.shared->restarts;
}

static void await(bool (*done)(void))
{
	int ms;

	for (ms = 0; !done(); ms++) {
		assert_true(ms < 10000);
		usleep(1000);
	}
}

/* Messages are its writes: those of a run that goes on as well. */
static void test_messages(void **state)
{
	struct tw_load_params params = { .priority = 0 };
	uint64_t done;
	int restarts, files;

	(void)state;
	need_subreaper();
	if (access("/proc/self/io", R_OK)) {
		print_message("# skip: this kernel counts no writes: CONFIG_TASK_IO_ACCOUNTING\n");
		skip();
	}
#define SEND_100 "i=0; while [ $i -lt 100 ]; do echo; i=$((i + 1)); done"
	stand_in("(" SEND_100 " > /dev/null; exec /bin/sleep 98) & wait");
	assert_int_equal(open_load(&params), 0);
	assert_int_equal(tw_load_progress(&load).done, 0);
	assert_int_equal(load.ops->run(&load, 0, 0), 0);
	assert_int_equal(tw_load_progress(&load).done, 0);
	assert_int_equal(load.ops->run(&load, 1, 1), 0);
	await(has_sent_100);
	files = count_open_files();
	assert_true(tw_load_progress(&load).done < 200);
	assert_int_equal(count_open_files(), files);
	assert_int_equal(load.shared->restarts, 0);
	close_load();

	/* Of runs that are over, too. */
	stand_in(SEND_100 " > /dev/null; /bin/sleep .02");
	assert_int_equal(open_load(&params), 0);
	assert_int_equal(load.ops->run(&load, 1, 1), 0);
	await(has_restarted);
	restarts = (int)load.shared->restarts;
	done = tw_load_progress(&load).done;
	assert_true(done >= 100 * (uint64_t)restarts);
	close_load();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_many_arguments),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_restarts),
		cmocka_unit_test(test_messages),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
