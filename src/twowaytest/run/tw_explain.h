/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages for failures of main, client and server as processes. */
#ifndef TW_EXPLAIN_H
#define TW_EXPLAIN_H

#include "run/tw_session.h"

/*
 * Fails with a message about @failure: what failed, with which value, why, and
 * what to do. Returns failure->err.
 */
int tw_explain(struct tw_session *session, const struct tw_failure *failure);

#endif /* TW_EXPLAIN_H */
