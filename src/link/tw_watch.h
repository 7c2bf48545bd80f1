/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks that jump: all but CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW can be set,
 * or go on while the system is suspended. What spans that is left out.
 */
#ifndef TW_WATCH_H
#define TW_WATCH_H

#include "tw_clock.h"

/*
 * Looks at the clock once more, see struct tw_watch; one that ran on at its own
 * rate, or was steered to another, was not set. Any process; takes less than a
 * microsecond, and no system call where reading the clocks takes none.
 */
void tw_watch_look(struct tw_watch *watch, const struct tw_clock *clock);

#endif /* TW_WATCH_H */
