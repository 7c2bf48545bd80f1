// SPDX-License-Identifier: GPL-2.0-or-later
/* When -D ends a step of a run. */
#include <stdint.h>
#include <time.h>

#include "base/tw_time.h"
#include "run/tw_session.h"

/*
 * The first measured cycle of @pair, as expected: before it there are the
 * warm-up, and for a timer an expiry that only begins the first interval.
 */
static int64_t expected_ns(const struct tw_session *session,
			   const struct tw_pair *pair, int64_t begin_ns)
{
	int64_t warmup = session->config->warmup;

	if (!pair->task.period_ns)
		return begin_ns + warmup * pair->task.sleep_ns;
	/* The timer's clock may be another one. */
	if (pair->first_ns)
		begin_ns = pair->first_ns - pair->task.period_ns +
			   tw_now_ns(CLOCK_MONOTONIC) -
			   tw_now_ns(session->clock.timer_clockid);
	return begin_ns + (warmup + 1) * pair->task.period_ns;
}

int64_t tw_session_deadline_ns(const struct tw_session *session,
			       int64_t begin_ns)
{
	const struct tw_config *config = session->config;
	int64_t last_ns = 0, own_ns;
	struct tw_pair *pair;
	unsigned int k;

	if (!config->duration_s)
		return INT64_MAX;
	/* Of a client on another host, nothing is known, nor believed. */
	if (!tw_session_has(session, TW_CLIENT))
		return begin_ns + config->duration_s * TW_NS_PER_S;
	/* Of all pairs the last. */
	for (k = 0; (pair = tw_session_pair(session, k)); k++) {
		if (atomic_load_explicit(&pair->steady, memory_order_acquire))
			own_ns = pair->steady_ns;
		else
			own_ns = expected_ns(session, pair, begin_ns);
		if (own_ns > last_ns)
			last_ns = own_ns;
	}
	return last_ns + config->duration_s * TW_NS_PER_S;
}
