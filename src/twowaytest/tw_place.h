/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs and priorities of the processes: pure functions of the user's settings
 * and of the CPUs that the caller may use.
 */
#ifndef TW_PLACE_H
#define TW_PLACE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

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
 */
void tw_place_plan(const cpu_set_t *allowed, enum tw_role role,
		   cpu_set_t *cpus);

/*
 * -aSET: stores the CPU of @role (TW_SERVER or TW_CLIENT) of pair @pair in
 * *cpus. The server uses entry 2 * pair of @set, the client entry 2 * pair + 1,
 * modulo the size of the set, which must not be empty.
 */
void tw_place_in_set(const cpu_set_t *set, enum tw_role role,
		     unsigned int pair, cpu_set_t *cpus);

/*
 * Returns the real-time priority of @role if the client has @priority: server
 * one less, main two less. Returns 0 if @priority is 0, and for the load, which
 * has its own option.
 */
int tw_place_priority(enum tw_role role, int priority);

/*
 * Writes @cpus to @buf (@len bytes, cut if longer) as a list such as "0-2,5".
 * Returns @buf.
 */
char *tw_place_format(const cpu_set_t *cpus, char *buf, size_t len);

#endif /* TW_PLACE_H */
