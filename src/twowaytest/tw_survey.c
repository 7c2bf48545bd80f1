// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "tw_survey.h"

static void fill_params(struct tw_environ_params *params,
			const struct tw_config *config, bool holds_latency)
{
	int most = tw_config_workers(config, (int)config->steps - 1);
	bool client = tw_config_cpus(config, TW_CLIENT, 0, &params->client);
	bool server = tw_config_cpus(config, TW_SERVER, 0, &params->server);

	params->pinned = client && server;
	params->realtime = tw_config_is_realtime(config->policy);
	params->timer_prio = config->timer->softirq ?
			     tw_config_priority(config, TW_CLIENT) : 0;
	params->rt_load = (config->rt_runtime_us == TW_KEEP ||
			   config->rt_runtime_us > 0) &&
			  tw_config_may_throttle(config, most);
	params->latency_us = holds_latency ? config->latency_us : -1;
}

void tw_survey_make(struct tw_survey *survey, const struct tw_config *config,
		    bool holds_latency)
{
	fill_params(&survey->params, config, holds_latency);
	tw_environ_read(&survey->environ, "", &survey->params);
	survey->count = tw_check(&survey->environ, &survey->params,
				 survey->findings);
}
