/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What requests go over: --transport, and the options of its sockets. */
#ifndef TW_PART_TRANSPORT_H
#define TW_PART_TRANSPORT_H

#include "frame/tw_part.h"
#include "measure/tw_sockopt.h"

struct tw_transport_ops;

extern const struct tw_part tw_part_transport;

/* After its check(): what the user wants; TW_SOCKOPT_NONE: not given. */
const struct tw_transport_ops *tw_transport_wanted(void);
int64_t tw_transport_option(enum tw_sockopt_id id);

#endif /* TW_PART_TRANSPORT_H */
