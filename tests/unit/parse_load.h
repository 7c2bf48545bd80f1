/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What command lines mean for the load. */
#ifndef PARSE_LOAD_H
#define PARSE_LOAD_H

#include "parse.h"
#include "load/tw_part_load.h"
#include "run/tw_session.h"

static struct tw_session session;

/* A run by the options in @line that has not begun. */
static inline struct tw_run *run_of(const char *line)
{
	accepted(line);
	tw_session_init(&session);
	session.run = parse_run;
	return &session.run;
}

static inline struct tw_load_params settings_of(const char *line)
{
	return tw_load_settings(run_of(line));
}

#endif /* PARSE_LOAD_H */
