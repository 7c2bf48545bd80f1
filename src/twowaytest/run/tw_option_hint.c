// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <string.h>

#include "run/tw_config.h"

static const struct {
	char letter;		/* '\0': none */
	const char *name;
	const char *hint;
} hints[] = {
	{ 'F', "fifo", "give --json=FILE, or send SIGUSR1 for the status lines" },
	{ 0, "laptop", "give --default-system" },
	{ 'n', "nanosleep", "nanosleep is the default, see --timer" },
	{ 'o', "oscope", "give --dump=FILE for every cycle" },
	{ 'r', "relative", "all timers are absolute; leave this option out" },
	{ 'R', "resolution", "-v prints the cost and the resolution of the clock" },
	{ 0, "secaligned", "give --aligned, which begins as soon as all pairs are ready" },
	{ 's', "system", "give --timer=nanosleep, posix or timerfd" },
	{ 'y', "policy", "give --policy=NAME" },
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
