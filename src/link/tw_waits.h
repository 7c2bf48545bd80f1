/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways in which the server waits for a request, that others name. */
#ifndef TW_WAITS_H
#define TW_WAITS_H

#include "tw_link.h"

extern const struct tw_wait_ops tw_wait_read;	/* for one that is there */
extern const struct tw_wait_ops tw_wait_busy;

#endif /* TW_WAITS_H */
