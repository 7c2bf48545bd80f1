/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results of pairs of client and server as columns, for the printers. */
#ifndef TW_COLUMNS_H
#define TW_COLUMNS_H

#include "frame/tw_column.h"
#include "run/tw_session.h"

/*
 * The columns of @pairs, as they are now: pair by pair, a metric of --metrics
 * each, in that order; those of a pair are all of one moment. Valid until the
 * next call.
 */
struct tw_columns tw_pairs_columns(const struct tw_run *run,
				   const struct tw_pairs *pairs);

/* The column of metric @id, whether it is one of --metrics or not. */
struct tw_column tw_pair_column(const struct tw_pair *pair,
				enum tw_metric_id id);

/* The program's columns(). */
struct tw_columns tw_session_columns(const struct tw_run *run);

/* What is left of the step, in seconds; -1: nobody knows. */
int64_t tw_session_seconds_left(const struct tw_session *session);

#endif /* TW_COLUMNS_H */
