/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One server for all clients. */
#ifndef TW_SERVERS_H
#define TW_SERVERS_H

#include <stdint.h>

struct tw_run;

/* What the JSON says of inversions. */
#define TW_INVERSIONS \
	"Requests of later pairs that one server answered between t0 and t1."

/*
 * How many requests of clients with a higher number were answered between t0
 * and t1 of a cycle of this pair, so far; 0 if each client has a server. Called
 * by main.
 */
uint64_t tw_servers_inversions(const struct tw_run *run, int pair);

#endif /* TW_SERVERS_H */
