// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load "fft": each worker transforms a signal, transforms it back, and writes
 * it to a file. This causes cache misses, use of floating-point registers,
 * system calls and file writes. Each result is compared with the original
 * signal: a difference would mean that the kernel had corrupted the registers
 * of a preempted task.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tw_fft.h"
#include "tw_load.h"
#include "tw_say.h"

#define USUAL		"/tmp"	/* where its file is */
#define POINTS		65536
#define TOLERANCE	1e-9	/* of a signal within -1..1; 1e-15 is usual */

static const char *directory(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : USUAL;
}

/* A scratch file without a name, so that no end can leave it behind. */
static FILE *open_scratch(void)
{
	const char *dir = directory();
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fdopen(fd, "w") : strcmp(dir, USUAL) ? NULL : tmpfile();
}

static int work(struct tw_load *load, double complex *signal,
		double complex *original, const double complex *roots)
{
	FILE *file = open_scratch();
	bool same = true;
	int i, err = 0;

	if (!file)
		return -errno;
	for (i = 0; i < POINTS; i++)
		original[i] = 2 * drand48() - 1 + (2 * drand48() - 1) * I;
	memcpy(signal, original, POINTS * sizeof(*signal));
	tw_fft_forward(signal, POINTS, roots);
	tw_fft_inverse(signal, POINTS, roots);
	for (i = 0; i < POINTS; i++) {
		/* Not so is also what is not a number. */
		same &= cabs(signal[i] - original[i]) < TOLERANCE;
		if (!err && fprintf(file, "%.17g %.17g\n", creal(signal[i]),
				    cimag(signal[i])) < 0)
			err = -errno;
	}
	if (fclose(file) && !err)
		err = -errno;
	load->errors += !same;
	load->count += !err;
	return err;
}

static int fft_live(struct tw_load *load)
{
	double complex *signal = calloc(POINTS, sizeof(*signal));
	double complex *original = calloc(POINTS, sizeof(*original));
	double complex *roots = tw_fft_roots(POINTS);
	int err = signal && original && roots ? 0 : -ENOMEM;

	if (err)
		return err;
	srand48(getpid());
	while (!err)
		err = work(load, signal, original, roots);
	tw_say_warn("--load=fft: %s: cannot be written: %s; TMPDIR may name another directory, with room for 4 MB for each worker\n",
		    directory(), strerror(-err));
	return err;
}

static uint64_t fft_done(const struct tw_load *load)
{
	return load->count;
}

const struct tw_load_ops tw_load_fft = {
	.name = "fft", .unit = "workers", .one = "worker", .work = "transforms",
	.usual = 1, .parse = tw_load_units, .live = fft_live, .done = fft_done,
};
