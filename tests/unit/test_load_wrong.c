// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine that calculates wrongly: the transforms stand here in place of the
 * program's own. What they give is counted as an error only if it is one.
 */
#include <math.h>
#include <unistd.h>

#include "unit.h"

#include "base/tw_fft.h"
#include "load/tw_load.h"

#define WORKERS		2
#define PATIENCE_MS	20000

/* By what the result is off, and where; set before the workers start. */
static double re_off, im_off;
static size_t point;

int tw_fft_open(struct tw_fft *fft, size_t count)
{
	fft->points = count;
	return 0;
}

void tw_fft_forward(const struct tw_fft *fft, struct tw_complex *signal)
{
	(void)fft;
	(void)signal;
}

void tw_fft_inverse(const struct tw_fft *fft, struct tw_complex *signal)
{
	size_t at = point == SIZE_MAX ? fft->points - 1 : point;

	signal[at].re += re_off;
	signal[at].im += im_off;
}

static struct tw_load load;
static char why[TW_LOAD_WHY];

static bool all_have_worked(void)
{
	int i;

	for (i = 0; i < WORKERS; i++)
		if (load.shared->slots[i].done < 2)
			return false;
	return true;
}

static struct tw_load_slot do_work(void)
{
	struct tw_load_params params = { .policy = SCHED_OTHER };
	struct tw_load_slot sum;
	int ms, i;

	assert_int_equal(sched_getaffinity(0, sizeof(params.cpus),
					   &params.cpus), 0);
	assert_int_equal(tw_load_open(&load, &tw_load_fft, &params, WORKERS,
				      why), 0);
	assert_int_equal(load.ops->run(&load, 0, WORKERS), 0);
	for (ms = 0; !all_have_worked() && ms < PATIENCE_MS; ms++)
		usleep(1000);
	assert_true(all_have_worked());
	/* At rest, or they count on. */
	assert_int_equal(load.ops->stop(&load), 0);
	sum = tw_load_progress(&load);
	for (i = 0; i < WORKERS; i++) {
		sum.done -= load.shared->slots[i].done;
		sum.errors -= load.shared->slots[i].errors;
	}
	assert_int_equal(sum.done, 0);
	assert_int_equal(sum.errors, 0);
	sum = tw_load_progress(&load);
	assert_int_equal(tw_load_close(&load, why), 0);
	return sum;
}

static void check(double re, double im, size_t at, bool wrong)
{
	struct tw_load_slot sum;

	re_off = re;
	im_off = im;
	point = at;
	sum = do_work();
	/* The last piece may have been stopped before it was done. */
	assert_in_range(sum.errors, wrong ? sum.done : 0,
			wrong ? sum.done + WORKERS : 0);
}

static void test_right(void **state)
{
	(void)state;
	check(0, 0, 0, false);
	/* As the order of the sums may have it. */
	check(1e-13, -1e-13, 5, false);
}

/* A single bit, anywhere. */
static void test_wrong(void **state)
{
	(void)state;
	check(1e-6, 0, 0, true);
	check(0, -1e-6, 77, true);
	check(-0.5, 0, SIZE_MAX, true);
	check(0, NAN, 12345, true);
	check(NAN, 0, 12345, true);
	check(INFINITY, 0, 12345, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right),
		cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
