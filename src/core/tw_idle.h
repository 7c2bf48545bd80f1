/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Idle states of CPUs, as /dev/cpu_dma_latency limits them. */
#ifndef TW_IDLE_H
#define TW_IDLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Until this program ends, and children that have its files open: no idle state
 * that takes longer to leave. false: refused, after a warning.
 */
bool tw_idle_limit(int32_t limit_us);

#endif /* TW_IDLE_H */
