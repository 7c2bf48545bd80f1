// SPDX-License-Identifier: GPL-2.0-or-later
/* The transform against its definition, Parseval's theorem and its inverse. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/tw_fft.h"

#define LIMIT	1e-12

static struct tw_complex *random_signal(size_t points)
{
	struct tw_complex *signal = calloc(points, sizeof(*signal));
	size_t j;

	assert_non_null(signal);
	for (j = 0; j < points; j++) {
		signal[j].re = drand48() - 0.5;
		signal[j].im = drand48() - 0.5;
	}
	return signal;
}

static struct tw_complex *copy_of(const struct tw_complex *signal,
				  size_t points)
{
	struct tw_complex *copy = calloc(points, sizeof(*copy));

	assert_non_null(copy);
	memcpy(copy, signal, points * sizeof(*copy));
	return copy;
}

static double norm(const struct tw_complex *signal, size_t points)
{
	long double sum = 0;
	size_t j;

	for (j = 0; j < points; j++)
		sum += (long double)signal[j].re * signal[j].re +
		       (long double)signal[j].im * signal[j].im;
	return (double)sum;
}

/* The largest distance of two points, of the root mean square of @b. */
static double relative_error(const struct tw_complex *a,
			     const struct tw_complex *b, size_t points)
{
	double scale = sqrt(norm(b, points) / (double)points);
	double worst = 0;
	size_t j;

	for (j = 0; j < points; j++) {
		double error = hypot(a[j].re - b[j].re, a[j].im - b[j].im);

		if (error > worst)
			worst = error;
	}
	return worst / scale;
}

#define POINTS_MAX	1024

struct turn {
	long double re;
	long double im;
};

/* The definition, term by term; each of the angles' sines taken once. */
static void transform(const struct tw_complex *in, struct tw_complex *out,
		      size_t points)
{
	static struct turn turns[POINTS_MAX];
	size_t j, k;

	for (j = 0; j < points; j++) {
		long double angle = -2 * acosl(-1.0L) * (long double)j /
				    (long double)points;

		turns[j] = (struct turn){ cosl(angle), sinl(angle) };
	}
	for (k = 0; k < points; k++) {
		long double re = 0, im = 0;

		for (j = 0; j < points; j++) {
			const struct turn turn = turns[j * k % points];

			re += in[j].re * turn.re - in[j].im * turn.im;
			im += in[j].re * turn.im + in[j].im * turn.re;
		}
		out[k].re = (double)re;
		out[k].im = (double)im;
	}
}

static void test_definition(void **state)
{
	size_t points;

	(void)state;
	for (points = 2; points <= POINTS_MAX; points *= 2) {
		struct tw_complex *signal = random_signal(points);
		struct tw_complex *expected = calloc(points,
						     sizeof(*expected));
		struct tw_fft fft;

		assert_int_equal(tw_fft_open(&fft, points), 0);
		transform(signal, expected, points);
		tw_fft_forward(&fft, signal);
		assert_true(relative_error(signal, expected, points) < LIMIT);
		free(fft.roots);
		free(signal);
		free(expected);
	}
}

static void test_large(void **state)
{
	const size_t points = 65536;
	struct tw_complex *signal = random_signal(points);
	struct tw_complex *original = copy_of(signal, points);
	double before = norm(signal, points), after;
	struct tw_fft fft;

	(void)state;
	assert_int_equal(tw_fft_open(&fft, points), 0);
	tw_fft_forward(&fft, signal);
	/* It must have done something, or coming back would prove nothing. */
	assert_true(relative_error(signal, original, points) > 1);
	after = norm(signal, points) / (double)points;
	assert_true(fabs(after - before) < LIMIT * before);
	tw_fft_inverse(&fft, signal);
	assert_true(relative_error(signal, original, points) < LIMIT);
	free(fft.roots);
	free(signal);
	free(original);
}

/* A pure tone has all its power in one point. */
static void test_tone(void **state)
{
	struct tw_complex signal[64];
	struct tw_fft fft;
	size_t j;

	(void)state;
	assert_int_equal(tw_fft_open(&fft, 64), 0);
	for (j = 0; j < 64; j++) {
		signal[j].re = cos(2 * M_PI * 5 * (double)j / 64);
		signal[j].im = sin(2 * M_PI * 5 * (double)j / 64);
	}
	tw_fft_forward(&fft, signal);
	for (j = 0; j < 64; j++)
		assert_true(fabs(hypot(signal[j].re, signal[j].im) -
				 (j == 5 ? 64 : 0)) < LIMIT * 64);
	free(fft.roots);
}

static void test_refused_sizes(void **state)
{
	static const size_t bad[] = { 0, 1, 3, 6, 1000, 65535 };
	struct tw_fft fft;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(tw_fft_open(&fft, bad[i]), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_definition),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_tone),
		cmocka_unit_test(test_refused_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
