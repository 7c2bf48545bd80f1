// SPDX-License-Identifier: GPL-2.0-or-later
/* -b: which trial ends the run, what is kept of it, and the mark. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "pt_unit.h"
#include "core/pt_break.h"

static const struct pt_metric metrics[] = {
	{ .token = "out", .label = "Out", .from = 0, .to = 1 },
	{ .token = "back", .label = "Back", .from = 1, .to = 2 },
	{ .token = NULL }
};

static const struct pt_test test = {
	.name = "any", .metrics = metrics, .trials = 10,
};

static int mark[2], stop[2];
static struct tw_trace_fds fds;
static struct pt_config config;
static struct pt_case *c;

static int set_up(void **state)
{
	(void)state;
	assert_int_equal(pipe(mark), 0);
	assert_int_equal(pipe(stop), 0);
	fds = (struct tw_trace_fds) { mark[1], stop[1] };
	config = (struct pt_config) {
		.warmup = 1, .bin_ns = 1000, .break_us = 5,
		.break_ps = 5000 * PT_PS_PER_NS, .trace = &fds,
	};
	c = pt_unit_case(&config, &test, NULL);
	return 0;
}

static int tear_down(void **state)
{
	int i;

	(void)state;
	pt_case_unmap(c);
	for (i = 0; i < 2; i++) {
		close(mark[i]);
		close(stop[i]);
	}
	return 0;
}

static void record(int64_t t0_ns, int64_t out_ns, int64_t back_ns)
{
	pt_record(&c->task[0], &(struct pt_trial) {
		.t_ns = { t0_ns, t0_ns + out_ns, t0_ns + out_ns + back_ns },
	});
}

/* What was written, once the other end is closed. */
static const char *written(int pair[2])
{
	static char text[2048];
	ssize_t size;

	close(pair[1]);
	size = read(pair[0], text, sizeof(text) - 1);
	assert_true(size >= 0);
	text[size] = '\0';
	return text;
}

static void test_breaks(void **state)
{
	(void)state;
	record(0, 9000, 9000);		/* the warm-up is not judged */
	record(20000, 5000, 100);
	record(30000, 3000, 300);
	assert_int_equal(atomic_load(&c->stop), 0);
	assert_int_equal(c->broken_ps, 0);
	record(50000, 400, 5001);
	assert_int_equal(atomic_load(&c->stop), 1);
	record(60000, 90000, 90000);	/* the first one counts */
	assert_int_equal(c->broken, 1);
	assert_int_equal(c->broken_ps, 5001 * PT_PS_PER_NS);
	assert_int_equal(c->broke.kept.number, 3);
	assert_int_equal(c->broke.kept.trial.t_ns[0], 50000);
	assert_int_equal(c->broke.kept.value_ps[0], 400 * PT_PS_PER_NS);
	assert_true(c->broke.has_before);
	assert_int_equal(c->broke.before.t_ns[0], 30000);
	/* Of those before it. */
	assert_int_equal((int)c->broke.means_ps[0], 4000 * PT_PS_PER_NS);
	assert_int_equal((int)c->broke.means_ps[1], 200 * PT_PS_PER_NS);
	/* As far as two readings of one clock are apart. */
	assert_in_range(c->broke.ahead_ns + TW_NS_PER_S / 2, 0, TW_NS_PER_S);
	assert_int_equal(c->broke.mark_err, 0);
	/* It is one of the statistics all the same. */
	assert_int_equal(tw_series_status(c->series, 1).count, 4);
	assert_string_equal(written(mark), "primitivetest: any.process.same, trial 3: back 5001 ns > 5 us: t0 50000 t1 50400 t2 55401 t3 0 t4 0 ns\n");
	assert_string_equal(written(stop), "0");
}

static void test_no_trace(void **state)
{
	(void)state;
	config.trace = NULL;
	record(0, 77, 1);
	record(10, 6000, 1);
	assert_int_equal(c->broken, 0);
	assert_int_equal(c->broken_ps, 6000 * PT_PS_PER_NS);
	/* There is none but the warm-up's. */
	assert_int_equal((int)c->broke.means_ps[0], 77 * PT_PS_PER_NS);
	assert_string_equal(written(mark), "");
}

static void test_no_break(void **state)
{
	(void)state;
	config.break_ps = 0;
	record(0, 1, 1);
	record(10, 900000, 1);
	assert_int_equal(c->broken_ps, 0);
	assert_int_equal(c->broke.kept.number, 0);
	assert_string_equal(written(mark), "");
}

static void test_mark_fails(void **state)
{
	(void)state;
	fds.mark = mark[0];
	record(0, 1, 1);
	record(10, 6000, 1);
	assert_int_equal(c->broke.mark_err, -EBADF);
	assert_string_equal(written(stop), "0");
}

static void test_throttled(void **state)
{
	(void)state;
	config.stall_ns = 50000;
	record(0, 1, 1);
	record(10, 49000, 1);
	assert_true(c->broke.throttled);
	assert_int_equal(c->throttled, 1);
}

#define EACH(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(test_breaks), EACH(test_no_trace), EACH(test_no_break),
		EACH(test_mark_fails), EACH(test_throttled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
