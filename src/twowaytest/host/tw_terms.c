// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of what two hosts tell each other. */
#include <stddef.h>

#include "host/tw_terms.h"
#include "measure/tw_wire.h"

#define INT(type, member, low, high) \
	.name = #member, .kind = TW_KEY_INT, \
	.offset = offsetof(struct type, member), .min = low, .max = high
#define FLAG(type, member) \
	.name = #member, .kind = TW_KEY_BOOL, \
	.offset = offsetof(struct type, member), .required = true
#define TEXT(type, member) \
	.name = #member, .kind = TW_KEY_TEXT, \
	.offset = offsetof(struct type, member), \
	.size = sizeof(((struct type *)0)->member)

#define EACH(type, array, member, counter) \
	.offset = offsetof(struct type, array[0].member), \
	.stride = sizeof(((struct type *)0)->array[0]), \
	.most = sizeof(((struct type *)0)->array) / \
		sizeof(((struct type *)0)->array[0]), \
	.count = offsetof(struct type, counter), .required = true
#define EACH_INT(type, array, member, counter, low, high) \
	.name = #member, .kind = TW_KEY_INT, .min = low, .max = high, \
	EACH(type, array, member, counter)
#define EACH_TEXT(type, array, member, counter) \
	.name = #member, .kind = TW_KEY_TEXT, \
	.size = sizeof(((struct type *)0)->array[0].member), \
	EACH(type, array, member, counter)
#define EACH_FLAG(type, array, member, counter) \
	.name = #member, .kind = TW_KEY_BOOL, EACH(type, array, member, counter)

#define MUST	.required = true

/* Ranges as those of the options. */
const struct tw_key tw_asked_keys[] = {
	{ INT(tw_asked, pairs, 1, TW_FAR_PAIRS), MUST },
	{ EACH_INT(tw_asked, each, interval_us, pairs, 0, 1000000000) },
	{ INT(tw_asked, size, TW_REQUEST_MIN, TW_REQUEST_MAX), MUST },
	{ INT(tw_asked, sleep_us, 0, 10000000), MUST },
	{ INT(tw_asked, warmup, 0, 1000000), MUST },
	{ INT(tw_asked, priority, 0, 99), MUST },
	{ FLAG(tw_asked, priospread) },
	{ FLAG(tw_asked, lock_memory) },
	{ FLAG(tw_asked, accept) },
	{ TEXT(tw_asked, policy), MUST },
	{ TEXT(tw_asked, wait), MUST },
	{ TEXT(tw_asked, clock), MUST },
	{ TEXT(tw_asked, transport), MUST },
	{ TEXT(tw_asked, stamps), MUST },
	{ INT(tw_asked, dscp, -1, 63), MUST },
	{ INT(tw_asked, sock_priority, -1, INT32_MAX), MUST },
	{ INT(tw_asked, busy_poll_us, -1, 1000000), MUST },
	{ FLAG(tw_asked, quickack) },
	{ FLAG(tw_asked, trace) },
	{ .name = NULL }
};

const struct tw_key tw_granted_keys[] = {
	{ .name = "cookie", .kind = TW_KEY_HEX,
	  .offset = offsetof(struct tw_granted, cookie), .size = TW_COOKIE,
	  .required = true, .secret = true },
	{ INT(tw_granted, ports, 1, TW_FAR_PAIRS), MUST },
	{ EACH_INT(tw_granted, at, port, ports, 1, 65535) },
	{ INT(tw_granted, priority, 0, 99), MUST },
	{ FLAG(tw_granted, lock_memory) },
	{ TEXT(tw_granted, policy), MUST },
	{ FLAG(tw_granted, unsynchronised) },
	{ FLAG(tw_granted, traces) },
	{ TEXT(tw_granted, no_trace), MUST },
	{ .name = NULL }
};

const struct tw_key tw_stop_keys[] = {
	{ TEXT(tw_stop, why), MUST },
	{ .name = NULL }
};

const struct tw_key tw_far_host_keys[] = {
	{ TEXT(tw_far_host, host), MUST },
	{ TEXT(tw_far_host, kernel), MUST },
	{ TEXT(tw_far_host, version), MUST },
	{ TEXT(tw_far_host, machine), MUST },
	{ TEXT(tw_far_host, program), MUST },
	{ INT(tw_far_host, cpus, 1, 1 << 20), MUST },
	{ TEXT(tw_far_host, privileges), MUST },
	{ INT(tw_far_host, latency_us, 0, INT32_MAX) },
	{ FLAG(tw_far_host, unsynchronised) },
	{ INT(tw_far_host, unexpected, 0, INT64_MAX), MUST },
	{ INT(tw_far_host, checks, 0, TW_FINDINGS), MUST },
	{ .name = "finding", .kind = TW_KEY_TEXT, .size = TW_WORD,
	  EACH(tw_far_host, finding, name, checks) },
	{ .name = NULL }
};

#define SERVER_INT(member, low) \
	{ EACH_INT(tw_far_servers, each, member, pairs, low, TW_COUNT_MAX) }

const struct tw_key tw_far_servers_keys[] = {
	{ INT(tw_far_servers, pairs, 1, TW_FAR_PAIRS), MUST },
	{ EACH_TEXT(tw_far_servers, each, cpus, pairs) },
	{ EACH_TEXT(tw_far_servers, each, policy, pairs) },
	{ EACH_INT(tw_far_servers, each, priority, pairs, 0, 99) },
	{ EACH_FLAG(tw_far_servers, each, locked, pairs) },
	{ EACH_FLAG(tw_far_servers, each, changed, pairs) },
	SERVER_INT(requests, 0),
	SERVER_INT(minor_faults, 0),
	SERVER_INT(major_faults, 0),
	SERVER_INT(voluntary_switches, 0),
	SERVER_INT(involuntary_switches, 0),
	SERVER_INT(retransmitted, -1),
	SERVER_INT(taken, 0),
	SERVER_INT(newest, 0),
	SERVER_INT(duplicate, 0),
	SERVER_INT(reordered, 0),
	SERVER_INT(strangers, 0),
	{ .name = NULL }
};
