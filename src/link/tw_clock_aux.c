// SPDX-License-Identifier: GPL-2.0-or-later
/* The auxiliary clocks of Linux 6.17 and later, CLOCK_AUX. */
#include <stdio.h>

#include "rt-error.h"
#include "tw_clocks.h"
#include "tw_time.h"

#define FIRST	16	/* CLOCK_AUX */

#define READ(number) \
	static int64_t aux##number##_ns(void) \
	{ \
		return tw_now_ns(FIRST + number); \
	}

READ(0)
READ(1)
READ(2)
READ(3)
READ(4)
READ(5)
READ(6)
READ(7)

const struct tw_clock tw_clock_aux0 = { "aux0", aux0_ns, CLOCK_MONOTONIC };
const struct tw_clock tw_clock_aux1 = { "aux1", aux1_ns, CLOCK_MONOTONIC };
const struct tw_clock tw_clock_aux2 = { "aux2", aux2_ns, CLOCK_MONOTONIC };
const struct tw_clock tw_clock_aux3 = { "aux3", aux3_ns, CLOCK_MONOTONIC };
const struct tw_clock tw_clock_aux4 = { "aux4", aux4_ns, CLOCK_MONOTONIC };
const struct tw_clock tw_clock_aux5 = { "aux5", aux5_ns, CLOCK_MONOTONIC };
const struct tw_clock tw_clock_aux6 = { "aux6", aux6_ns, CLOCK_MONOTONIC };
const struct tw_clock tw_clock_aux7 = { "aux7", aux7_ns, CLOCK_MONOTONIC };

void tw_clock_open_aux(const struct tw_clock *clock)
{
	struct timespec now;
	int number;

	if (sscanf(clock->name, "aux%d", &number) == 1 &&
	    clock_gettime(FIRST + number, &now))
		fatal("--clock=%s: %m; needed is a kernel with CONFIG_POSIX_AUX_CLOCKS, and 1 in /sys/kernel/time/aux_clocks/%d/aux_clock_enable\n",
		      clock->name, number);
}
