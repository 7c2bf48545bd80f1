/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's timestamps of packets (SO_TIMESTAMPING), in software. */
#ifndef TW_STAMPS_H
#define TW_STAMPS_H

#include <stdbool.h>
#include <stdint.h>

#include "tw_link.h"

/*
 * More times of a cycle, in the order of the way: a message that was sent
 * enters the packet scheduler (sched), the driver takes it (snd); one that was
 * received comes from the driver (rx). Of several packets, those of the last.
 */
enum tw_stamp {
	TW_CLIENT_SCHED = TW_TIMES, TW_CLIENT_SND,
	TW_SERVER_RX, TW_SERVER_SCHED, TW_SERVER_SND,
	TW_CLIENT_RX,
	TW_STAMPED_TIMES
};

/*
 * In ns, on the measuring clock of the side; 0: missing. Of the cycle's own, t0
 * to t3.
 */
struct tw_stamped {
	uint64_t seq;		/* 0: none */
	int64_t at_ns[TW_STAMPED_TIMES];
};

/*
 * The same link with rx, or with @all stamps, for tcp, udp or icmp. The client
 * calls @done for each measured cycle that was not lost, before the next cycle
 * is recorded; with a server of ours, not for the last one. Called by main, once.
 */
const struct tw_link_ops *tw_stamps_link(const struct tw_link_ops *link,
		bool all, bool has_server,
		void (*done)(int pair, const struct tw_stamped *stamped));

/*
 * Called by main before it starts a side whose socket open() did not connect:
 * nothing that is measured was sent yet. Without --stamps, or if there is no
 * socket (-1), it does nothing.
 */
void tw_stamps_enable(int fd);

#endif /* TW_STAMPS_H */
