/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PT_RUN_H
#define PT_RUN_H

#include "tw_run.h"

/* Shared memory of tw_part_throttle; NULL: without -p. */
extern void *pt_throttle_room;

#endif /* PT_RUN_H */
