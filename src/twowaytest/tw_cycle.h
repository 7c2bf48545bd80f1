/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One request and its answer: the one record that all results come from.
 *
 *	planned ..wakeup.. t0 ..send.. t1 ..sleep.. t2 ..receive.. t3
 *
 * All times are on the measuring clock (--clock).
 */
#ifndef TW_CYCLE_H
#define TW_CYCLE_H

#include <stdint.h>

struct tw_cycle {
	uint64_t seq;		/* of the request: 1, 2, ... warm-up included */
	int64_t planned_ns;	/* when the timer was to expire; t0 if none */
	int64_t t0_ns;		/* client awake, about to send */
	int64_t t1_ns;		/* server has read the request */
	int64_t t2_ns;		/* server has slept, about to reply */
	int64_t t3_ns;		/* client has read the reply */
	int64_t prev_t0_ns;	/* t0 of the cycle (or priming expiry) before */
	uint64_t missed;	/* expiries after planned that got no cycle */
	int32_t client_cpu;	/* where it was at t3 */
	int32_t server_cpu;	/* where it was at t1 */
};

#endif /* TW_CYCLE_H */
