/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runs for which made-up systems are judged. */
#ifndef CHECK_RUN_H
#define CHECK_RUN_H

#include "tree.h"
#include "check/tw_check.h"

/* How the run differs from the usual one of usual_params(). */
enum {
	ORDINARY = 1, UNPINNED = 2, LOADED = 4, HELD_0 = 8, HELD_50 = 16,
	ON_0_AND_3 = 32, ON_0 = 64, NANOSLEEP = 128, SERVER_ON_2_AND_4 = 256,
};

static inline struct tw_environ_params run_params(unsigned int run)
{
	struct tw_environ_params params = usual_params();

	params.realtime = !(run & ORDINARY);
	params.pinned = !(run & UNPINNED);
	params.rt_load = run & LOADED;
	if (run & (HELD_0 | HELD_50))
		params.latency_us = run & HELD_0 ? 0 : 50;
	if (run & (ORDINARY | NANOSLEEP))
		params.timer_prio = 0;
	if (run & (ON_0_AND_3 | ON_0))
		params.server = one_cpu(0);
	if (run & ON_0)
		params.client = one_cpu(0);
	if (run & SERVER_ON_2_AND_4)
		CPU_SET(4, &params.server);
	return params;
}

#endif /* CHECK_RUN_H */
