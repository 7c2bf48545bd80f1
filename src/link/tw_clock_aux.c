// SPDX-License-Identifier: GPL-2.0-or-later
/* The auxiliary clocks of Linux 6.17 and later, CLOCK_AUX. */
#include <stdio.h>

#include "tw_clock_aux.h"
#include "tw_clocks.h"
#include "tw_say.h"
#include "tw_time.h"

#define FIRST	16	/* CLOCK_AUX */

static clockid_t chosen;	/* a program has one of them */

static int64_t aux_ns(void)
{
	return tw_now_ns(chosen);
}

const struct tw_clock tw_clock_aux[8] = {
	{ "aux0", aux_ns, true, true },
	{ "aux1", aux_ns, true, true },
	{ "aux2", aux_ns, true, true },
	{ "aux3", aux_ns, true, true },
	{ "aux4", aux_ns, true, true },
	{ "aux5", aux_ns, true, true },
	{ "aux6", aux_ns, true, true },
	{ "aux7", aux_ns, true, true },
};

void tw_clock_aux_open(const struct tw_clock *clock)
{
	struct timespec now;
	int number;

	if (sscanf(clock->name, "aux%d", &number) != 1)
		return;
	chosen = FIRST + number;
	if (clock_gettime(chosen, &now))
		tw_say_fatal("--clock=%s: %m; needed is a kernel with CONFIG_POSIX_AUX_CLOCKS, and 1 in /sys/kernel/time/aux_clocks/%d/aux_clock_enable\n",
			     clock->name, number);
}
