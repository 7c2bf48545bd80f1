// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rt-error, histogram, and what of rt-utils is no report.
 *
 * The files that the library opens are replaced by one of the test's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <time.h>

#include "child.h"
#include "histogram.h"
#include "rt-error.h"
#include "rt-utils.h"

static void do_err_msg(void)
{
	err_msg("one %d,", 1);
	err_msg("two\n");
}

static void do_err_msg_n(void)
{
	err_msg_n(0, "%d,", 1);
	err_msg_n(ENOENT, "two");
}

static void do_warn(void)
{
	warn("%d\n", 1);
}

static void do_err_exit(void)
{
	err_exit(ENOSPC, "%d", 1);
}

static void do_err_quit(void)
{
	err_quit("%d\n", 1);
}

static void do_fatal(void)
{
	fatal("%d\n", 1);
}

static void do_warn_odd(void)
{
	warn("%s\n", "a\033[31m\nb\r\n");
}

static void do_fatal_long(void)
{
	fatal("%9000d\n", 1);
}

TEST(test_clean)
{
	static const struct {
		const char *text, *clean;
	} rows[] = {
		{ "", "" }, { "a b~", "a b~" }, { "a\tb", "a\tb" },
		{ "\033[31m", "?[31m" }, { "\001\037\177 ", "??? " },
		{ "a\nb\n", "a?b?" }, { "\303\274", "\303\274" },
		{ "\342\202\254", "\342\202\254" },
		{ "\302\233x", "??x" }, { "\302\240x", "\302\240x" },
		{ "\233x", "?x" }, { "\303", "?" }, { "\303(", "?(" },
		{ "\355\240\200", "???" }, { "\360\237\230", "???" },
	};
	char text[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		strcpy(text, rows[i].text);
		rt_clean(text);
		assert_string_equal(text, rows[i].clean);
	}
}

TEST(test_messages)
{
	struct outcome o;

	assert_outcome(do_err_msg, RETURNED, "one 1,two\n");
	assert_outcome(do_err_msg_n, RETURNED,
		       "1,two: No such file or directory\n");
	assert_outcome(do_warn, RETURNED, "WARN: 1\n");
	assert_outcome(do_err_exit, ENOSPC, "1: No space left on device\n");
	assert_outcome(do_err_quit, 1, "1\n");
	assert_outcome(do_fatal, 1, "FATAL: 1\n");
	assert_outcome(do_warn_odd, RETURNED, "WARN: a?[31m?b??\n");
	/* What is longer than a message may be has no line end. */
	o = run(do_fatal_long);
	assert_int_equal(strlen(o.err), strlen("FATAL: ") + 8191);
}

TEST(test_policies)
{
	static const struct {
		const char *word, *name;
		int policy;
	} rows[] = {
		{ "other", "SCHED_OTHER", SCHED_OTHER },
		{ "fifo", "SCHED_FIFO", SCHED_FIFO },
		{ "rr", "SCHED_RR", SCHED_RR },
		{ "batch", "SCHED_BATCH", SCHED_BATCH },
		{ "idle", "SCHED_IDLE", SCHED_IDLE },
		{ "deadline", "SCHED_DEADLINE", 6 },
		{ "normal", "SCHED_OTHER", SCHED_OTHER },
		{ "fif", "SCHED_OTHER", SCHED_OTHER },
		{ "", "SCHED_OTHER", SCHED_OTHER },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(string_to_policy(rows[i].word),
				 rows[i].policy);
		assert_string_equal(policy_to_string(rows[i].policy),
				    rows[i].name);
	}
	assert_string_equal(policy_to_string(-1), "unknown");
	assert_string_equal(policy_to_string(4), "unknown");
}

/* The files that open() opens instead of the library's. */
static const char *marker, *tracing_on, *dma_latency;
/* Where tracefs is; what is said of another place. */
static const char *tracefs = "/sys/kernel/tracing";
static int elsewhere = ENOENT;

int access(const char *path, int mode)
{
	if (!strncmp(path, tracefs, strlen(tracefs)))
		return 0;
	errno = elsewhere;
	return -1;
}

TEST(test_find_tracefs)
{
	static const struct {
		const char *there;
		int error;
		const char *found;
	} rows[] = {
		{ "/sys/kernel/tracing/", ENOENT, "/sys/kernel/tracing" },
		{ "/sys/kernel/debug/", ENOENT, "/sys/kernel/debug/tracing" },
		{ "/nowhere", ENOENT, "/sys/kernel/tracing" },
		{ "/sys/kernel/debug/", EACCES, "/sys/kernel/tracing" },
		{ "/", ENOENT, "/sys/kernel/tracing" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		tracefs = rows[i].there;
		elsewhere = rows[i].error;
		assert_string_equal(find_tracefs(), rows[i].found);
	}
	tracefs = "/sys/kernel/tracing";
}

int open(const char *path, int flags, ...)
{
	if (!strcmp(path, "/sys/kernel/tracing/trace_marker"))
		path = marker;
	else if (!strcmp(path, "/sys/kernel/tracing/tracing_on"))
		path = tracing_on;
	else if (!strcmp(path, "/dev/cpu_dma_latency"))
		path = dma_latency;
	return openat(AT_FDCWD, path, flags);
}

static void do_marks(void)
{
	tracemark("not enabled");
	tracing_stop();
	enable_trace_mark();
	tracemark("a%d", 1);
	tracemark("%2000d", 1);
	tracing_stop();
	disable_trace_mark();
	tracemark("disabled");
	tracing_stop();
}

#define FULL	"WARN: cannot write to /sys/kernel/tracing/trace_marker: " \
		"No space left on device; is tracing on?\n"

/* Marks come out on stdout; where there is no trace, only a warning. */
TEST(test_marks)
{
	struct outcome o;

	marker = "/dev/stdout";
	tracing_on = "/dev/stdout";
	o = run(do_marks);
	assert_string_equal(o.err, "");
	assert_int_equal(strlen(o.out), 2 + 1023 + 2);
	assert_memory_equal(o.out, "a1  ", 4);
	assert_string_equal(o.out + 2 + 1022, " 0\n");

	tracing_on = "/dev/full";
	o = run(do_marks);
	assert_string_equal(o.err, "WARN: cannot stop tracing\n");

	marker = "/dev/full";
	o = run(do_marks);
	assert_string_equal(o.err, FULL FULL
			    "WARN: cannot stop tracing\n");

	marker = "/nowhere";
	assert_outcome(do_marks, RETURNED, "WARN: cannot open "
		       "/sys/kernel/tracing/trace_marker: "
		       "No such file or directory\n");
}

/* Exits with 3 if there is a descriptor that exec() closes. */
static void do_latency(void)
{
	int fd = set_latency_target(7), flags = fcntl(fd, F_GETFD);

	fflush(stdout);
	_exit(fd < 0 ? 2 : flags & FD_CLOEXEC ? 3 : 4);
}

TEST(test_latency)
{
	static const struct {
		const char *path, *out, *err;
		int status;
	} rows[] = {
		{ "/dev/null", "# /dev/cpu_dma_latency set to 7us\n", "", 3 },
		{ "/dev/full", "", "WARN: cannot set /dev/cpu_dma_latency "
			"to 7us: No space left on device\n", 2 },
		{ "/nowhere", "", "WARN: cannot set /dev/cpu_dma_latency "
			"to 7us: No such file or directory\n", 2 },
	};
	struct outcome o;
	size_t i;
	int fd, next;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		dma_latency = rows[i].path;
		o = run(do_latency);
		assert_string_equal(o.out, rows[i].out);
		assert_string_equal(o.err, rows[i].err);
		assert_int_equal(o.exit_code, rows[i].status);
	}

	/* Nothing stays open if the value cannot be written. */
	dma_latency = "/dev/full";
	fd = dup(2);
	close(fd);
	assert_int_equal(set_latency_target(7), -1);
	next = dup(2);
	close(next);
	assert_int_equal(next, fd);
}

TEST(test_latency_value)
{
	char path[] = "/tmp/test_rt_lib.XXXXXX";
	int fd = mkstemp(path);
	int32_t values[2];

	assert_true(fd >= 0);
	dma_latency = path;
	assert_int_equal(close(set_latency_target(0x123456)), 0);
	assert_int_equal(read(fd, values, sizeof(values)), sizeof(values[0]));
	assert_int_equal(values[0], 0x123456);
	close(fd);
	unlink(path);
}

/* Samples of 0, 10 or more, in 3 buckets of 10; 2 overflows are kept. */
TEST(test_histogram)
{
	static const struct {
		uint64_t sample;
		int ret;
	} rows[] = {
		{ 0, 0 }, { 9, 0 }, { 29, 0 },
		{ 30, HIST_OVERFLOW | HIST_OVERFLOW_MAG },
		{ 40, HIST_OVERFLOW },
		{ 59, HIST_OVERFLOW | HIST_OVERFLOW_LOG }, { 25, 0 },
		{ UINT64_MAX, HIST_OVERFLOW | HIST_OVERFLOW_LOG },
	};
	struct histogram h;
	char text[100];
	FILE *f = fmemopen(text, sizeof(text), "w");
	size_t i;

	assert_int_equal(hist_init(&h, 10, 3), 0);
	assert_int_equal(hist_init_oflow(&h, 2), 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(hist_sample(&h, rows[i].sample), rows[i].ret);
	assert_int_equal(h.events, ARRAY_SIZE(rows));
	assert_int_equal(h.oflow_count, 4);
	assert_true(h.oflow_magnitude == 0 + 1 + 2 + UINT64_MAX / 10 - 3);
	hist_print_json(&h, f);
	hist_print_oflows(&h, f);
	fclose(f);
	assert_string_equal(text, "\n        \"0\": 2,\n        \"2\": 2\n"
			    "00003 00004 # 00002 others");
	hist_destroy(&h);
	assert_null(h.buckets);
	assert_null(h.oflows);
}

/* Memory that there is not is to be refused, not to be an error. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

TEST(test_histogram_without_numbers)
{
	struct histogram h;

	assert_int_equal(hist_init(&h, 1, 1), 0);
	assert_int_equal(hist_sample(&h, 3), HIST_OVERFLOW);
	h.oflow_magnitude = UINT64_MAX - 1;
	assert_int_equal(hist_sample(&h, 3), HIST_OVERFLOW | HIST_OVERFLOW_MAG);
	assert_true(h.oflow_magnitude == UINT64_MAX - 1);
	assert_int_equal(h.oflow_count, 2);
	hist_destroy(&h);
	assert_int_equal(hist_init(&h, 1, ULONG_MAX / 2), -ENOMEM);
	assert_int_equal(hist_init_oflow(&h, ULONG_MAX / 2), -ENOMEM);
}

TEST(test_macros)
{
	int three[3];

	assert_int_equal(ARRAY_SIZE(three), 3);
	assert_true(1000L * USEC_PER_SEC == NSEC_PER_SEC);
}
