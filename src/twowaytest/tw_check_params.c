// SPDX-License-Identifier: GPL-2.0-or-later
/* What the checks of --check want to know of the settings. */
#include "load/tw_part_load.h"
#include "run/tw_session.h"
#include "tw_check_params.h"

void tw_check_params(const struct tw_run *run,
		     struct tw_environ_params *params)
{
	const struct tw_config *config = tw_session(run)->config;
	bool client, server;

	*params = (struct tw_environ_params) {
		.realtime = tw_config_is_realtime(config->policy),
		.timer_prio = config->timer->softirq ?
			      tw_config_priority(config, TW_CLIENT, 0) : 0,
		.rt_load = tw_throttle_expected(run),
		.latency_us = tw_latency_us(run),
	};
	client = tw_config_all_cpus(config, TW_CLIENT, &params->client);
	server = tw_config_all_cpus(config, TW_SERVER, &params->server);
	params->pinned = client && server;
}
