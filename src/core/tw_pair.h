/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pair's memory and processes. Called by main. */
#ifndef TW_PAIR_H
#define TW_PAIR_H

#include "tw_run.h"

/* Of all pairs. Returns 0, or -errno after a message. */
int tw_pair_map_all(struct tw_run *run);

/*
 * Connects and starts client and server, which wait for the end of run->go.
 * Returns 0, or -errno after a message.
 */
int tw_pair_start(struct tw_run *run, int number);

#endif /* TW_PAIR_H */
