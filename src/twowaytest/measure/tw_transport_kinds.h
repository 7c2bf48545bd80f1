/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of transports. */
#ifndef TW_TRANSPORT_KINDS_H
#define TW_TRANSPORT_KINDS_H

#include "measure/tw_transport.h"

/* The first is the default; the last is NULL. */
extern const struct tw_transport_ops *const tw_transport_kinds[];
extern const struct tw_transport_ops tw_transport_udp;
extern const struct tw_transport_ops tw_transport_unix;
extern const struct tw_transport_ops tw_transport_seqpacket;
extern const struct tw_transport_ops tw_transport_vsock;

#endif /* TW_TRANSPORT_KINDS_H */
