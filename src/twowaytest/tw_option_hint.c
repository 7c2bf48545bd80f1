// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <string.h>

#include "tw_option_hint.h"

#define ONE_PAIR	"there is one pair of client and server; leave it out"
#define ALIGNED		"there is one client to align; leave it out"

static const struct {
	char letter;		/* '\0': none */
	const char *name;
	const char *hint;
} hints[] = {
	{ 'A', "aligned", ALIGNED },
	{ 'd', "distance", ONE_PAIR },
	{ 'F', "fifo", "give --json=FILE, or send SIGUSR1 for the status lines" },
	{ 0, "laptop", "give --default-system" },
	{ 'n', "nanosleep", "this is the default, --timer=nanosleep" },
	{ 'o', "oscope", "give --dump=FILE for every cycle" },
	{ 0, "priospread", ONE_PAIR },
	{ 'r', "relative", "all timers are absolute; leave it out" },
	{ 'R', "resolution", "-v prints the cost and the resolution of the clock" },
	{ 0, "secaligned", ALIGNED },
	{ 0, "smi", "hwlatdetect finds SMIs, --worst tells of the longest cycles" },
	{ 'S', "smp", "there is one pair of client and server; give -a" },
	{ 's', "system", "give --timer=nanosleep, posix or timerfd" },
	{ 't', "threads", ONE_PAIR },
};

const char *tw_option_hint(const char *word, int letter)
{
	size_t len, i;

	if (!letter && strncmp(word, "--", 2))
		return NULL;
	len = letter ? 0 : strcspn(word + 2, "=");
	for (i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		if (letter ? letter == hints[i].letter :
			     len == strlen(hints[i].name) &&
			     !strncmp(word + 2, hints[i].name, len))
			return hints[i].hint;
	}
	return NULL;
}
