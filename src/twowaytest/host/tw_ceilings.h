/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits that the operator of a server's host sets. Pure function. */
#ifndef TW_CEILINGS_H
#define TW_CEILINGS_H

#include "host/tw_serve.h"

/*
 * Returns 0, and in *granted what is given, with priority and policy lower than
 * asked for only if the client accepts that; or -EPERM, and in @why what is too
 * much, what is allowed, and the option of the server that says so.
 */
int tw_ceilings_check(const struct tw_ceilings *ceilings,
		      const struct tw_asked *asked,
		      struct tw_granted *granted, char why[TW_REFUSAL_TEXT]);

/*
 * The shortest time in ns that @burst requests of pair @pair may take: timers
 * send as they asked, and closed loops share the rest of what is allowed.
 * Called after tw_ceilings_check() has returned 0.
 */
int64_t tw_ceilings_burst_ns(const struct tw_ceilings *ceilings,
			     const struct tw_asked *asked, unsigned int pair,
			     int64_t burst);

#endif /* TW_CEILINGS_H */
