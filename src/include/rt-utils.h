/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What both programs share. <stdio.h> and <time.h> must be included before.
 */
#ifndef __RT_UTILS_H
#define __RT_UTILS_H

#include <stdint.h>

_Static_assert(sizeof(struct timespec) > 0, "<time.h> was not included");

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define USEC_PER_SEC		1000000
#define NSEC_PER_SEC		1000000000

/* "SCHED_FIFO" for SCHED_FIFO and so on; "unknown" for another policy. */
const char *policy_to_string(int policy);

/* SCHED_FIFO for "fifo" and so on; SCHED_OTHER for any other word. */
uint32_t string_to_policy(const char *str);

/*
 * The directory of tracefs: its own, or the one below debugfs, if it is there
 * alone. Where there is none, that where it should be.
 */
const char *find_tracefs(void);

/* The kernel's trace, for the next two; if it fails, they do nothing. */
void enable_trace_mark(void);
void disable_trace_mark(void);

/* Writes at most 1023 bytes into the trace. */
void tracemark(char *fmt, ...) __attribute__((format(printf, 1, 2)));
void tracing_stop(void);

/*
 * Keeps CPUs from idle states that take longer to leave. Returns a descriptor
 * whose closing ends that, or -1 after a warning.
 */
int set_latency_target(int32_t latency_us);

/* Remembers the time and at most 4096 bytes of whole arguments. */
void rt_init(int argc, char *argv[]);

/* What a terminal would obey, or is not UTF-8, becomes '?'; a tab stays. */
void rt_clean(char *str);

/* Writes @str with quotes; a byte that is not UTF-8 becomes U+FFFD. */
void rt_json_string(FILE *f, const char *str);

/*
 * Prints the report. @cb, if there is one, adds members of its own: whole
 * lines, the last one without a comma.
 */
void rt_write_json(FILE *f, int return_code, void (*cb)(FILE *, void *),
		   void *data);

#endif /* __RT_UTILS_H */
