/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kind mutex of sync2, which has tasks and metrics of its own. */
#ifndef PT_SYNC2_MUTEX_H
#define PT_SYNC2_MUTEX_H

#include "rows/pt_channel.h"

extern const struct pt_channel_ops pt_sync2_mutex_ops;
extern const struct pt_metric pt_sync2_mutex_metrics[];
extern const struct pt_role pt_sync2_mutex_roles[];

#endif /* PT_SYNC2_MUTEX_H */
