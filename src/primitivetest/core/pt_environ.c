// SPDX-License-Identifier: GPL-2.0-or-later
/* What the checks of --check want to know of the settings. */
#include "check/tw_environ.h"
#include "core/pt_session.h"

void pt_environ_params(const struct tw_run *run,
		       struct tw_environ_params *params)
{
	*params = (struct tw_environ_params) {
		.client = pt_config->same_cpus,
		.server = pt_config->cpus & PT_ON_CROSS ?
			  pt_config->other_cpus : pt_config->same_cpus,
		.pinned = true,
		.realtime = pt_config->priority,
		/* Its POSIX timers expire in a softirq. */
		.timer_prio = (int)pt_config->priority,
		.latency_us = tw_latency_us(run),
	};
}
