/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fast Fourier transform of 2^k complex points, in place: radix-2, decimation
 * in time. It is used as a load, so it is simple and not optimised: cache
 * misses with long signals are welcome.
 */
#ifndef TW_FFT_H
#define TW_FFT_H

#include <stddef.h>

struct tw_complex {
	double re;
	double im;
};

struct tw_fft {
	size_t points;			/* a power of two */
	/* exp(-2 pi i k / points), k < points / 2 */
	struct tw_complex *roots;
};

/*
 * @points: a power of two, 2 or more. Returns 0, -EINVAL or -ENOMEM. The roots
 * are freed with the process.
 */
int tw_fft_open(struct tw_fft *fft, size_t points);

/* X[k] = sum over j of x[j] exp(-2 pi i j k / points) */
void tw_fft_forward(const struct tw_fft *fft, struct tw_complex *signal);

/*
 * The inverse: x[j] = 1 / points * sum over k of X[k] exp(2 pi i j k / points)
 */
void tw_fft_inverse(const struct tw_fft *fft, struct tw_complex *signal);

#endif /* TW_FFT_H */
