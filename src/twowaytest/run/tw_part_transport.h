/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What requests go over: --transport, and the options of its sockets. */
#ifndef TW_PART_TRANSPORT_H
#define TW_PART_TRANSPORT_H

#include "frame/tw_part.h"

extern const struct tw_part tw_part_transport;

#endif /* TW_PART_TRANSPORT_H */
