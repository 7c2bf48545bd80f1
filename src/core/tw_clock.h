/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clocks that the timestamps can be taken from. */
#ifndef TW_CLOCK_H
#define TW_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct tw_clock {
	const char *name;
	/* The time in ns; any process. Part of the measured time. */
	int64_t (*now_ns)(void);
	bool can_jump;		/* it can be set, or goes on in a suspend */
	bool own_rate;		/* ...which differs from CLOCK_MONOTONIC's */
};

/*
 * The distance of a clock from CLOCK_MONOTONIC, looked at again and again: see
 * tw_jumps.h. Of CLOCK_MONOTONIC itself, all is 0.
 */
struct tw_watch {
	int64_t ahead_ns;	/* how far it is ahead, */
	int64_t error_ns;	/* within so much */
	int64_t at_ns;		/* CLOCK_MONOTONIC: the last look; 0: none... */
	int64_t before_ns;	/* ...and the one before */
	int64_t set_ns;		/* by so much it was set in between */
	int doubts;		/* of so many looks, cycles are left out */
};

/*
 * A time of the clock, from between the last two looks, on CLOCK_MONOTONIC. If
 * the clock was set then, nobody knows on which side of that it lies.
 */
static inline int64_t tw_watch_convert(const struct tw_watch *watch, int64_t ns)
{
	ns -= watch->ahead_ns;
	if (!watch->set_ns)
		return ns;
	return ns < watch->before_ns ? watch->before_ns :
	       ns > watch->at_ns ? watch->at_ns : ns;
}

extern const struct tw_clock tw_clock_monotonic;
extern const struct tw_clock tw_clock_realtime;
extern const struct tw_clock tw_clock_raw;
extern const struct tw_clock tw_clock_tai;
extern const struct tw_clock tw_clock_boottime;
extern const struct tw_clock tw_clock_tsc;
extern const struct tw_clock tw_clock_aux[8];

/* A word that -c allows; NULL after the last. What it stands for. */
const char *tw_clock_word(int number);
const struct tw_clock *tw_clock_find(const char *word);

#endif /* TW_CLOCK_H */
