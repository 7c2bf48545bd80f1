/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPUs a process runs on. Called by main. */
#ifndef TW_PLACE_H
#define TW_PLACE_H

#include <stdio.h>

#include "tw_config.h"

struct tw_option;

/* Reads which CPUs this program may use. Called first. */
void tw_place_open(void);

/*
 * Lines about CPUs that were named and are left out; and, with @how, about
 * isolated ones that are not used: "-a " or what else goes before their list.
 */
void tw_place_print(FILE *file, const char *how);

/*
 * The CPUs of the process @number of a role: of the pair @number, or of the
 * worker @number of a load; TW_PLACE_ALL: of a load that is one process.
 * Without -a: all that this program may use.
 */
#define TW_PLACE_ALL	(-1)
void tw_place(enum tw_role role, int number, cpu_set_t *cpus);

/* For the options that pin one role: they store the words of the set here. */
extern const char *tw_place_words[TW_ROLES];
void tw_place_parse(const struct tw_option *option, char *value);

/* The CPUs of a role, whatever its words were. */
void tw_place_set(enum tw_role role, const cpu_set_t *cpus);

/* The number of CPUs that this program may use; whether -a was given. */
int tw_place_count(void);
bool tw_place_chosen(void);

/* The one CPU of a set; -1: it has several. */
int tw_place_single(const cpu_set_t *cpus);

/* The set as the kernel writes it, such as 0-2,5, in at most @size bytes. */
#define TW_PLACE_LIST	4096	/* bytes of the longest, with its end */
void tw_place_list(const cpu_set_t *cpus, char *list, size_t size);

#endif /* TW_PLACE_H */
