/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What real-time tests share: scheduling policies, times, trace marks, power
 * management and the frame of a JSON report. As with rt-tests' own header,
 * <stdio.h> and <time.h> must be included before.
 */
#ifndef __RT_UTILS_H
#define __RT_UTILS_H

#include <stdint.h>

_Static_assert(sizeof(struct timespec) > 0, "<time.h> was not included");

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

#define USEC_PER_SEC		1000000
#define NSEC_PER_SEC		1000000000

/* "SCHED_OTHER", "SCHED_FIFO" and so on, or "unknown". */
const char *policy_to_string(int policy);

/*
 * The policy "other", "fifo", "rr", "batch", "idle" or "deadline"; any other
 * word is SCHED_OTHER.
 */
uint32_t string_to_policy(const char *str);

/*
 * Seconds, from a number of them, or of minutes, hours or days if m, h or d
 * follows, in either case. Whoever calls checks that it is a number.
 */
int parse_time_string(char *val);

/*
 * Opens the kernel's trace for tracemark() and tracing_stop(), which do
 * nothing without it. What fails is told by a warning.
 */
void enable_trace_mark(void);
void disable_trace_mark(void);

/* Writes a text of at most 1023 bytes into the trace. */
void tracemark(char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The trace is kept as it is now, in whatever task. */
void tracing_stop(void);

/*
 * Asks power management for states that are left within @latency_us, and
 * prints that on stdout. Returns a descriptor, whose closing ends the
 * request, or -1 after a warning.
 */
int set_latency_target(int32_t latency_us);

/*
 * Remembers the command line and the time for rt_write_json(). The command
 * line ends before the first argument that would make it longer than 4096
 * bytes.
 */
void rt_init(int argc, char *argv[]);

/*
 * Writes @str as a string of JSON, with its quotes. A byte that is not valid
 * UTF-8 becomes U+FFFD.
 */
void rt_json_string(FILE *f, const char *str);

/*
 * Writes the report to @filename, or to stdout if that is NULL or "-". @cb,
 * if there is one, adds members of its own: whole lines, the last one
 * without a comma. Exits with 1 and a message if the file cannot be written.
 */
void rt_write_json(const char *filename, int return_code,
		   void (*cb)(FILE *, void *), void *data);

#endif /* __RT_UTILS_H */
