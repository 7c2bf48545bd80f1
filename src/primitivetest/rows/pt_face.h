/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks that are measured themselves, by rows of a table. They are not the one
 * that takes the timestamps, which the user chooses (-c).
 */
#ifndef PT_FACE_H
#define PT_FACE_H

#include "pt_record.h"

struct pt_face {
	int64_t (*read_ns)(const struct pt_face *face);
	clockid_t clockid;
	/* Its resolution, as the system tells it; NULL: clock_getres(). */
	int64_t (*told_ns)(void);
	bool settable;		/* somebody may set it back */
};

int64_t pt_face_kernel(const struct pt_face *face);
int64_t pt_face_syscall(const struct pt_face *face);	/* not the vDSO's */
int64_t pt_face_tsc(const struct pt_face *face);

/*
 * For open(): tries the clock of the case's kind, and stores what resolution
 * the system tells. Takes 50 ms for tsc. Returns 0, or -ENOTSUP after
 * pt_refuse().
 */
int pt_face_open(struct pt_case *c, int64_t *told_ns);

#endif /* PT_FACE_H */
