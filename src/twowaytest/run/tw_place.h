/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs and priorities of the processes: pure functions of the user's settings
 * and of the CPUs that the caller may use.
 */
#ifndef TW_PLACE_H
#define TW_PLACE_H

#include <sched.h>
#include <stdbool.h>

#include "base/tw_cpus.h"

enum tw_role {
	TW_MAIN,
	TW_SERVER,
	TW_CLIENT,
	TW_LOAD,
	TW_ROLES
};

/* Names in results: "main", "server", "client", "load". */
extern const char *const tw_role_names[TW_ROLES];

/* Names in messages: "parent process", "server", "client", "load". */
extern const char *const tw_role_titles[TW_ROLES];

#define TW_PAIRS_MAX	256

/* Minimum of --priority: the server has one less, main two less. */
#define TW_PRIORITY_MIN	3

/*
 * -a: stores the CPUs of @role in *cpus. @allowed: the CPUs c0, c1, c2, ...;
 * not empty.
 *
 *   CPUs       main  server  client  load
 *   4 or more  c1    c2      c3      c3 and above
 *   3          c0    c1      c2      c2
 *   2          c0    c0      c1      c1
 *   1          c0    c0      c0      c0
 *
 * With 4 CPUs or more, the pairs after the first take c2, c3, ... by twos, and
 * begin again at c2 after the last; else all pairs are where the first is.
 */
void tw_place_plan(const cpu_set_t *allowed, enum tw_role role,
		   unsigned int pair, cpu_set_t *cpus);

/*
 * -aSET: stores the CPU of @role (TW_SERVER or TW_CLIENT) of pair @pair in
 * *cpus. The server uses entry 2 * pair of @set, the client entry 2 * pair + 1,
 * modulo the size of the set, which must not be empty.
 */
void tw_place_in_set(const cpu_set_t *set, enum tw_role role,
		     unsigned int pair, cpu_set_t *cpus);

/*
 * -S: stores the CPU of @role (TW_SERVER or TW_CLIENT) of pair @pair in *cpus:
 * entry @pair of @allowed; or, for the server with @next, the entry after it;
 * modulo the size of the set, which must not be empty.
 */
void tw_place_each(const cpu_set_t *allowed, enum tw_role role,
		   unsigned int pair, bool next, cpu_set_t *cpus);

/* The entry of the server in the plan for 4 CPUs or more. */
#define TW_PLAN_SERVER	2

/*
 * One server for all, at entry @server of @set: stores the CPU of the client of
 * pair @pair in *cpus, in turn one of those after the server's; if there is
 * none, the last.
 */
void tw_place_behind(const cpu_set_t *set, int server, unsigned int pair,
		     cpu_set_t *cpus);

#endif /* TW_PLACE_H */
