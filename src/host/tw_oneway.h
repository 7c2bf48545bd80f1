/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --oneway=sync: send and receive between hosts whose clocks agree. */
#ifndef TW_ONEWAY_H
#define TW_ONEWAY_H

#include <stdbool.h>

#include "tw_metric.h"

struct tw_run;

/* Whether it was asked for. Called by main. */
bool tw_oneway_chosen(void);

/*
 * Whether a limit on metric @id of a pair cannot be decided, as fewer than half
 * of its cycles are proven. Called by main.
 */
bool tw_oneway_doubts(const struct tw_run *run, int pair, enum tw_metric_id id);

#endif /* TW_ONEWAY_H */
