// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A clock is a row of a table. Its function is called through a pointer, so
 * that the loops need not know which clock it is; that costs some instructions,
 * where a switch in each read would cost more.
 */
#include <string.h>

#include "tw_clock.h"
#include "tw_time.h"

static int64_t monotonic_ns(void)
{
	return tw_now_ns(CLOCK_MONOTONIC);
}

static int64_t realtime_ns(void)
{
	return tw_now_ns(CLOCK_REALTIME);
}

const struct tw_clock tw_clock_monotonic = {
	"monotonic", monotonic_ns, false, false
};

const struct tw_clock tw_clock_realtime = {
	"realtime", realtime_ns, true, false
};

#define AUX(n)	{ "aux" #n, &tw_clock_aux[n] }

/* The numbers are those of cyclictest. */
static const struct {
	const char *word;
	const struct tw_clock *clock;
} words[] = {
	{ "monotonic", &tw_clock_monotonic },
	{ "realtime", &tw_clock_realtime },
	{ "monotonic_raw", &tw_clock_raw },
	{ "tai", &tw_clock_tai },
	{ "boottime", &tw_clock_boottime },
	{ "tsc", &tw_clock_tsc },
	AUX(0), AUX(1), AUX(2), AUX(3), AUX(4), AUX(5), AUX(6), AUX(7),
	{ "0", &tw_clock_monotonic },
	{ "1", &tw_clock_realtime },
	{ NULL, NULL }
};

const char *tw_clock_word(int number)
{
	return words[number].word;
}

const struct tw_clock *tw_clock_find(const char *word)
{
	int i = 0;

	while (words[i].word && strcmp(words[i].word, word))
		i++;
	return words[i].clock;
}
