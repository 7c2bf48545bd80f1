// SPDX-License-Identifier: GPL-2.0-or-later
/* Throttling in a run: what is refused, expected, counted and told of it. */
#include <sched.h>
#include <unistd.h>

#include "open_files.h"
#include "report.h"
#include "throttle.h"

static int files;

/* A run that has read this of the kernel; its failure: in session.run. */
static int try_open(const char *line, const struct tw_throttle *throttle)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.throttle = *throttle;
	new_run(line);
	return tw_part_throttle.open(&session.run);
}

/* After a failure, close() alone is called. */
static void close_run(void)
{
	if (!session.run.err)
		tw_part_throttle.finish(&session.run);
	tw_part_throttle.close(&session.run);
	assert_int_equal(count_open_files(), files);
	assert_int_equal(kernel.opened, kernel.closed);
}

static const struct tw_throttle unlimited = { .runtime_us = -1 };
static const struct tw_throttle fifty = {
	.known = true, .runtime_us = 950000, .period_us = 1000000,
	.stall_ns = 50000000,
};

static void assert_refused(const char *line, const struct tw_throttle *throttle,
			   const char *want)
{
	assert_int_equal(try_open(line, throttle), -EBUSY);
	assert_int_equal(session.run.err, -EBUSY);
	assert_string_equal(session.run.error, want);
	close_run();
}

#define HOGS	"this real-time load on every CPU would leave the rest of the system no time"

static void test_hogging(void **state)
{
	struct tw_throttle zero = unlimited;

	(void)state;
	zero.runtime_us = 0;
	assert_refused("-p80 --load=fft:1000", &unlimited,
		       "--load=fft: with no real-time throttling (/proc/sys/kernel/sched_rt_runtime_us is -1), " HOGS "; give --load-affinity, fewer workers, --rt-runtime=950000, or --force");
	assert_refused("-p80 --load=fft:1000", &zero,
		       "--load=fft: with no real-time throttling (/proc/sys/kernel/sched_rt_runtime_us is 0), " HOGS "; give --load-affinity, fewer workers, --rt-runtime=950000, or --force");
	/* Set, and restored after the refusal. */
	assert_refused("-p80 --load=fft:1000 --rt-runtime=-1", &unlimited,
		       "--rt-runtime=-1: " HOGS ", or the kernel refuses the value because of a cgroup's share; give --load-affinity, fewer workers, or --force");
	assert_int_equal(kernel.opened, 1);
	/* The user answers for it, or the kernel sees to it. */
	assert_int_equal(try_open("-p80 --load=fft:1000 --force", &unlimited),
			 0);
	close_run();
	assert_int_equal(try_open("-p80 --load=fft:1000", &fifty), 0);
	close_run();
}

static bool hogs_all(const char *kind, int workers, bool ramp, int pinned)
{
	char line[200];
	cpu_set_t *cpus;
	int err;

	if (ramp)
		snprintf(line, sizeof(line), "-p80 -l1 %s --steps=%d", kind,
			 workers + 1);
	else
		snprintf(line, sizeof(line), "-p80 %s:%d", kind, workers);
	memset(&kernel, 0, sizeof(kernel));
	new_run(line);
	cpus = (cpu_set_t *)set_by("load-affinity");
	while (pinned--)
		CPU_SET(pinned, cpus);
	err = tw_part_throttle.open(&session.run);
	assert_int_equal(err, session.run.err);
	close_run();
	return err;
}

/* A real-time load, at its height, with a worker for each CPU there is. */
static void test_hogs_all(void **state)
{
	const int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	const struct tw_throttle none = { .known = false };

	(void)state;
	assert_true(hogs_all("--load=fft", cpus, false, 0));
	assert_true(hogs_all("--load=fft", cpus, false, cpus));
	assert_true(hogs_all("--load=fft", cpus, true, 0));
	if (cpus > 1) {
		assert_false(hogs_all("--load=fft", cpus - 1, false, 0));
		assert_false(hogs_all("--load=fft", cpus - 1, true, 0));
		assert_false(hogs_all("--load=fft", cpus, false, cpus - 1));
	}
	assert_false(hogs_all("--load-policy=other --load=fft", cpus, false,
			      0));
	assert_false(hogs_all("--load=hackbench", cpus, false, 0));
	/* One group, one command: nobody knows of how many processes. */
	assert_true(hogs_all("--load-policy=rr --load=hackbench", 1, false,
			     0));
	assert_int_equal(try_open("-p80 --load=command:x --load-policy=rr",
				  &none), -EBUSY);
	close_run();
	assert_int_equal(try_open("-p80", &none), 0);
	close_run();
	assert_int_equal(try_open("--load=fft:1000", &none), 0);
	close_run();
}

static void check_runtime(const char *line, int err, const char *want)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.set_err = err;
	new_run(line);
	assert_int_equal(tw_part_throttle.open(&session.run), err);
	assert_string_equal(session.run.error, want);
	close_run();
}

static void test_runtime(void **state)
{
	(void)state;
	check_runtime("-p80 --load=fft --rt-runtime=-1", -EBUSY,
		      "--rt-runtime=-1: " HOGS ", or the kernel refuses the value because of a cgroup's share; give --load-affinity, fewer workers, or --force");
	check_runtime("--rt-runtime=-1", -EALREADY,
		      "--rt-runtime=-1: another run, such as a second one of this program, has set /proc/sys/kernel/sched_rt_runtime_us until it ends; wait for its end, or set the value for both without this option");
	check_runtime("--rt-runtime=5", -EACCES,
		      "--rt-runtime=5: cannot write /proc/sys/kernel/sched_rt_runtime_us: Permission denied; it needs root, and a value up to sched_rt_period_us that is not below a CPU cgroup's own");
	assert_int_equal(kernel.set_us, 5);

	/* Restored before the results are written. */
	assert_int_equal(try_open("--rt-runtime=7", &fifty), 0);
	assert_int_equal(kernel.set_us, 7);
	assert_int_equal(kernel.opened, 1);
	assert_int_equal(kernel.closed, 0);
	tw_part_throttle.finish(&session.run);
	assert_int_equal(kernel.closed, 1);
	close_run();

	/* Without the option, or with none of it open: nothing is touched. */
	assert_int_equal(try_open("", &fifty), 0);
	assert_int_equal(kernel.opened, 0);
	close_run();
	new_run("--rt-runtime=7");
	close_run();
}

static void pin(int load, int server, int client)
{
	const struct { cpu_set_t *cpus; int cpu; } pins[] = {
		{ (cpu_set_t *)set_by("load-affinity"), load },
		{ &config.role_set[TW_SERVER], server },
		{ &config.role_set[TW_CLIENT], client },
	};
	size_t i;

	for (i = 0; i < sizeof(pins) / sizeof(pins[0]); i++) {
		CPU_ZERO(pins[i].cpus);
		CPU_SET(pins[i].cpu, pins[i].cpus);
	}
}

/* Whether stalls are expected, and in what range. */
static bool may_throttle(const char *line, int step, int load, int server,
			 int client)
{
	bool expected;

	assert_int_equal(try_open(line, &fifty), 0);
	pin(load, server, client);
	session.run.step = step;
	tw_part_throttle.attach(&session.run, &pair, NULL);
	expected = pair.tally->stall_max_ns;
	assert_int_equal(pair.tally->stall_min_ns, expected ? 37500000 : 0);
	assert_int_equal(pair.tally->stall_max_ns, expected ? 75000000 : 0);
	/* Without a ramp, the only step is the last. */
	if (session.run.steps == 1)
		assert_int_equal(tw_throttle_expected(&session.run), expected);
	close_run();
	return expected;
}

#define RAMP	" --load=fft --steps=2 -l5"

/* Only where real-time tasks may leave a side's CPU no rest. */
static void test_may_throttle(void **state)
{
	(void)state;
	assert_true(may_throttle("-p80 --load=fft", 0, 2, 1, 2));
	assert_true(may_throttle("-p80 --load=fft", 0, 1, 1, 2));
	assert_false(may_throttle("-p80 --load=fft", 0, 3, 1, 2));
	assert_false(may_throttle("-p80" RAMP, 0, 2, 1, 2));
	assert_true(may_throttle("-p80" RAMP, 1, 2, 1, 2));
	assert_false(may_throttle("--load=fft", 0, 2, 1, 2));
	assert_false(may_throttle("-p80 --load=hackbench", 0, 2, 1, 2));
	assert_false(may_throttle("-p80", 0, 2, 1, 2));
	/* Sides that never sleep need no load for that; on one CPU, --force. */
	assert_true(may_throttle("-p80 --wait=busy --force", 0, 3, 1, 2));
	assert_true(may_throttle("-p80 -i0 --sleep=0 --force", 0, 3, 1, 2));
	assert_false(may_throttle("-p80 -i0", 0, 3, 1, 2));
	assert_false(may_throttle("--wait=busy --load=fft", 0, 3, 1, 2));
}

/* What the kernel does not do is not expected. */
static void test_no_stalls(void **state)
{
	(void)state;
	assert_int_equal(try_open("-p80 --wait=busy --force", &unlimited), 0);
	tw_part_throttle.attach(&session.run, &pair, NULL);
	assert_int_equal(pair.tally->stall_min_ns, 0);
	assert_int_equal(pair.tally->stall_max_ns, 0);
	close_run();
}

/* The run's own value counts, and the last step of a ramp. */
static void test_expected(void **state)
{
	static const struct { const char *line; bool expected; } rows[] = {
		{ "-p80 --load=fft", true },
		{ "-p80 --load=fft --rt-runtime=950000", true },
		{ "-p80 --load=fft --rt-runtime=1", true },
		{ "-p80 --load=fft --rt-runtime=0", false },
		{ "-p80 --load=fft --rt-runtime=-1", false },
		{ "-p80 --load=fft --load-policy=other", false },
		{ "-p80" RAMP, true },
		{ "--load=fft", false }, { "-p80", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		new_run(rows[i].line);
		if (tw_throttle_expected(&session.run) != rows[i].expected)
			fail_msg("\"%s\"", rows[i].line);
	}
}

static void read_throttle(const char *line, int64_t runtime_us, bool group,
			  bool fair_server)
{
	struct tw_throttle throttle = fifty;

	throttle.runtime_us = runtime_us;
	throttle.group = group;
	throttle.fair_server = fair_server;
	throttle.bypass = fair_server && !group ? TW_BYPASS_FAIR :
						  TW_BYPASS_LIMIT;
	assert_int_equal(try_open(line, &throttle), 0);
	assert_int_equal(session.bypass, throttle.bypass);
}

/* What is said of @throttled cycles. */
static const char *remarks(const char *line, uint64_t throttled,
			   int64_t runtime_us, bool group, bool fair_server)
{
	read_throttle(line, runtime_us, group, fair_server);
	close_run();
	pair.tally->throttled = throttled;
	return written(tw_part_throttle.remarks);
}

#define STOPPED \
	"# Throttling stopped real-time tasks for 50000 us at a time, as the load left its CPU no rest\n"
#define BY_LIMIT \
	"# (sched_rt_runtime_us 950000 of 1000000): not this kernel's latency; --rt-runtime=-1 lifts it for a run\n"
#define BY_SERVER \
	"# (the fair server, debug/sched/fair_server): not this kernel's latency\n"
#define MAY \
	"# Throttling may have stopped real-time tasks for up to 50000 us at a time; counted are only stalls from 37500 us on\n"

static void test_remarks(void **state)
{
	(void)state;
	assert_string_equal(remarks("", 17, 950000, false, false),
			    "# Throttled: 17\n" STOPPED BY_LIMIT);
	assert_string_equal(remarks("", 17, 950000, true, true),
			    "# Throttled: 17\n" STOPPED BY_LIMIT);
	assert_string_equal(remarks("", 17, -1, false, true),
			    "# Throttled: 17\n" STOPPED BY_SERVER);
	assert_string_equal(remarks("", 0, 950000, false, false), "");
	/* The histogram has a line of its own for the count. */
	assert_string_equal(remarks("-h5", 17, -1, false, true),
			    STOPPED BY_SERVER);
}

/* Of a run where stalls are expected, with @longest_ns in a cycle. */
static const char *shorter(int64_t longest_ns, bool heard)
{
	struct tw_cycle cycle = run_cycles[0];

	read_throttle("-p80 --wait=busy --force", 950000, false, false);
	kernel.heard = heard;
	tw_part_throttle.attach(&session.run, &pair, NULL);
	cycle.t3_ns = cycle.t2_ns + longest_ns;
	tw_tally_add(pair.tally, &cycle);
	close_run();
	return written(tw_part_throttle.remarks);
}

/* Stalls too short to be counted: the kernel's log, or their length, tells. */
static void test_uncounted(void **state)
{
	(void)state;
	assert_string_equal(shorter(8500, false), "");
	assert_string_equal(shorter(8500, true), MAY BY_LIMIT);
	assert_string_equal(shorter(12499999, false), "");
	assert_string_equal(shorter(12500000, false), MAY BY_LIMIT);
	/* What a trace has shown of the cycle that broke counts more. */
	shorter(12500000, true);
	session.throttling_traced = true;
	assert_string_equal(written(tw_part_throttle.remarks), "");
	session.throttling = true;
	assert_string_equal(written(tw_part_throttle.remarks), MAY BY_LIMIT);
}

static void test_json(void **state)
{
	(void)state;
	new_run("");
	assert_string_equal(written_json(tw_part_throttle.json),
		"    \"throttling\": {\n"
		"      \"rt_group_sched\": false,\n"
		"      \"fair_server\": false,\n"
		"      \"stall_us\": 0,\n"
		"      \"possible\": false,\n"
		"      \"kernel_message\": false\n"
		"    }\n");
	read_throttle("-p80 --load=fft", -1, false, true);
	kernel.heard = true;
	close_run();
	assert_string_equal(written_json(tw_part_throttle.json),
		"    \"throttling\": {\n"
		"      \"rt_runtime_us\": -1,\n"
		"      \"rt_period_us\": 1000000,\n"
		"      \"rt_group_sched\": false,\n"
		"      \"fair_server\": true,\n"
		"      \"stall_us\": 50000,\n"
		"      \"possible\": true,\n"
		"      \"kernel_message\": true\n"
		"    }\n");
}

static bool possible(const char *line, const struct tw_throttle *throttle)
{
	assert_int_equal(try_open(line, throttle), 0);
	close_run();
	return strstr(written_json(tw_part_throttle.json),
		      "\"possible\": true");
}

/* Throttling is possible if the kernel does it and the load brings it on. */
static void test_possible(void **state)
{
	(void)state;
	assert_false(possible("-p80 --load=fft --force", &unlimited));
	assert_true(possible("-p80 --load=fft", &fifty));
	assert_false(possible("-p80 --load=hackbench", &fifty));
	/* At the height of a ramp counts, not its first step. */
	assert_true(possible("-p80" RAMP, &fifty));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hogging),
		cmocka_unit_test(test_hogs_all),
		cmocka_unit_test(test_runtime),
		cmocka_unit_test(test_may_throttle),
		cmocka_unit_test(test_no_stalls),
		cmocka_unit_test(test_expected),
		cmocka_unit_test(test_remarks),
		cmocka_unit_test(test_uncounted),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_possible),
	};
	int failed;

	files = count_open_files();
	failed = cmocka_run_group_tests(tests, NULL, NULL);

	drop_run();
	return failed;
}
