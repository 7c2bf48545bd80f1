/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a failure to a sentence that tells the user what to do about it. */
#ifndef TW_EXPLAIN_H
#define TW_EXPLAIN_H

#include <stddef.h>

#include "tw_session.h"

/* Writes what failed, with which value, why, and what helps, into @buf. */
void tw_explain(const struct tw_session *session, char *buf, size_t size);

#endif /* TW_EXPLAIN_H */
