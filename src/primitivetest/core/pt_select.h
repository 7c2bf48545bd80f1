/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --test: which cases are to be run, and which cannot be. Called by main. */
#ifndef PT_SELECT_H
#define PT_SELECT_H

#include "core/pt_case.h"

#define PT_CHOICES_MAX	256

struct pt_selection {
	int count;
	struct pt_choice choice[PT_CHOICES_MAX];
};

/* The names of the groups, in the order of their bits; the last is NULL. */
extern const char *const pt_group_names[];

/* What pt_select() has found. */
extern const struct pt_selection *const pt_selection;

struct tw_run;

/*
 * Finds the cases of config->tests. Returns 0; or -EINVAL after tw_fail(): an
 * unknown name, or a test that the user has named and that cannot be run.
 */
int pt_select(const struct pt_config *config, struct tw_run *run);

/* Why a choice cannot be run with these settings; NULL: it can. */
const char *pt_lacks(const struct pt_config *config,
		     const struct pt_choice *choice);

#endif /* PT_SELECT_H */
