// SPDX-License-Identifier: GPL-2.0-or-later
/* -b: the cycle that ends the run, and what the traces get to hear of it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "unit_tally.h"

#include "base/tw_time.h"
#include "cause/tw_break.h"

#define AHEAD_NS	(37 * TW_NS_PER_S)

static int64_t read_ahead(const struct tw_clock *clock)
{
	(void)clock;
	return tw_now_ns(CLOCK_MONOTONIC) + AHEAD_NS;
}

static const struct tw_clock ahead = { .name = "x", .read_ns = read_ahead };

static struct tw_tally *tally;
static struct tw_break caught;

/* None is broken, of no pair. */
static void begin_anew(void)
{
	caught.broken = false;
	caught.first = &caught.first_of_all;
	atomic_store(&caught.first_of_all, 0);
}

static int set_up(void **state)
{
	int i;

	(void)state;
	tally = new_tally(&usual, 0);
	memset(&caught, 0, sizeof(caught));
	caught.metric = TW_TOTAL;
	caught.limit_ns = 50000;
	begin_anew();
	for (i = 0; i < TW_TRACES; i++) {
		caught.traces[i].mark = -1;
		caught.traces[i].stop = -1;
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	drop_tally(tally, 0);
	return 0;
}

/* send 10, sleep 110, receive 5, response 125, interval 1002, wakeup 3 us. */
static const struct tw_cycle usual_cycle = {
	.seq = 9, .planned_ns = 2000000, .t0_ns = 2003000, .t1_ns = 2013000,
	.t2_ns = 2123000, .t3_ns = 2128000, .prev_t0_ns = 1001000,
	.missed = 4, .client_cpu = 3, .server_cpu = 2,
};

#define TOTAL_NS	(10000 + 5000 + 10000 + 2000)

static bool check(const struct tw_cycle *cycle)
{
	return tw_break_check(&caught, tally, &ahead, cycle);
}

static void test_above_only(void **state)
{
	struct tw_cycle cycle = usual_cycle;

	(void)state;
	caught.limit_ns = TOTAL_NS;
	assert_false(check(&cycle));
	assert_false(caught.broken);
	caught.limit_ns = TOTAL_NS - 1;
	assert_true(check(&cycle));
	assert_true(caught.broken);
	assert_int_equal(caught.value_ns, TOTAL_NS);
}

static void test_once(void **state)
{
	struct tw_cycle cycle = usual_cycle;
	int fds[2];
	char text[1024];
	ssize_t len;

	(void)state;
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	caught.traces[TW_TRACE_OWN].mark = fds[1];
	caught.limit_ns = 1;
	assert_true(check(&cycle));
	assert_true(read(fds[0], text, sizeof(text)) > 0);
	cycle.seq++;
	cycle.t3_ns += 1000000;
	assert_false(check(&cycle));
	assert_int_equal(caught.kept.cycle.seq, usual_cycle.seq);
	assert_int_equal(caught.value_ns, TOTAL_NS);
	len = read(fds[0], text, sizeof(text));
	assert_true(len < 0 && errno == EAGAIN);
	close(fds[0]);
	close(fds[1]);
}

static void test_each_metric(void **state)
{
	int id;

	(void)state;
	for (id = 0; id < TW_METRICS; id++) {
		begin_anew();
		caught.traces[0] = (struct tw_trace_fds) { -1, -1 };
		caught.traces[1] = caught.traces[0];
		caught.metric = id;
		caught.limit_ns = tw_metrics[id].value_ns(&usual_cycle, &usual);
		assert_false(check(&usual_cycle));
		caught.limit_ns--;
		assert_true(check(&usual_cycle));
		assert_int_equal(caught.value_ns, caught.limit_ns + 1);
	}
}

/* What is kept is the cycle, as it is, with what was known before it. */
static void test_kept(void **state)
{
	struct tw_cycle cycle = { .seq = 1 };
	uint64_t seed = 3;
	double means_ns[TW_METRICS];
	int64_t real_ns;
	int id, i;

	(void)state;
	tally->step = 5;
	for (i = 0; i < 100; i++) {
		advance(&cycle, &seed);
		tw_tally_add(tally, &cycle);
	}
	for (id = 0; id < TW_METRICS; id++)
		means_ns[id] = tw_stats_mean(&tally->series.row[id].stats);
	advance(&cycle, &seed);
	cycle.t1_ns += 7000000;
	cycle.t2_ns += 7000000;
	cycle.t3_ns += 7000000;
	assert_true(check(&cycle));
	assert_memory_equal(&caught.kept.cycle, &cycle, CYCLE_BYTES);
	assert_int_equal(caught.kept.step, 5);
	assert_false(caught.kept.throttled);
	assert_int_equal(caught.number, 100);
	/* Folded in only after. */
	assert_int_equal(tally->cycles, 100);
	for (id = 0; id < TW_METRICS; id++)
		assert_true(caught.means_ns[id] == means_ns[id]);
	/* Both clocks cannot be read at one moment; the trace has us. */
	assert_in_range(caught.ahead_ns, AHEAD_NS - TW_NS_PER_S,
			AHEAD_NS + TW_NS_PER_S);
	/* What to take off for the time of day. */
	real_ns = tw_now_ns(CLOCK_REALTIME) - tw_now_ns(CLOCK_MONOTONIC);
	assert_true(caught.kept.ahead_ns > AHEAD_NS - real_ns - TW_NS_PER_S);
	assert_true(caught.kept.ahead_ns < AHEAD_NS - real_ns + TW_NS_PER_S);
}

static void test_throttled(void **state)
{
	struct tw_cycle cycle = usual_cycle;
	char text[1024];
	int fds[2];
	ssize_t len;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	caught.traces[TW_TRACE_USER].mark = fds[1];
	tally->stall_min_ns = 40 * TW_NS_PER_MS;
	tally->stall_max_ns = 60 * TW_NS_PER_MS;
	cycle.t3_ns += 50 * TW_NS_PER_MS;
	assert_true(tw_tally_is_throttled(tally, &cycle));
	assert_true(check(&cycle));
	assert_true(caught.kept.throttled);
	len = read(fds[0], text, sizeof(text) - 1);
	assert_true(len > 0);
	text[len] = '\0';
	assert_non_null(strstr(text, " missed 4 throttled, t0 "));
	close(fds[0]);
	close(fds[1]);
}

/* The first cycle has no mean before it: it is held against its targets. */
static void test_first(void **state)
{
	int id;

	(void)state;
	caught.limit_ns = 1;
	assert_true(check(&usual_cycle));
	assert_int_equal(caught.number, 0);
	for (id = 0; id < TW_METRICS; id++)
		assert_true(caught.means_ns[id] ==
			    (id == TW_INTERVAL ? 1000000 :
			     id == TW_SLEEP ? 100000 : 0));
	memset(&caught.means_ns, 0xff, sizeof(caught.means_ns));
	begin_anew();
	tally->params.period_ns = 0;
	assert_true(check(&usual_cycle));
	assert_true(caught.means_ns[TW_INTERVAL] == 0);
}

/* Marked, then stopped, one trace after the other. */
static void test_marks(void **state)
{
	static const char mark[] = "twowaytest: cycle 0: total 27 us > 26 us: interval 1002 wakeup 3 send 10 sleep 110 receive 5 response 125 total 27 missed 4, t0 2003000 t1 2013000 t2 2123000 t3 2128000 ns\n";
	char text[2048] = "", want[2048];
	int fds[2];
	ssize_t len;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	caught.traces[TW_TRACE_USER] = caught.traces[TW_TRACE_OWN] =
		(struct tw_trace_fds) { fds[1], fds[1] };
	caught.limit_ns = 26500;
	assert_true(check(&usual_cycle));
	len = read(fds[0], text, sizeof(text) - 1);
	assert_true(len > 0);
	snprintf(want, sizeof(want), "%s0%s0", mark, mark);
	assert_string_equal(text, want);
	assert_int_equal(caught.mark_err, 0);
	close(fds[0]);
	close(fds[1]);
}

/* Each to its own descriptor, and a trace that is not there gets none. */
static void test_descriptors(void **state)
{
	int mark[2], stop[2];
	char text[1024];
	ssize_t len;

	(void)state;
	assert_int_equal(pipe(mark), 0);
	assert_int_equal(pipe(stop), 0);
	caught.traces[TW_TRACE_USER].mark = mark[1];
	caught.traces[TW_TRACE_USER].stop = stop[1];
	assert_true(!check(&usual_cycle));
	caught.limit_ns = 1000;
	assert_true(check(&usual_cycle));
	close(mark[1]);
	close(stop[1]);
	len = read(mark[0], text, sizeof(text));
	assert_true(len > 0 && text[len - 1] == '\n');
	assert_int_equal(read(stop[0], text, sizeof(text)), 1);
	assert_int_equal(text[0], '0');
	assert_int_equal(caught.mark_err, 0);
	close(mark[0]);
	close(stop[0]);
}

/* The longest there can be is whole, and ends its line. */
static void test_longest_mark(void **state)
{
	static const struct tw_cycle wild[] = {
		{ .seq = UINT64_MAX, .planned_ns = INT64_MAX,
		  .t0_ns = INT64_MIN, .t1_ns = INT64_MIN, .t2_ns = INT64_MIN,
		  .t3_ns = INT64_MIN, .prev_t0_ns = 0, .missed = UINT64_MAX },
		{ .seq = UINT64_MAX, .planned_ns = -1, .t0_ns = INT64_MIN + 1,
		  .t1_ns = -2, .t2_ns = INT64_MIN + 3, .t3_ns = -4,
		  .prev_t0_ns = 1, .missed = UINT64_MAX },
	};
	char text[2048], end[256];
	int fds[2];
	ssize_t len;
	size_t i;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	for (i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		begin_anew();
		caught.metric = TW_RESPONSE;
		caught.limit_ns = INT64_MIN;
		tally->cycles = UINT64_MAX;
		caught.traces[TW_TRACE_OWN].mark = fds[1];
		assert_true(check(&wild[i]));
		len = read(fds[0], text, sizeof(text) - 1);
		assert_in_range(len, 1, 512);
		text[len] = '\0';
		assert_non_null(strstr(text, "cycle 18446744073709551615: response "));
		snprintf(end, sizeof(end), " t3 %" PRId64 " ns\n",
			 wild[i].t3_ns);
		assert_string_equal(text + len - strlen(end), end);
	}
	close(fds[0]);
	close(fds[1]);
}

/* A trace that cannot be marked keeps no other from it. */
static void test_unwritable(void **state)
{
	char text[1024];
	int fds[2];
	ssize_t len;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	caught.traces[TW_TRACE_USER] = (struct tw_trace_fds) { fds[0], fds[0] };
	caught.traces[TW_TRACE_OWN] = (struct tw_trace_fds) { fds[1], fds[1] };
	caught.limit_ns = 1;
	assert_true(check(&usual_cycle));
	assert_int_equal(caught.mark_err, -EBADF);
	len = read(fds[0], text, sizeof(text));
	assert_true(len > 2);
	assert_memory_equal(text + len - 2, "\n0", 2);
	close(fds[0]);
	close(fds[1]);
}

/* A mark that is cut is an error, though the kernel names none. */
static void test_cut(void **state)
{
	struct rlimit saved, small;
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &saved), 0);
	small = saved;
	small.rlim_cur = 10;
	caught.limit_ns = 1;
	caught.traces[TW_TRACE_OWN].mark = fileno(file);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	errno = ENOENT;
	check(&usual_cycle);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &saved), 0);
	assert_true(caught.broken);
	assert_int_equal(lseek(fileno(file), 0, SEEK_END), 10);
	assert_int_equal(caught.mark_err, -EIO);

	/* The first error is told, not the last. */
	begin_anew();
	caught.mark_err = 0;
	caught.traces[TW_TRACE_USER].mark = open("/dev/null", O_RDONLY);
	assert_int_equal(ftruncate(fileno(file), 0), 0);
	assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	check(&usual_cycle);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &saved), 0);
	assert_int_equal(lseek(fileno(file), 0, SEEK_END), 10);
	assert_int_equal(caught.mark_err, -EBADF);
	close(caught.traces[TW_TRACE_USER].mark);
	fclose(file);
}

/* This is a descriptor like the others: only -1 is none. */
static void test_descriptor_0(void **state)
{
	int fds[2], saved = dup(0);
	char text[1024];
	ssize_t len;

	(void)state;
	assert_true(saved >= 0);
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	assert_int_equal(dup2(fds[1], 0), 0);
	caught.limit_ns = 1;
	caught.traces[TW_TRACE_USER].mark = 0;
	check(&usual_cycle);
	len = read(fds[0], text, sizeof(text));
	dup2(saved, 0);
	close(saved);
	close(fds[0]);
	close(fds[1]);
	assert_true(len > 0);
	assert_int_equal(caught.mark_err, 0);
}

int main(void)
{
#define WITH_TALLY(test) \
	cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		WITH_TALLY(test_above_only),
		WITH_TALLY(test_once),
		WITH_TALLY(test_each_metric),
		WITH_TALLY(test_kept),
		WITH_TALLY(test_throttled),
		WITH_TALLY(test_first),
		WITH_TALLY(test_marks),
		WITH_TALLY(test_descriptors),
		WITH_TALLY(test_longest_mark),
		WITH_TALLY(test_unwritable),
		WITH_TALLY(test_cut),
		WITH_TALLY(test_descriptor_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
