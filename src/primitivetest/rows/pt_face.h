/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks that are measured themselves. They are not the one that takes the
 * timestamps, which the user chooses (-c).
 */
#ifndef PT_FACE_H
#define PT_FACE_H

#include "core/pt_case.h"

struct pt_face;

struct pt_face_ops {
	clockid_t clockid;
	int64_t (*read_ns)(const struct pt_face *face);
	/*
	 * Stores told_ns. Returns 0 or -errno; NULL: clock_getres() says both.
	 */
	int (*open)(struct pt_face *face);
	bool settable;		/* somebody may set it back */
};

struct pt_face {
	const struct pt_face_ops *ops;
	int64_t told_ns;	/* its resolution, as the system tells it */
	struct tw_clock counter;
};

extern const struct pt_face_ops pt_face_gettimeofday, pt_face_times;
extern const struct pt_face_ops pt_face_realtime, pt_face_monotonic;
extern const struct pt_face_ops pt_face_monotonic_raw, pt_face_boottime;
extern const struct pt_face_ops pt_face_tai, pt_face_realtime_coarse;
extern const struct pt_face_ops pt_face_monotonic_coarse;
extern const struct pt_face_ops pt_face_process_cpu, pt_face_thread_cpu;
extern const struct pt_face_ops pt_face_realtime_alarm;
extern const struct pt_face_ops pt_face_boottime_alarm;
extern const struct pt_face_ops pt_face_syscall;	/* of monotonic */
extern const struct pt_face_ops pt_face_tsc;

/*
 * For open(): prepares the clock of the case's kind. Takes 50 ms for tsc.
 * Returns 0, or -ENOTSUP after pt_refuse().
 */
int pt_face_open(struct pt_face *face, struct pt_case *c);

static inline int64_t pt_face_read(const struct pt_face *face)
{
	return face->ops->read_ns(face);
}

#endif /* PT_FACE_H */
