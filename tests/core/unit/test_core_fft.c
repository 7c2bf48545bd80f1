// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>

#include "table.h"
#include "tw_fft.h"

#define POINTS_MAX	1024

static struct sizes {
	const char *name;
	size_t points;
	int err;
} sizes[] = {
	{ "0", 0, -EINVAL }, { "1", 1, -EINVAL }, { "2", 2, 0 },
	{ "3", 3, -EINVAL }, { "4", 4, 0 }, { "8", 8, 0 }, { "12", 12, -EINVAL },
	{ "64", 64, 0 }, { "1024", 1024, 0 },
};

static void same(struct tw_complex a, double re, double im)
{
	assert_true(fabs(a.re - re) < 1e-9 && fabs(a.im - im) < 1e-9);
}

/* Of an impulse at @f, the sum as it is defined; and back. */
static void transforms(void **state)
{
	const struct sizes *size = *state;
	static struct tw_complex signal[POINTS_MAX], original[POINTS_MAX];
	struct tw_fft fft;
	size_t n = size->points, f, j, k;
	uint64_t random = 7;

	assert_int_equal(tw_fft_open(&fft, n), size->err);
	for (f = 0; !size->err && f < n; f += n > 8 ? n / 8 - 1 : 1) {
		/* An impulse at f is a tone. */
		for (j = 0; j < n; j++)
			signal[j] = (struct tw_complex) { j == f, 0 };
		tw_fft_forward(&fft, signal);
		for (k = 0; k < n; k++) {
			double angle = -2 * M_PI * (double)(k * f % n) / (double)n;

			same(signal[k], cos(angle), sin(angle));
		}
	}
	for (j = 0; !size->err && j < n; j++) {
		original[j].re = (double)unit_between(&random, -1000, 1000);
		original[j].im = (double)unit_between(&random, -1000, 1000);
		signal[j] = original[j];
	}
	if (size->err)
		return;
	tw_fft_forward(&fft, signal);
	tw_fft_inverse(&fft, signal);
	for (j = 0; j < n; j++)
		same(signal[j], original[j].re, original[j].im);
	free(fft.roots);
}

int main(void)
{
	return ROWS(sizes, transforms);
}
