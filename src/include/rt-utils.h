/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What real-time tests share: scheduling policies, spans of time, marks in
 * the kernel's trace and the frame of a JSON report. Nothing here is meant
 * for several threads at once. As with rt-tests' own header, <stdio.h> and
 * <time.h> must be included before.
 */
#ifndef __RT_UTILS_H
#define __RT_UTILS_H

#include <stdint.h>

#define _STR(x)			#x
#define STR(x)			_STR(x)
#define MAX_PATH		256
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

#define MSEC_PER_SEC		1000
#define USEC_PER_SEC		1000000
#define NSEC_PER_SEC		1000000000
#define USEC_TO_NSEC(us)	((us) * 1000)

/*
 * 0 if the caller may schedule itself SCHED_FIFO, else nonzero and a message
 * on stderr. Its policy and priority are afterwards what they were.
 */
int check_privs(void);

/* "SCHED_OTHER", ... "SCHED_DEADLINE"; else "unknown" */
const char *policy_to_string(int policy);

/*
 * The policy "other", "fifo", "rr", "batch", "idle" or "deadline"; any other
 * word is SCHED_OTHER.
 */
uint32_t string_to_policy(const char *str);

/*
 * Seconds of a decimal number with an optional unit m, h or d behind it,
 * kept within the range of int. Text that is no number counts as 0, an
 * unknown unit as seconds: check before where that matters.
 */
int parse_time_string(char *val);

/*
 * Opens the kernel's trace marker, with a warning on stderr if it cannot.
 * Without it tracemark() does nothing.
 */
void enable_trace_mark(void);

/* Writes one mark in one system call, cut to 255 bytes. */
void tracemark(char *fmt, ...) __attribute__((format(printf, 1, 2)));

void disable_trace_mark(void);

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

/* Carries whole seconds out of tv_nsec, which must not be negative. */
static inline void tsnorm(struct timespec *ts)
{
	ts->tv_sec += ts->tv_nsec / NSEC_PER_SEC;
	ts->tv_nsec %= NSEC_PER_SEC;
}

/* Whether *a is later than *b, both normalised. */
static inline int tsgreater(struct timespec *a, struct timespec *b)
{
	if (a->tv_sec == b->tv_sec)
		return a->tv_nsec > b->tv_nsec;
	return a->tv_sec > b->tv_sec;
}

/* t1 - t2 in nanoseconds */
static inline int64_t calcdiff_ns(struct timespec t1, struct timespec t2)
{
	int64_t seconds = (int64_t)t1.tv_sec - t2.tv_sec;

	return seconds * NSEC_PER_SEC + ((int64_t)t1.tv_nsec - t2.tv_nsec);
}

/* t1 - t2 in whole microseconds, rounded towards 0 */
static inline int64_t calcdiff(struct timespec t1, struct timespec t2)
{
	return calcdiff_ns(t1, t2) / 1000;
}

/* @t in whole microseconds, rounded down */
static inline int64_t calctime(struct timespec t)
{
	return (int64_t)t.tv_sec * USEC_PER_SEC + t.tv_nsec / 1000;
}

#endif /* __RT_UTILS_H */
