/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPUs a process runs on. Called by main. */
#ifndef TW_PLACE_H
#define TW_PLACE_H

#include "tw_config.h"

#define TW_PLACE_ALL	(-1)	/* a load that is one process */

/* Called first: reads which CPUs this program may use. */
void tw_place_open(void);

/*
 * The CPUs of the process @number of a role: of the pair @number, or of the
 * worker @number of a load. Without -a: all that this program may use.
 */
void tw_place(enum tw_role role, int number, cpu_set_t *cpus);

/* The number of CPUs that this program may use. */
int tw_place_count(void);

/* Whether -a was given. */
bool tw_place_chosen(void);

/* The one CPU of a set; -1: it has several. */
int tw_place_single(const cpu_set_t *cpus);

#endif /* TW_PLACE_H */
