/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --test: which cases are to be run, and which cannot be. Called by main. */
#ifndef PT_SELECT_H
#define PT_SELECT_H

#include "pt_case.h"

/* What --test names. */
struct pt_selection {
	int count;
	struct pt_choice choice[PT_CASES_MAX];
};

extern struct pt_selection pt_selection;

/*
 * Finds the cases of --test. Ends the program after a message: an unknown name,
 * or a test that the user has named and that cannot be run.
 */
void pt_select(void);

/* Whether one of the tests of this list was found. */
bool pt_select_has(const char *tests);

/* Why a choice cannot be run with these settings; NULL: it can. */
const char *pt_lacks(const struct pt_choice *choice);

#endif /* PT_SELECT_H */
