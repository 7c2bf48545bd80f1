/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's timestamps of packets (SO_TIMESTAMPING), in software. */
#ifndef TW_STAMPS_H
#define TW_STAMPS_H

#include <stdbool.h>

#include "tw_link.h"

/*
 * The same link with rx, or with @all stamps, for tcp, udp or icmp. With a
 * server, the client's exchange() puts those of the cycle before into
 * tw_progress.held. Called by main, once.
 */
const struct tw_link_ops *tw_stamps_link(const struct tw_link_ops *link,
		bool all, bool has_server);

/*
 * Called by main before it starts a side whose socket open() did not connect:
 * nothing that is measured was sent yet. Without --stamps, or if there is no
 * socket (-1), it does nothing.
 */
void tw_stamps_enable(int fd);

#endif /* TW_STAMPS_H */
