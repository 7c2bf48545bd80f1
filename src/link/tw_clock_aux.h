/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_CLOCK_AUX_H
#define TW_CLOCK_AUX_H

#include "tw_clock.h"

/* Called by main: ends the program if @clock is an auxiliary one, and not there. */
void tw_clock_aux_open(const struct tw_clock *clock);

#endif /* TW_CLOCK_AUX_H */
