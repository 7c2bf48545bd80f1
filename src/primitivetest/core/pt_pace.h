/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -i: a timer paces the trials of the task that leads. */
#ifndef PT_PACE_H
#define PT_PACE_H

#include "core/pt_case.h"

struct pt_pace {
	struct pt_case *in;
	int64_t period_ns;	/* 0: not paced */
	int64_t next_ns;	/* CLOCK_MONOTONIC */
};

void pt_pace_start(struct pt_pace *pace, const struct pt_task *task);

/* Returns at the next expiry; if that has passed, at the one after it. */
void pt_pace_wait(struct pt_pace *pace);

#endif /* PT_PACE_H */
