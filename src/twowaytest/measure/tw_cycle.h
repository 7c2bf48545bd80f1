/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One cycle: a request and its reply. All results are computed from this
 * record.
 *
 *	planned ..wakeup.. t0 ..send.. t1 ..sleep.. t2 ..receive.. t3
 *
 * All times are in ns on the measuring clock (--clock). The server takes t1 and
 * t2, the client all others.
 */
#ifndef TW_CYCLE_H
#define TW_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

struct tw_cycle {
	uint64_t seq;		/* number of the request, from 1 */
	int64_t planned_ns;	/* when the timer should expire; no timer: t0 */
	int64_t t0_ns;		/* client: before it sends the request */
	int64_t t1_ns;		/* server: after it has read the request */
	int64_t t2_ns;		/* server: after its sleep, before the reply */
	int64_t t3_ns;		/* client: after it has read the reply */
	int64_t prev_t0_ns;	/* t0 before; cycle 1: of the first expiry */
	uint64_t missed;	/* expiries after planned without a cycle */
	int32_t client_cpu;	/* CPU of the client after t3 */
	int32_t server_cpu;	/* CPU of the server after t1 */
	/* Requests of later clients answered between t0 and t1. */
	uint32_t inversions;
};

/* In place of server_cpu: no reply came in time. There are no t1 and t2. */
#define TW_CYCLE_LOST	INT32_MIN

static inline bool tw_cycle_is_lost(const struct tw_cycle *cycle)
{
	return cycle->server_cpu == TW_CYCLE_LOST;
}

#endif /* TW_CYCLE_H */
