/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --limit, and percentiles. Called by main. */
#ifndef PT_LIMIT_H
#define PT_LIMIT_H

#include "pt_case.h"

/* Whether a limit is about a percentile of this choice. */
bool pt_limit_any(const struct pt_choice *choice);

/* Before the case: sets the bounds of the column, see struct pt_column. */
void pt_limit_bounds(struct pt_column *column);

#endif /* PT_LIMIT_H */
