/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Datagrams of a pair that were lost, and options of its sockets. By main. */
#ifndef TW_TRANSPORT_H
#define TW_TRANSPORT_H

#include <stdint.h>

struct tw_run;

/* Of a pair, so far. 0 if nothing can be lost. */
uint64_t tw_transport_lost(const struct tw_run *run, int pair);

/* How long a lost cycle has waited for its reply, at least. */
int64_t tw_transport_timeout_ns(void);

/*
 * Of a pair, so far: requests that its server has answered; what a server on
 * another host says of it.
 */
uint64_t tw_transport_answered(const struct tw_run *run, int pair);
void tw_transport_told(const struct tw_run *run, int pair, uint64_t requests);

/*
 * Sets the options of a measuring socket of tcp or udp, and reads them back.
 * What the kernel refuses ends the program after a message.
 */
void tw_transport_prepare(int fd);

/*
 * tw_link_far.c: turns tcp or udp into that of a client whose server is on
 * another host: what comes from there is looked at, and silence ends the run.
 */
struct tw_link_ops;
void tw_link_far(struct tw_link_ops *link);

#endif /* TW_TRANSPORT_H */
