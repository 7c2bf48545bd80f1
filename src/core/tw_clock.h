/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clocks that the timestamps can be taken from. */
#ifndef TW_CLOCK_H
#define TW_CLOCK_H

#include <stdint.h>
#include <time.h>

struct tw_clock {
	const char *name;
	/* The time in ns; any process. Part of the measured time. */
	int64_t (*now_ns)(void);
	clockid_t timer_clockid;	/* the timer runs on this clock */
};

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
