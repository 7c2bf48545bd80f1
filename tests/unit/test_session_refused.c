// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sessions that the system refuses: for the lack of memory, rights, a clock or
 * a port. The test's mlockall() has no right.
 */
#include <sys/resource.h>

#include "free_memory.h"

#include "base/tw_clock.h"

static int clock_err;

static int open_clock_by_script(struct tw_clock *clock, const char *name)
{
	assert_string_equal(name, clock_err ? "tsc" : "monotonic");
	memset(clock, 0, sizeof(*clock));
	return clock_err;
}

#define tw_clock_open open_clock_by_script
#include "run/tw_session.c"
#undef tw_clock_open

int mlockall(int flags)
{
	(void)flags;
	errno = EPERM;
	return -1;
}

/* One for each step, and one for their sum: before any is allocated. */
static void test_memory(void **state)
{
	static const struct {
		const char *options;
		int pairs;
		const char *option, *advice;
	} rows[] = {
		{ QUIET "-l 1", 1, "--steps=1", "give fewer steps" },
		{ QUIET "-l 1 --load=fft --steps=4", 5, "--steps=4",
		  "give fewer steps" },
		{ QUIET "-l 1 -h 400000", 1, "--histogram=400000",
		  "give fewer microseconds or steps" },
		{ QUIET "-l 1 -h 400000 --load=fft --steps=2", 3,
		  "--histogram=400000", "give fewer microseconds or steps" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		needs_memory(rows[i].options,
			     rows[i].pairs * pair_size(rows[i].options),
			     rows[i].option, rows[i].advice);
	/* With what the parts have in it. */
	assert_true(pair_size(QUIET "-l 1 --dump=f") >=
		    pair_size(QUIET "-l 1") + tw_ring_size(2048));
}

/* More than any machine has. */
static void test_too_much_memory(void **state)
{
	(void)state;
	free_memory = UINT64_C(1) << 40;
	config = accepted(QUIET "-l 5");
	tw_session_init(&session);
	session.run = parse_run;
	session.config = &config;
	session.run.window_us = INT64_MAX / 1000;
	session.run.steps = 1024;
	assert_int_equal(tw_part_memory.check(&session.run), -EINVAL);
	assert_non_null(strstr(session.run.error, "--histogram=9223372036854775: needs "));
	free_memory = PLENTY;
}

/* No descriptor is left for the signals. */
static void test_no_descriptor(void **state)
{
	struct rlimit before, none;
	int err;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	err = try_open(QUIET "-l 1");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(err, -EMFILE);
	assert_string_equal(session.run.error, "cannot start: Too many open files");
	session_close();
}

static void test_memory_not_locked(void **state)
{
	struct tw_task task = { .lock_memory = false };

	(void)state;
	assert_int_equal(try_open(QUIET "-l 1 -m"), -EPERM);
	assert_non_null(strstr(session.run.error, "--mlockall: the parent process cannot lock its memory: Operation not permitted; RLIMIT_MEMLOCK is "));
	tw_session_task(&session, 0, &task);
	assert_true(task.lock_memory);
	session_close();
}

static void refuses_clock(int err, const char *error)
{
	clock_err = err;
	open_fails(QUIET "-l 1 --clock=tsc", err, error);
	clock_err = 0;
}

static void test_clock(void **state)
{
	(void)state;
	refuses_clock(-ENOTSUP, "--clock=tsc: this CPU has no counter that runs at one rate in every state; choose another clock, such as monotonic");
	refuses_clock(-ENODEV, "--clock=tsc: the kernel does not trust this CPU's counter (it is not in available_clocksource); choose another clock, such as monotonic");
	refuses_clock(-ERANGE, "--clock=tsc: the counter's rate, measured twice, differed by more than 100 ppm; choose another clock, such as monotonic");
	refuses_clock(-EINVAL, "--clock=tsc: Invalid argument; choose another clock, such as monotonic");
}

static int refuse_port(const union tw_address *address)
{
	assert_int_equal(ntohs(address->in.sin_port), 80);
	return -EACCES;
}

static void test_port_not_allowed(void **state)
{
	static const struct tw_transport_ops refusing = {
		.name = "refusing", .listen = refuse_port,
	};

	(void)state;
	config = accepted(QUIET "-l 1 --port=80");
	tw_session_init(&session);
	session.run = parse_run;
	session.config = &config;
	session.transport.ops = &refusing;
	assert_int_equal(tw_part_session.open(&session.run), -EACCES);
	assert_string_equal(session.run.error, "--port=80: cannot listen on 127.0.0.1: Permission denied; ports below 1024 need root or CAP_NET_BIND_SERVICE");
	session_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_memory),
		TEST(test_too_much_memory),
		TEST(test_no_descriptor),
		TEST(test_memory_not_locked),
		TEST(test_clock),
		TEST(test_port_not_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
