/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel's stamps cost in the path of a message. It is only reported;
 * no result is corrected by it.
 */
#ifndef TW_STAMPS_COST_H
#define TW_STAMPS_COST_H

#include "base/tw_clock.h"
#include "measure/tw_stamped.h"
#include "measure/tw_transport.h"

/*
 * Called by main, before the processes start: 400 times, passes a small message
 * from the client's end to the server's and one back, in some ms, and adds the
 * times of the last 200 to *row. One process does both, so nobody is woken.
 * What the error queues have is read between them. Returns 0 or -errno; then a
 * message may be left.
 */
int tw_stamps_cost(const struct tw_link *link, const struct tw_clock *clock,
		   struct tw_stamped_row *row);

#endif /* TW_STAMPS_COST_H */
