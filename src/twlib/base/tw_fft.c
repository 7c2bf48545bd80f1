// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/tw_fft.h"

int tw_fft_open(struct tw_fft *fft, size_t points)
{
	size_t k;

	if (points < 2 || (points & (points - 1)))
		return -EINVAL;
	fft->points = points;
	fft->roots = malloc(points / 2 * sizeof(*fft->roots));
	if (!fft->roots)
		return -ENOMEM;
	/* Each from its angle: products of roots would gather errors. */
	for (k = 0; k < points / 2; k++) {
		double angle = -2 * M_PI * (double)k / (double)points;

		fft->roots[k].re = cos(angle);
		fft->roots[k].im = sin(angle);
	}
	return 0;
}

static void swap(struct tw_complex *a, struct tw_complex *b)
{
	struct tw_complex c = *a;

	*a = *b;
	*b = c;
}

/* Point j goes to where j's bits, read backwards, say. */
static void reverse_bits(struct tw_complex *signal, size_t points)
{
	size_t j, bit, reversed = 0;

	for (j = 1; j < points; j++) {
		/* Adds one at the top, carrying downwards. */
		for (bit = points / 2; reversed & bit; bit /= 2)
			reversed ^= bit;
		reversed ^= bit;
		if (j < reversed)
			swap(&signal[j], &signal[reversed]);
	}
}

static void butterfly(struct tw_complex *a, struct tw_complex *b,
		      struct tw_complex root)
{
	struct tw_complex turned = {
		.re = b->re * root.re - b->im * root.im,
		.im = b->re * root.im + b->im * root.re,
	};

	b->re = a->re - turned.re;
	b->im = a->im - turned.im;
	a->re += turned.re;
	a->im += turned.im;
}

void tw_fft_forward(const struct tw_fft *fft, struct tw_complex *signal)
{
	size_t half, block, k, stride;

	reverse_bits(signal, fft->points);
	for (half = 1; half < fft->points; half *= 2) {
		stride = fft->points / (2 * half);
		for (block = 0; block < fft->points; block += 2 * half)
			for (k = 0; k < half; k++)
				butterfly(&signal[block + k],
					  &signal[block + k + half],
					  fft->roots[k * stride]);
	}
}

/* With re and im exchanged, forward is the inverse but for its scale. */
static void exchange(const struct tw_fft *fft, struct tw_complex *signal,
		     double scale)
{
	size_t j;

	for (j = 0; j < fft->points; j++) {
		double re = signal[j].re;

		signal[j].re = signal[j].im * scale;
		signal[j].im = re * scale;
	}
}

void tw_fft_inverse(const struct tw_fft *fft, struct tw_complex *signal)
{
	exchange(fft, signal, 1.0);
	tw_fft_forward(fft, signal);
	exchange(fft, signal, 1.0 / (double)fft->points);
}
