/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which metrics the options choose. */
#ifndef CHOSEN_H
#define CHOSEN_H

#include <string.h>

#include "parse.h"

/* Their tokens, in order, each followed by a space; until the next call. */
static inline const char *metrics_of(const struct tw_config *config)
{
	static char list[200];
	int i;

	list[0] = '\0';
	for (i = 0; i < config->metric_count; i++) {
		strcat(list, tw_metrics[config->metrics[i]].token);
		strcat(list, " ");
	}
	return list;
}

static inline void chooses(const char *line, const char *want)
{
	const struct tw_config chosen = accepted(line);

	assert_string_equal(metrics_of(&chosen), want);
}

#endif /* CHOSEN_H */
