// SPDX-License-Identifier: GPL-2.0-or-later
/* The load of a session: for all its steps, and in each step. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tw_session.h"
#include "tw_time.h"

#define SETTLE_NS	(200 * TW_NS_PER_MS)

int tw_session_open_load(struct tw_session *session)
{
	const struct tw_config *config = session->config;
	const struct tw_load_params params = tw_config_load_params(config);
	int most = tw_config_workers(config, (int)config->steps - 1);
	int err;

	if (!config->load)
		return 0;
	err = tw_load_open(&session->load, config->load, &params, most,
			   session->load_why);
	return err ? tw_session_fail(session, TW_STEP_LOAD, err) : 0;
}

int tw_session_begin_load(struct tw_session *session, int step, int workers)
{
	const struct timespec settle = tw_ns_to_ts(SETTLE_NS);
	struct tw_load *load = &session->load;
	int err;

	if (!session->config->load)
		return 0;
	err = load->ops->run(load, step, workers);
	if (err) {
		snprintf(session->load_why, sizeof(session->load_why), "%s",
			 load->shared->why);
		return tw_session_fail(session, TW_STEP_LOAD, err);
	}
	/* Until it fills caches and queues as it will throughout. */
	if (workers)
		nanosleep(&settle, NULL);
	return 0;
}

void tw_session_end_load(struct tw_session *session)
{
	char why[TW_LOAD_WHY];
	int err = tw_load_close(&session->load, why);

	if (!err || session->failure.step != TW_STEP_NONE)
		return;
	memcpy(session->load_why, why, sizeof(why));
	tw_session_fail(session, TW_STEP_LOAD, err);
}
