// SPDX-License-Identifier: GPL-2.0-or-later
/* The sentence for each failure: what failed, why, and what helps. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "parse.h"
#include "base/tw_cgroup.h"
#include "run/tw_session.h"

static rlim_t limits[RLIM_NLIMITS];

static int getrlimit_by_script(int resource, struct rlimit *limit)
{
	limit->rlim_cur = limits[resource];
	limit->rlim_max = RLIM_INFINITY;
	return 0;
}

#define getrlimit getrlimit_by_script
#include "run/tw_explain.c"
#undef getrlimit

static struct tw_config config;
static struct tw_tally tally;
static struct tw_pair pair = { .tally = &tally };
static struct tw_pairs pairs = { 1, { &pair } };
static struct tw_session session = { .config = &config, .pairs = &pairs };

static struct tw_cgroup cgroup_now = { .runtime_us = TW_CGROUP_UNKNOWN };

/* These stand in place of the program's own. */
void tw_cgroup_read(struct tw_cgroup *cgroup, const char *root)
{
	assert_string_equal(root, "");
	*cgroup = cgroup_now;
}

bool tw_cgroup_exists(const char *root)
{
	(void)root;
	return false;
}

/* The explanation of @failure. */
static const char *explain_failure(const struct tw_failure *failure)
{
	char *error = session.run.error;

	session.run.err = 0;
	memset(error, '#', sizeof(session.run.error));
	assert_int_equal(tw_explain(&session, failure), failure->err);
	assert_int_equal(session.run.err, failure->err);
	assert_non_null(memchr(error, '\0', sizeof(session.run.error)));
	assert_null(strchr(error, '\n'));
	return error;
}

/* Of a failure of role @role, pid 1234, of pair 0. */
static const char *explain(enum tw_step step, enum tw_role role, int err)
{
	const struct tw_failure failure = {
		.step = step, .role = role, .pid = 1234, .err = err,
	};

	return explain_failure(&failure);
}

static void test_pin(void **state)
{
	const struct tw_failure other_pair = {
		.step = TW_STEP_PIN, .role = TW_CLIENT, .pair = 1,
		.err = -EINVAL,
	};
	char list[64], other[64], want[128];
	cpu_set_t cpus;

	(void)state;
	config = accepted("");
	assert_string_equal(explain(TW_STEP_PIN, TW_CLIENT, -EINVAL),
			    "the client cannot run on CPU ?: Invalid argument; choose CPUs that are online and in this cgroup's cpuset");
	CPU_SET(3, &config.role_set[TW_SERVER]);
	CPU_SET(4, &config.role_set[TW_SERVER]);
	assert_string_equal(explain(TW_STEP_PIN, TW_SERVER, -EPERM),
			    "the server cannot run on CPU 3-4: Operation not permitted; choose CPUs that are online and in this cgroup's cpuset");
	/* Of its own pair. */
	config = accepted("");
	config.affinity = TW_SET;
	CPU_ZERO(&config.affinity_set);
	CPU_SET(5, &config.affinity_set);
	CPU_SET(6, &config.affinity_set);
	CPU_SET(7, &config.affinity_set);
	CPU_SET(8, &config.affinity_set);
	assert_true(tw_config_cpus(&config, TW_CLIENT, 1, &cpus));
	tw_cpus_format(&cpus, list, sizeof(list));
	snprintf(want, sizeof(want), "the client cannot run on CPU %s: ", list);
	assert_int_equal(strncmp(explain_failure(&other_pair), want,
				 strlen(want)), 0);
	assert_true(tw_config_cpus(&config, TW_CLIENT, 0, &cpus));
	tw_cpus_format(&cpus, other, sizeof(other));
	assert_string_not_equal(list, other);
}

static void test_lock(void **state)
{
	(void)state;
	config = accepted("-m");
	limits[RLIMIT_MEMLOCK] = 8192;
	assert_string_equal(explain(TW_STEP_LOCK, TW_CLIENT, -ENOMEM),
			    "--mlockall: the client cannot lock its memory: Cannot allocate memory; RLIMIT_MEMLOCK is 8 KiB: run as root, or raise it (ulimit -l, memlock in limits.conf)");
}

static void test_schedule(void **state)
{
	(void)state;
	config = accepted("-p80");
	limits[RLIMIT_RTPRIO] = 0;
	assert_string_equal(explain(TW_STEP_SCHEDULE, TW_CLIENT, -EACCES),
			    "--priority=80: no right to policy fifo: Permission denied; needed is root, CAP_SYS_NICE, or an RLIMIT_RTPRIO of at least 80, which is 0 here (ulimit -r; rtprio in limits.conf, from the next login on)");
	/* The reference set-up's main is above its client. */
	config = accepted("--trltp");
	assert_non_null(strstr(explain(TW_STEP_SCHEDULE, TW_MAIN, -EACCES),
			       "an RLIMIT_RTPRIO of at least 99, which"));
	config = accepted("-p7 --policy=rr");
	assert_string_equal(explain(TW_STEP_SCHEDULE, TW_MAIN, -EPERM),
			    "--priority=7: no right to policy rr: Operation not permitted; needed is root, CAP_SYS_NICE, or an RLIMIT_RTPRIO of at least 7, which is 0 here (ulimit -r; rtprio in limits.conf, from the next login on)");
	limits[RLIMIT_RTPRIO] = 5;
	assert_non_null(strstr(explain(TW_STEP_SCHEDULE, TW_MAIN, -EPERM),
			       "at least 7, which is 5 here"));
}

/* Where a cgroup without real-time runtime is the cause, it is named. */
static void test_schedule_cgroup(void **state)
{
	(void)state;
	config = accepted("-p7");
	strcpy(cgroup_now.file, "/cgroup/cpu.rt_runtime_us");
	cgroup_now.runtime_us = 0;
	assert_string_equal(explain(TW_STEP_SCHEDULE, TW_MAIN, -EPERM),
			    "--priority=7: this CPU cgroup has no real-time runtime: write microseconds, such as 100000, to /cgroup/cpu.rt_runtime_us, or run in another cgroup");
	/* It refuses with no other error, and with runtime not at all. */
	assert_non_null(strstr(explain(TW_STEP_SCHEDULE, TW_MAIN, -EACCES),
			       "no right to policy"));
	cgroup_now.runtime_us = 1;
	assert_non_null(strstr(explain(TW_STEP_SCHEDULE, TW_MAIN, -EPERM),
			       "no right to policy"));
	cgroup_now.runtime_us = TW_CGROUP_UNKNOWN;
}

static void test_run(void **state)
{
	static const int strange[] = { -EPROTO, -EBADMSG, -EMSGSIZE };
	size_t i;

	(void)state;
	config = accepted("");
	assert_string_equal(explain(TW_STEP_RUN, TW_CLIENT, -ECONNRESET),
			    "the client (pid 1234) stopped: Connection reset by peer");
	for (i = 0; i < 3; i++)
		assert_string_equal(explain(TW_STEP_RUN, TW_SERVER,
					    strange[i]),
				    "the server (pid 1234) stopped: it received a message that is not the one to come");
}

static void test_killed(void **state)
{
	(void)state;
	config = accepted("");
	assert_string_equal(explain(TW_STEP_KILLED, TW_SERVER, SIGKILL),
			    "the server (pid 1234) was killed by signal 9 (Killed)");
	assert_string_equal(explain(TW_STEP_KILLED, TW_CLIENT, SIGSEGV),
			    "the client (pid 1234) was killed by signal 11 (Segmentation fault)");
	assert_string_equal(explain(TW_STEP_KILLED, TW_LOAD, SIGKILL),
			    "the load (pid 1234) was killed by signal 9 (Killed)");
}

static void test_others(void **state)
{
	(void)state;
	config = accepted("");
	assert_string_equal(explain(TW_STEP_VERIFY, TW_SERVER, -EINVAL),
			    "the server did not get the policy, priority, CPUs or locked memory that it was granted: Invalid argument; is something else changing them?");
	assert_string_equal(explain(TW_STEP_START, TW_CLIENT, -EAGAIN),
			    "cannot start the client: Resource temporarily unavailable; there are too many processes: raise the limit (ulimit -u, pids.max of the cgroup), or give fewer pairs");
	assert_string_equal(explain(TW_STEP_STOP, TW_SERVER, -ETIMEDOUT),
			    "the server (pid 1234) did not end within 1 s and was killed");
}

/* The explanation of a failure of the client, whose process is @child. */
static void assert_child(enum tw_step step, const struct tw_child *child,
			 const char *want)
{
	const struct tw_failure failure = {
		.step = step, .role = TW_CLIENT, .pid = 1234, .err = -ETIMEDOUT,
		.child = child,
	};

	assert_string_equal(explain_failure(&failure), want);
}

/* What became of a process that did not start, or not end, is told. */
static void test_child(void **state)
{
	struct tw_child child = { .pid = 77, .why = "busy" };

	(void)state;
	config = accepted("");
	assert_child(TW_STEP_START, &child,
		     "the client (pid 77) was not ready in time: busy");
	assert_child(TW_STEP_STOP, &child,
		     "the client (pid 1234) did not end within 1 s and was killed: busy");
	child.lost = true;
	assert_child(TW_STEP_STOP, &child,
		     "the client (pid 1234) did not end: busy; it cannot even be killed there, and ends once that does");
	child = (struct tw_child) { .pid = 77, .ended = true,
				    .status = SIGKILL };
	assert_child(TW_STEP_START, &child,
		     "the client (pid 77) was killed by signal 9 (Killed)");
	/* Ended by itself, it has told why. */
	child.status = 0;
	assert_child(TW_STEP_START, &child,
		     "cannot start the client: Connection timed out");
	assert_child(TW_STEP_STOP, &child,
		     "the client (pid 1234) did not end within 1 s and was killed");
	child.lost = true;
	assert_child(TW_STEP_STOP, &child, "the client (pid 1234) did not end");
}

/* Of many, the pair is named; but there is one parent process only. */
static void test_pairs(void **state)
{
	const struct tw_failure failure = {
		.step = TW_STEP_KILLED, .role = TW_SERVER, .pair = 2,
		.pid = 77, .err = SIGKILL,
	};
	struct tw_failure of_main = failure;

	(void)state;
	config = accepted("-t3");
	of_main.role = TW_MAIN;
	assert_string_equal(explain_failure(&failure),
			    "the server of pair 2 (pid 77) was killed by signal 9 (Killed)");
	assert_string_equal(explain_failure(&of_main),
			    "the parent process (pid 77) was killed by signal 9 (Killed)");
	config = accepted("-t1");
	assert_string_equal(explain_failure(&failure),
			    "the server (pid 77) was killed by signal 9 (Killed)");
}

/* Every step has an explanation. */
static void test_every_step(void **state)
{
	int step, role;

	(void)state;
	config = accepted("-p99");
	for (step = TW_STEP_NONE + 1; step <= TW_STEP_KILLED; step++)
		for (role = TW_MAIN; role <= TW_CLIENT; role++)
			assert_true(strlen(explain(step, role, -EPERM)) > 20);
}

/* The first failure is kept. */
static void test_first(void **state)
{
	const struct tw_failure failure = {
		.step = TW_STEP_RUN, .role = TW_CLIENT, .err = -EIO,
	};

	(void)state;
	session.run.err = 0;
	tw_fail(&session.run, -ENOENT, "before");
	assert_int_equal(tw_explain(&session, &failure), -EIO);
	assert_int_equal(session.run.err, -ENOENT);
	assert_string_equal(session.run.error, "before");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pin),
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_schedule),
		cmocka_unit_test(test_schedule_cgroup),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_child),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_every_step),
		cmocka_unit_test(test_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
