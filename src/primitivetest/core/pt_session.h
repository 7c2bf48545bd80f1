/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A measurement as main runs it: one case after another. Called by main. */
#ifndef PT_SESSION_H
#define PT_SESSION_H

#include "core/pt_case.h"
#include "core/pt_select.h"
#include "frame/tw_run.h"

/* What became of a choice. */
struct pt_result {
	const struct pt_choice *choice;
	struct pt_case *c;	/* main's copy; NULL: it was not run */
	char skipped[PT_TEXT];	/* why; "": it was run, or never begun */
};

struct pt_session {
	struct tw_run run;
	struct tw_clock clock;
	int64_t clock_ps;	/* cost of a reading */
	int count;		/* of results */
	struct pt_result *result;
	struct tw_column *column;
	struct tw_settings main_settings;
	bool not_switched;	/* a case had too few switches */
	bool broken;		/* -b ended the run */
};

static inline struct pt_session *pt_session(const struct tw_run *run)
{
	return (struct pt_session *)((char *)run -
				     offsetof(struct pt_session, run));
}

void pt_session_init(struct pt_session *session);

/* Functions of the program. */
int pt_session_run(struct tw_run *run);
struct tw_columns pt_session_columns(const struct tw_run *run);
const char *pt_session_policy(const struct tw_run *run);
const char *pt_session_progress(const struct tw_run *run);
struct tw_run *pt_session_so_far(struct tw_run *run);
void pt_session_forget(struct tw_run *copy);
void pt_environ_params(const struct tw_run *run,
		       struct tw_environ_params *params);

/*
 * Internal: runs a case to its end. Returns 0; -ENOTSUP: it cannot be run, as
 * c->refused says; or -errno after tw_fail().
 */
int pt_watch(struct pt_session *session, struct pt_case *c);

extern const struct tw_part pt_part_session;

#endif /* PT_SESSION_H */
