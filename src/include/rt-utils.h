/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What real-time tests share: scheduling policies and the frame of a JSON
 * report. As with rt-tests' own header, <stdio.h> and <time.h> must be
 * included before.
 */
#ifndef __RT_UTILS_H
#define __RT_UTILS_H

#include <stdint.h>

_Static_assert(sizeof(struct timespec) > 0, "<time.h> was not included");

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

/*
 * The policy "other", "fifo", "rr", "batch", "idle" or "deadline"; any other
 * word is SCHED_OTHER.
 */
uint32_t string_to_policy(const char *str);

/*
 * Remembers the command line and the time for rt_write_json(). The command
 * line ends before the first argument that would make it longer than 4096
 * bytes. It goes into the report as it is, so @argv must hold nothing that a
 * JSON string has to escape.
 */
void rt_init(int argc, char *argv[]);

/*
 * Writes the report to @filename, or to stdout if that is NULL or "-". @cb,
 * if there is one, adds members of its own: whole lines, the last one
 * without a comma. Exits with 1 and a message if the file cannot be written.
 */
void rt_write_json(const char *filename, int return_code,
		   void (*cb)(FILE *, void *), void *data);

#endif /* __RT_UTILS_H */
