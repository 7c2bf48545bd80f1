/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who runs where and at what priority: pure functions of what the user
 * asked and of the CPUs that the caller may use.
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

/* "main", "server", "client", "load" */
extern const char *const tw_role_names[TW_ROLES];

/* As messages call them: "parent process", "server", "client", "load" */
extern const char *const tw_role_titles[TW_ROLES];

/* Lowest --priority that leaves one below for the server, two for main. */
#define TW_PRIORITY_MIN	3

/*
 * The plan's CPUs of @role over the CPUs in @allowed (c0 c1 c2 ..., not
 * empty), into *cpus. 4 or more: main c1, server c2, client c3, load c3 and
 * up; 3: main c0, server c1, client c2, load c2; 2: main and server c0,
 * client and load c1; 1: all there.
 */
void tw_place_plan(const cpu_set_t *allowed, enum tw_role role,
		   cpu_set_t *cpus);

/*
 * The CPU of one side of pair @pair in a set that the user gave: server and
 * client (the only roles that @role may be) take entries 2 * pair and
 * 2 * pair + 1, counted round the set (not empty).
 */
void tw_place_in_set(const cpu_set_t *set, enum tw_role role,
		     unsigned int pair, cpu_set_t *cpus);

/*
 * The real-time priority of @role when the client of the first pair has
 * @priority: server one less, main two less; 0 for @priority 0 and for the
 * load, which has one of its own.
 */
int tw_place_priority(enum tw_role role, int priority);

/*
 * Writes @cpus as a list such as "0-2,5" into @buf, cut to @len; returns
 * @buf.
 */
char *tw_place_format(const cpu_set_t *cpus, char *buf, size_t len);

#endif /* TW_PLACE_H */
