/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Idle states of CPUs, as /dev/cpu_dma_latency limits them. */
#ifndef TW_IDLE_H
#define TW_IDLE_H

#include <stdbool.h>
#include <stdint.h>

/* What was asked for; -1: no latency was given, or somebody else has set it. */
extern struct tw_idle {
	bool untouched;		/* --default-system */
	int64_t latency_us;
} tw_idle;

/*
 * Until this program ends, and children that have its files open: no idle state
 * that takes longer to leave. false: refused, after a warning.
 */
bool tw_idle_limit(int32_t limit_us);

#endif /* TW_IDLE_H */
