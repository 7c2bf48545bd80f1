/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_TRANSPORT_H
#define TW_TRANSPORT_H

/*
 * Called by main: sets the options of a measuring socket of tcp or udp, and
 * reads them back. What the kernel refuses ends the program after a message.
 */
void tw_transport_prepare(int fd);

#endif /* TW_TRANSPORT_H */
