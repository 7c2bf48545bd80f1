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
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tw_fft.h"
#include "tw_load.h"

#define POINTS		65536
#define TOLERANCE	1e-9	/* of a signal within -1..1; 1e-15 is usual */

/* A scratch file without a name, so that no end can leave it behind. */
static FILE *open_scratch(void)
{
	const char *dir = getenv("TMPDIR");
	FILE *file;
	int fd;

	fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC,
		  0600);
	if (fd < 0)
		return tmpfile();
	file = fdopen(fd, "w");
	if (!file)
		close(fd);
	return file;
}

static void fill(struct tw_complex *signal, uint64_t number)
{
	unsigned short seed[3] = { number, 0x330e, getpid() };
	int i;

	for (i = 0; i < POINTS; i++) {
		signal[i].re = 2 * erand48(seed) - 1;
		signal[i].im = 2 * erand48(seed) - 1;
	}
}

static int came_back(const struct tw_complex *signal,
		     const struct tw_complex *original)
{
	int i;

	for (i = 0; i < POINTS; i++)
		if (!(fabs(signal[i].re - original[i].re) < TOLERANCE) ||
		    !(fabs(signal[i].im - original[i].im) < TOLERANCE))
			return 0;
	return 1;
}

static int work(struct tw_load *load, const struct tw_fft *fft,
		struct tw_complex *signal, struct tw_complex *original)
{
	FILE *file = open_scratch();
	int i;

	if (!file)
		return -errno;
	fill(original, load->count);
	memcpy(signal, original, POINTS * sizeof(*signal));
	tw_fft_forward(fft, signal);
	tw_fft_inverse(fft, signal);
	if (!came_back(signal, original))
		load->errors++;
	for (i = 0; i < POINTS; i++)
		fprintf(file, "%.17g %.17g\n", signal[i].re, signal[i].im);
	fclose(file);
	load->count++;
	return 0;
}

static int fft_live(struct tw_load *load)
{
	struct tw_complex *signal = calloc(POINTS, sizeof(*signal));
	struct tw_complex *original = calloc(POINTS, sizeof(*original));
	struct tw_fft fft;
	int err;

	if (!signal || !original)
		return -ENOMEM;
	err = tw_fft_open(&fft, POINTS);
	while (!err)
		err = work(load, &fft, signal, original);
	return err;
}

static uint64_t fft_done(const struct tw_load *load)
{
	return load->count;
}

const struct tw_load_ops tw_load_fft = {
	.name = "fft", .unit = "workers", .work = "transforms", .usual = 1,
	.realtime = true, .live = fft_live, .done = fft_done,
};
