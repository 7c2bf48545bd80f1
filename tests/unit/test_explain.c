// SPDX-License-Identifier: GPL-2.0-or-later
/* The sentence for each failure: what failed, why, and what helps. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "parse.h"
#include "tw_explain.h"

static struct tw_config config;
static struct tw_tally tally;
static struct tw_pair pair = { .tally = &tally };
static struct tw_session session = { .config = &config, .pair = &pair };
static char text[TW_ERROR_MAX];

/* The explanation of a failure of role @role, pid 1234, of pair 0. */
static const char *explain(enum tw_step step, enum tw_role role, int err)
{
	session.failure = (struct tw_failure) {
		.step = step, .role = role, .pid = 1234, .err = err,
	};
	memset(text, '#', sizeof(text));
	tw_explain(&session, text, sizeof(text));
	assert_non_null(memchr(text, '\0', sizeof(text)));
	assert_null(strchr(text, '\n'));
	return text;
}

static void test_clock(void **state)
{
	(void)state;
	config = accepted("--clock=tsc");
	assert_string_equal(explain(TW_STEP_CLOCK, TW_MAIN, -ENOTSUP),
			    "--clock=tsc: this CPU has no counter that runs at one rate in every state; choose another clock, such as monotonic");
	assert_string_equal(explain(TW_STEP_CLOCK, TW_MAIN, -ENODEV),
			    "--clock=tsc: the kernel does not trust this CPU's counter (it is not in available_clocksource); choose another clock, such as monotonic");
	assert_string_equal(explain(TW_STEP_CLOCK, TW_MAIN, -ERANGE),
			    "--clock=tsc: the counter's rate, measured twice, differed by more than 100 ppm; choose another clock, such as monotonic");
	assert_string_equal(explain(TW_STEP_CLOCK, TW_MAIN, -EINVAL),
			    "--clock=tsc: Invalid argument; choose another clock, such as monotonic");
}

static void test_pin(void **state)
{
	(void)state;
	config = accepted("");
	assert_string_equal(explain(TW_STEP_PIN, TW_CLIENT, -EINVAL),
			    "the client cannot run on CPU ?: Invalid argument; choose CPUs that are online and in this cgroup's cpuset");
	config.role_given[TW_SERVER] = true;
	CPU_SET(3, &config.role_set[TW_SERVER]);
	CPU_SET(4, &config.role_set[TW_SERVER]);
	assert_string_equal(explain(TW_STEP_PIN, TW_SERVER, -EPERM),
			    "the server cannot run on CPU 3-4: Operation not permitted; choose CPUs that are online and in this cgroup's cpuset");
}

/* Sets a soft limit that every process may set. */
static void limit(int resource, rlim_t soft)
{
	struct rlimit now;

	assert_int_equal(getrlimit(resource, &now), 0);
	now.rlim_cur = soft;
	assert_int_equal(setrlimit(resource, &now), 0);
}

static void test_lock(void **state)
{
	(void)state;
	config = accepted("-m");
	limit(RLIMIT_MEMLOCK, 8192);
	assert_string_equal(explain(TW_STEP_LOCK, TW_CLIENT, -ENOMEM),
			    "--mlockall: the client cannot lock its memory: Cannot allocate memory; RLIMIT_MEMLOCK is 8 KiB: run as root, or raise it (ulimit -l, memlock in limits.conf)");
}

static void test_schedule(void **state)
{
	(void)state;
	config = accepted("-p80");
	limit(RLIMIT_RTPRIO, 0);
	assert_string_equal(explain(TW_STEP_SCHEDULE, TW_CLIENT, -EACCES),
			    "--priority=80: no right to policy fifo: Permission denied; needed is root, CAP_SYS_NICE, or an RLIMIT_RTPRIO of at least 80, which is 0 here (ulimit -r, rtprio in limits.conf)");
	/* The reference set-up's main is above its client. */
	config = accepted("--trltp");
	assert_non_null(strstr(explain(TW_STEP_SCHEDULE, TW_MAIN, -EACCES),
			       "an RLIMIT_RTPRIO of at least 99, which"));
	config = accepted("-p7 --policy=rr");
	explain(TW_STEP_SCHEDULE, TW_MAIN, -EPERM);
	/* Where a cgroup is the cause, it is named instead. */
	if (!strstr(text, "cpu.rt_runtime_us"))
		assert_string_equal(text,
				    "--priority=7: no right to policy rr: Operation not permitted; needed is root, CAP_SYS_NICE, or an RLIMIT_RTPRIO of at least 7, which is 0 here (ulimit -r, rtprio in limits.conf)");
}

static void test_listen(void **state)
{
	(void)state;
	config = accepted("--port=80");
	assert_string_equal(explain(TW_STEP_LISTEN, TW_MAIN, -EACCES),
			    "--port=80: cannot listen on 127.0.0.1: Permission denied; ports below 1024 need root or CAP_NET_BIND_SERVICE");
	assert_string_equal(explain(TW_STEP_LISTEN, TW_MAIN, -EADDRINUSE),
			    "--port=80: cannot listen on 127.0.0.1: Address already in use; leave it out, and the kernel chooses one");
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
}

static void test_others(void **state)
{
	(void)state;
	config = accepted("");
	assert_string_equal(explain(TW_STEP_VERIFY, TW_SERVER, -EINVAL),
			    "the server did not get the policy, priority, CPUs or locked memory that it was granted: Invalid argument; is something else changing them?");
	assert_string_equal(explain(TW_STEP_MEMORY, TW_MAIN, -ENOMEM),
			    "no memory for the results: Cannot allocate memory; give fewer microseconds to -h, or raise the limit (ulimit -v, -l)");
	assert_string_equal(explain(TW_STEP_CONNECT, TW_MAIN, -ETIMEDOUT),
			    "cannot connect to our own server on 127.0.0.1: Connection timed out; is the loopback interface up, and not filtered?");
	assert_string_equal(explain(TW_STEP_START, TW_CLIENT, -EAGAIN),
			    "cannot start the client: Resource temporarily unavailable");
	assert_string_equal(explain(TW_STEP_WRITE, TW_MAIN, -ENOSPC),
			    "cannot write the results: No space left on device");
	assert_string_equal(explain(TW_STEP_STOP, TW_SERVER, -ETIMEDOUT),
			    "the server (pid 1234) did not end within 1 s and was killed");
}

static void test_load(void **state)
{
	(void)state;
	config = accepted("--load=hackbench");
	strcpy(session.load_why, "it said so");
	assert_string_equal(explain(TW_STEP_LOAD, TW_MAIN, -ECHILD),
			    "--load=hackbench: it said so");
	session.load_why[0] = '\0';
	assert_string_equal(explain(TW_STEP_LOAD, TW_MAIN, -ENOMEM),
			    "--load=hackbench: Cannot allocate memory");
	config = accepted("--load=fft");
	assert_string_equal(explain(TW_STEP_WORK, TW_LOAD, 0),
			    "--load=fft: a worker's result was wrong: this kernel or machine does not keep the floating-point registers of a preempted task, or its memory fails");
	assert_string_equal(explain(TW_STEP_KILLED, TW_LOAD, SIGKILL),
			    "the load (pid 1234) was killed by signal 9 (Killed)");
}

static void test_throttle(void **state)
{
	(void)state;
	config = accepted("-p80 --load=fft");
	session.throttle.runtime_us = -1;
	assert_string_equal(explain(TW_STEP_THROTTLE, TW_MAIN, -EBUSY),
			    "--load=fft: with no real-time throttling (/proc/sys/kernel/sched_rt_runtime_us is -1), this real-time load on every CPU would leave the rest of the system no time; give --load-affinity, fewer workers, --rt-runtime=950000, or --force");
	session.throttle.runtime_us = 0;
	assert_non_null(strstr(explain(TW_STEP_THROTTLE, TW_MAIN, -EBUSY),
			       "sched_rt_runtime_us is 0)"));
	config = accepted("-p80 --load=fft --rt-runtime=-1");
	assert_string_equal(explain(TW_STEP_THROTTLE, TW_MAIN, -EBUSY),
			    "--rt-runtime=-1: this real-time load on every CPU would leave the rest of the system no time, or the kernel refuses the value because of a cgroup's share; give --load-affinity, fewer workers, or --force");
	assert_string_equal(explain(TW_STEP_THROTTLE, TW_MAIN, -EALREADY),
			    "--rt-runtime=-1: another process, such as a second twowaytest, has set /proc/sys/kernel/sched_rt_runtime_us until it ends, and holds a lock on /proc/sys/kernel/cad_pid; wait for its end, or set the value for both without this option");
	config = accepted("--rt-runtime=5");
	assert_string_equal(explain(TW_STEP_THROTTLE, TW_MAIN, -EACCES),
			    "--rt-runtime=5: cannot write /proc/sys/kernel/sched_rt_runtime_us: Permission denied; it needs root, and a value up to sched_rt_period_us that is not below a CPU cgroup's own");
}

/* Who could not open a trace has said why. */
static void test_trace(void **state)
{
	(void)state;
	strcpy(session.trace_why, "tracefs is not mounted");
	session.trace_fds[TW_TRACE_USER].mark = -1;
	config = accepted("-b9 --trace");
	assert_string_equal(explain(TW_STEP_TRACE, TW_MAIN, -ENOENT),
			    "--trace: tracefs is not mounted");
	config = accepted("-b9 --tracemark");
	assert_string_equal(explain(TW_STEP_TRACE, TW_MAIN, -ENOENT),
			    "--tracemark: tracefs is not mounted");
	/* Of both, the one that could not be opened. */
	config = accepted("-b9 --tracemark --trace");
	assert_string_equal(explain(TW_STEP_TRACE, TW_MAIN, -ENOENT),
			    "--tracemark: tracefs is not mounted");
	session.trace_fds[TW_TRACE_USER].mark = 5;
	assert_string_equal(explain(TW_STEP_TRACE, TW_MAIN, -ENOENT),
			    "--trace: tracefs is not mounted");
}

/* Every step has an explanation, and every one fits where it must. */
static void test_every_step(void **state)
{
	int step, role;
	size_t size;
	char cut[40];

	(void)state;
	config = accepted("-p99 --load=fft -b9 --trace");
	strcpy(session.trace_why, "as above, and why, and what to do");
	for (step = TW_STEP_NONE + 1; step <= TW_STEP_KILLED; step++)
		for (role = TW_MAIN; role <= TW_CLIENT; role++)
			assert_true(strlen(explain(step, role, -EPERM)) > 20);
	session.failure = (struct tw_failure) { .step = TW_STEP_CLOCK,
						.err = -ENOTSUP };
	for (size = 1; size < sizeof(cut); size++) {
		memset(cut, '#', sizeof(cut));
		tw_explain(&session, cut, size);
		assert_int_equal(strlen(cut), size - 1);
		assert_int_equal(cut[size], '#');
	}
}

static void test_no_cycle(void **state)
{
	(void)state;
	config = accepted("-D 7 --warmup=1000 --load=fft --steps=2");
	session.steps_done = 2;
	tally.warmup = 1234;
	assert_string_equal(explain(TW_STEP_CYCLES, TW_MAIN, -ENODATA),
			    "not one cycle was measured: with --duration=7, time was up after 1234 of 2000 warm-up cycles; give a longer duration, a smaller --warmup, or see what holds up the client");
	session.interrupted = SIGTERM;
	assert_string_equal(explain(TW_STEP_CYCLES, TW_MAIN, -ENODATA),
			    "not one cycle was measured: signal 15 (Terminated) came after 1234 of 2000 warm-up cycles");
	session.interrupted = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_pin),
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_schedule),
		cmocka_unit_test(test_listen),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_throttle),
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_every_step),
		cmocka_unit_test(test_no_cycle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
