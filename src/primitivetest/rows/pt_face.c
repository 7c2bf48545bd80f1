// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "rows/pt_face.h"

static int64_t read_kernel(const struct pt_face *face)
{
	return tw_now_ns(face->ops->clockid);
}

static int64_t read_gettimeofday(const struct pt_face *face)
{
	struct timeval now;

	(void)face;
	gettimeofday(&now, NULL);
	return now.tv_sec * TW_NS_PER_S + now.tv_usec * TW_NS_PER_US;
}

static int64_t read_times(const struct pt_face *face)
{
	struct tms now;

	return times(&now) * face->told_ns;
}

/* The kernel's own struct timespec, whatever the C library's is. */
#ifdef SYS_clock_gettime
#define SYS_READ	SYS_clock_gettime
struct time { long s, ns; };
#else
#define SYS_READ	SYS_clock_gettime64
struct time { int64_t s, ns; };
#endif

/* Enters the kernel, as clock_gettime() of the vDSO does not. */
static int64_t read_syscall(const struct pt_face *face)
{
	struct time now = { 0, 0 };

	syscall(SYS_READ, face->ops->clockid, &now);
	return now.s * TW_NS_PER_S + now.ns;
}

static int64_t read_tsc(const struct pt_face *face)
{
	return face->counter.read_ns(&face->counter);
}

static int open_gettimeofday(struct pt_face *face)
{
	face->told_ns = TW_NS_PER_US;
	return 0;
}

static int open_times(struct pt_face *face)
{
	face->told_ns = TW_NS_PER_S / sysconf(_SC_CLK_TCK);
	return 0;
}

/* A tick is less than what can be told in whole nanoseconds. */
static int open_tsc(struct pt_face *face)
{
	face->told_ns = 1;
	return tw_clock_open(&face->counter, "tsc");
}

static int open_kernel(struct pt_face *face)
{
	struct timespec told, now;

	if (clock_getres(face->ops->clockid, &told) ||
	    clock_gettime(face->ops->clockid, &now))
		return -errno;
	face->told_ns = tw_ts_to_ns(&told);
	return 0;
}

int pt_face_open(struct pt_face *face, struct pt_case *c)
{
	int err;

	face->ops = c->choice.kind->ops;
	err = face->ops->open ? face->ops->open(face) : open_kernel(face);
	return err ? pt_refuse(c, -ENOTSUP, "the system cannot read this clock: %s",
			       strerror(-err)) : 0;
}

#define KERNEL(name, id, settable) \
	const struct pt_face_ops pt_face_##name = { \
		id, read_kernel, NULL, settable, \
	}

KERNEL(realtime, CLOCK_REALTIME, true);
KERNEL(monotonic, CLOCK_MONOTONIC, false);
KERNEL(monotonic_raw, CLOCK_MONOTONIC_RAW, false);
KERNEL(boottime, CLOCK_BOOTTIME, false);
KERNEL(tai, CLOCK_TAI, true);
KERNEL(realtime_coarse, CLOCK_REALTIME_COARSE, true);
KERNEL(monotonic_coarse, CLOCK_MONOTONIC_COARSE, false);
KERNEL(process_cpu, CLOCK_PROCESS_CPUTIME_ID, false);
KERNEL(thread_cpu, CLOCK_THREAD_CPUTIME_ID, false);
KERNEL(realtime_alarm, CLOCK_REALTIME_ALARM, true);
KERNEL(boottime_alarm, CLOCK_BOOTTIME_ALARM, false);

const struct pt_face_ops pt_face_gettimeofday = {
	CLOCK_REALTIME, read_gettimeofday, open_gettimeofday, true,
};

const struct pt_face_ops pt_face_times = {
	CLOCK_MONOTONIC, read_times, open_times, false,
};

const struct pt_face_ops pt_face_syscall = {
	CLOCK_MONOTONIC, read_syscall, NULL, false,
};

const struct pt_face_ops pt_face_tsc = {
	CLOCK_MONOTONIC, read_tsc, open_tsc, false,
};
