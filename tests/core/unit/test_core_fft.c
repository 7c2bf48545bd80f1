// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "unit.h"
#include "tw_fft.h"

#define POINTS_MAX	1024

static struct sizes {
	const char *name;
	size_t points;
} sizes[] = {
	{ "2", 2 }, { "4", 4 }, { "8", 8 }, { "64", 64 }, { "1024", 1024 },
};

/* Of an impulse at @f, the sum as it is defined; and back. */
TEST_EACH(transforms, sizes)
{
	static double complex signal[POINTS_MAX], original[POINTS_MAX];
	size_t n = of->points, f, j, k;
	double complex *roots = tw_fft_roots(n);
	uint64_t random = 7;

	assert_non_null(roots);
	for (f = 0; f < n; f += n > 8 ? n / 8 - 1 : 1) {
		/* An impulse at f is a tone. */
		for (j = 0; j < n; j++)
			signal[j] = j == f;
		tw_fft_forward(signal, n, roots);
		for (k = 0; k < n; k++)
			assert_true(cabs(signal[k] - cexp(-2 * M_PI * I *
				(double)(k * f % n) / (double)n)) < 1e-9);
	}
	for (j = 0; j < n; j++) {
		original[j] = (double)unit_between(&random, -1000, 1000) +
			      (double)unit_between(&random, -1000, 1000) * I;
		signal[j] = original[j];
	}
	tw_fft_forward(signal, n, roots);
	tw_fft_inverse(signal, n, roots);
	for (j = 0; j < n; j++)
		assert_true(cabs(signal[j] - original[j]) < 1e-9);
	free(roots);
}
