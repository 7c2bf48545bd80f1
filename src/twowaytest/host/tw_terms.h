/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a client on another host asks for, what the server's host grants, and
 * what it says after the run: the bodies of RUN, GRANT, START, STOP and RESULT.
 */
#ifndef TW_TERMS_H
#define TW_TERMS_H

#include <stdbool.h>
#include <stdint.h>

#include "host/tw_hello.h"

#define TW_PORT_DEFAULT	20110
#define TW_VERSION_MIN	1	/* of the protocol */
#define TW_VERSION_MAX	1

#define TW_FAR_PAIRS	32	/* at most, between two hosts */
#define TW_COOKIE	16	/* bytes; keeps others out of a run */
#define TW_WORD		32	/* a name such as "fifo" */
#define TW_POLICY	16	/* of servers: many in one frame */
#define TW_FINDINGS	32
#define TW_FAR_LIST	64	/* a list of CPUs */
#define TW_TRACE_REFUSED	320	/* a reason, as TW_TRACE_WHY */

/* RUN. The names are those that options take. */
struct tw_asked {
	int64_t pairs;
	struct {
		int64_t interval_us;
	} each[TW_FAR_PAIRS];
	int64_t size;
	int64_t sleep_us;
	int64_t warmup;
	int64_t priority;	/* of the first client; 0: not real-time */
	bool priospread;
	bool lock_memory;
	bool accept;		/* less than that, too */
	char policy[TW_WORD];
	char wait[TW_WORD];
	char clock[TW_WORD];
	char transport[TW_WORD];
	char stamps[TW_WORD];
	int64_t dscp, sock_priority, busy_poll_us;	/* -1: not asked for */
	bool quickack;
	bool trace;		/* of the kernel, for the cause of a break */
};

/* GRANT. */
struct tw_granted {
	uint8_t cookie[TW_COOKIE];
	int64_t ports;		/* 1, or for datagrams one for each pair */
	struct {
		int64_t port;
	} at[TW_FAR_PAIRS];
	int64_t priority;	/* as asked for, or less */
	bool lock_memory;
	char policy[TW_WORD];
	/* The kernel says that the clock is not synchronised (STA_UNSYNC). */
	bool unsynchronised;
	bool traces;		/* it was asked for, and will be done */
	char no_trace[TW_TRACE_REFUSED];	/* why not; or "" */
};

/* STOP: why it ends, or ""; from the client always "". */
struct tw_stop {
	char why[TW_REFUSAL_TEXT];
};

/* The first RESULT: the host. */
struct tw_far_host {
	char host[64], kernel[64], version[128], machine[32], program[16];
	int64_t cpus;
	char privileges[128];	/* those that it has kept */
	int64_t latency_us;	/* of power management; TW_KEYS_UNKNOWN: any */
	bool unsynchronised;	/* as in what is granted, at the end */
	int64_t unexpected;	/* connections that were refused */
	int64_t checks;		/* findings of --check */
	struct {
		char name[TW_WORD];
	} finding[TW_FINDINGS];
};

/* The second RESULT: the servers. */
struct tw_far_server {
	char cpus[TW_FAR_LIST];
	char policy[TW_POLICY];
	int64_t priority;
	bool locked;
	bool changed;		/* a setting, while it ran */
	int64_t requests;	/* the number of the last one */
	int64_t minor_faults, major_faults;
	int64_t voluntary_switches, involuntary_switches;
	int64_t retransmitted;	/* segments; -1: not TCP */
	/* Datagrams. */
	int64_t taken, newest, duplicate, reordered, strangers;
};

struct tw_far_servers {
	int64_t pairs;
	struct tw_far_server each[TW_FAR_PAIRS];
};

/* The largest count: all keys of all pairs have to fit into one frame. */
#define TW_COUNT_MAX	1000000000000000

extern const struct tw_key tw_asked_keys[];
extern const struct tw_key tw_granted_keys[];
extern const struct tw_key tw_stop_keys[];
extern const struct tw_key tw_far_host_keys[];
extern const struct tw_key tw_far_servers_keys[];

#endif /* TW_TERMS_H */
