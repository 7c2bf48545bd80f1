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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/tw_fft.h"
#include "base/tw_time.h"
#include "load/tw_load.h"

#define POINTS		65536
#define TOLERANCE	1e-9	/* of a signal within -1..1; 1e-15 is usual */
#define WAKE_SIGNAL	(SIGRTMIN + 2)
#define END_SIGNAL	(SIGRTMIN + 3)
#define END_MS		500	/* then it is killed */
#define CHUNK		1024	/* lines written between looks for the end */

struct worker {
	struct tw_load_slot *slot;
	struct tw_fft fft;
	struct tw_complex *signal;
	struct tw_complex *original;
	sigset_t signals;
};

/* A scratch file that has no name, so that no end can leave it behind. */
static FILE *open_scratch(void)
{
	const char *dir = getenv("TMPDIR");
	char name[512];
	FILE *file;
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0) {
		snprintf(name, sizeof(name), "%s/twowaytest.XXXXXX", dir);
		fd = mkostemp(name, O_CLOEXEC);
		if (fd < 0)
			return NULL;
		unlink(name);
	}
	file = fdopen(fd, "w");
	if (!file)
		close(fd);
	return file;
}

static bool told_to_end(const struct worker *worker)
{
	const struct timespec now = { .tv_sec = 0 };

	return sigtimedwait(&worker->signals, NULL, &now) == END_SIGNAL;
}

/* Writes the signal as text: true if told to end meanwhile. */
static bool write_signal(const struct worker *worker, FILE *file)
{
	int i;

	for (i = 0; i < POINTS; i++) {
		if (i % CHUNK == 0 && told_to_end(worker))
			return true;
		fprintf(file, "%.17g %.17g\n", worker->signal[i].re,
			worker->signal[i].im);
	}
	return false;
}

static bool came_back(const struct worker *worker)
{
	int i;

	for (i = 0; i < POINTS; i++)
		if (!(fabs(worker->signal[i].re - worker->original[i].re) <
		      TOLERANCE) ||
		    !(fabs(worker->signal[i].im - worker->original[i].im) <
		      TOLERANCE))
			return false;
	return true;
}

static void fill(struct worker *worker)
{
	unsigned short seed[3] = { worker->slot->done, 0x330e, getpid() };
	int i;

	for (i = 0; i < POINTS; i++) {
		worker->original[i].re = 2 * erand48(seed) - 1;
		worker->original[i].im = 2 * erand48(seed) - 1;
	}
}

/* One piece of work: 0, -ECANCELED if told to end, or -errno. */
static int work(struct worker *worker)
{
	int64_t begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	FILE *file = open_scratch();
	bool ended;

	if (!file)
		return -errno;
	fill(worker);
	memcpy(worker->signal, worker->original,
	       POINTS * sizeof(*worker->signal));
	tw_fft_forward(&worker->fft, worker->signal);
	tw_fft_inverse(&worker->fft, worker->signal);
	if (!came_back(worker))
		worker->slot->errors++;
	ended = write_signal(worker, file);
	/* A full disk is no fault of the load's: it has made its calls. */
	fclose(file);
	if (ended)
		return -ECANCELED;
	worker->slot->done++;
	worker->slot->busy_ns += tw_now_ns(CLOCK_MONOTONIC) - begin_ns;
	sched_yield();
	return told_to_end(worker) ? -ECANCELED : 0;
}

static int open_worker(struct worker *worker)
{
	worker->signal = calloc(POINTS, sizeof(*worker->signal));
	worker->original = calloc(POINTS, sizeof(*worker->original));
	if (!worker->signal || !worker->original)
		return -ENOMEM;
	return tw_fft_open(&worker->fft, POINTS);
}

/* What a worker is started with. */
struct self {
	struct tw_load *load;
	int index;
};

static int live(void *arg)
{
	const struct self *self = arg;
	struct worker worker = {
		.slot = &self->load->shared->slots[self->index],
	};
	sigset_t stop;
	int err, signal;

	/* What stops client and server, as a terminal does, stops it, too. */
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &stop, NULL);
	err = open_worker(&worker);
	if (!err)
		err = tw_load_settle(self->load, self->index);
	if (err)
		return err;
	sigemptyset(&worker.signals);
	sigaddset(&worker.signals, WAKE_SIGNAL);
	sigaddset(&worker.signals, END_SIGNAL);
	err = tw_child_ready();
	if (err)
		return err;

	do {
		signal = sigwaitinfo(&worker.signals, NULL);
	} while (signal < 0 && errno == EINTR);
	while (signal == WAKE_SIGNAL && !err)
		err = work(&worker);
	err = err == -ECANCELED ? 0 : err;
	self->load->shared->err = err;
	return err;
}

static int fft_probe(struct tw_load *load)
{
	FILE *file = open_scratch();

	if (!file) {
		snprintf(load->shared->why, TW_LOAD_WHY,
			 "cannot make a scratch file in %s ($TMPDIR): %s",
			 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
			 strerror(errno));
		return -EACCES;
	}
	fclose(file);
	return 0;
}

static void tell(struct tw_load *load, int index, const char *did)
{
	const struct tw_child *child = &load->shared->slots[index].child;
	char what[200];

	tw_child_tell(child, did, what, sizeof(what));
	if (*what)
		snprintf(load->shared->why, TW_LOAD_WHY,
			 "worker %d (pid %d) %s", index, (int)child->pid, what);
}

static int start_worker(struct tw_load *load, int index)
{
	struct self self = { load, index };
	const struct tw_child_how how = {
		.name = "twoway-fft", .death_signal = SIGKILL,
		.live = live, .arg = &self,
	};
	struct tw_child *child = &load->shared->slots[index].child;
	int err = tw_child_start(child, &how, TW_CHILD_READY_MS);

	load->prepared = index + 1;
	if (err)
		tell(load, index, "was not ready in time");
	return err;
}

static int fft_prepare(struct tw_load *load, int most)
{
	int i, err = 0;

	for (i = 0; !err && i < most; i++)
		err = start_worker(load, i);
	return err;
}

static int fft_run(struct tw_load *load, int step, int count)
{
	const union sigval value = { .sival_int = step };

	for (; load->count < count; load->count++)
		if (sigqueue(load->shared->slots[load->count].child.pid,
			     WAKE_SIGNAL, value))
			return -errno;
	return 0;
}

static bool fft_died(struct tw_load *load)
{
	struct tw_child *child;
	int i;

	for (i = 0; i < load->prepared && !load->dead; i++) {
		child = &load->shared->slots[i].child;
		if (tw_child_reap(child))
			load->dead = child;
	}
	return load->dead;
}

static int fft_stop(struct tw_load *load)
{
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + END_MS * TW_NS_PER_MS;
	struct tw_child *child;
	int i, err = 0;

	for (i = 0; i < load->prepared; i++) {
		child = &load->shared->slots[i].child;
		if (!tw_child_reap(child))
			kill(child->pid, END_SIGNAL);
	}
	for (i = 0; i < load->prepared; i++) {
		int64_t left_ns = end_ns - tw_now_ns(CLOCK_MONOTONIC);

		child = &load->shared->slots[i].child;
		if (tw_child_stop(child, END_SIGNAL, left_ns > 0 ?
				  (int)(left_ns / TW_NS_PER_MS) : 0) != -EBUSY)
			continue;
		err = -EBUSY;
		tell(load, i, "did not end");
	}
	return err;
}

const struct tw_load_ops tw_load_fft = {
	"fft", "worker", "workers", "transforms", 1,
	.usage = "fft[:WORKERS]", .realtime = true, .own = true,
	.probe = fft_probe, .prepare = fft_prepare, .run = fft_run,
	.died = fft_died, .stop = fft_stop
};
