// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "measure/tw_transport_kinds.h"

const struct tw_transport_ops *const tw_transport_kinds[] = {
	&tw_transport_tcp,
	&tw_transport_udp,
	&tw_transport_unix,
	&tw_transport_seqpacket,
	&tw_transport_vsock,
	NULL
};
