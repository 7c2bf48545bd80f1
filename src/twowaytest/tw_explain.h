/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages for failures. */
#ifndef TW_EXPLAIN_H
#define TW_EXPLAIN_H

#include <stddef.h>

#include "tw_session.h"

/*
 * Writes a message about session->failure to @buf: what failed, with which
 * value, why, and what to do.
 */
void tw_explain(const struct tw_session *session, char *buf, size_t size);

#endif /* TW_EXPLAIN_H */
