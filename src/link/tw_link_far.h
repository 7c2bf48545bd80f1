/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_LINK_FAR_H
#define TW_LINK_FAR_H

struct tw_link_ops;

/*
 * Turns tcp or udp into that of a client whose server is on another host: what
 * comes from there is looked at, and silence ends the run.
 */
void tw_link_far(struct tw_link_ops *link);

#endif /* TW_LINK_FAR_H */
