/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As much of the interface as twowaytest uses, after the patches before it. */
#ifndef __RT_UTILS_H
#define __RT_UTILS_H

#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define USEC_PER_SEC	1000000
#define NSEC_PER_SEC	1000000000

/* Whether this program may not be real-time. */
int check_privs(void);

const char *policy_to_string(int policy);
uint32_t string_to_policy(const char *str);	/* 0 if there is none */
pid_t gettid(void);

void enable_trace_mark(void);
void tracemark(char *fmt, ...) __attribute__((format(printf, 1, 2)));
void tracing_stop(void);

int set_latency_target(int32_t latency_us);

/* In us. */
static inline int64_t calcdiff(struct timespec t1, struct timespec t2)
{
	return (int64_t)(t1.tv_sec - t2.tv_sec) * USEC_PER_SEC +
	       (t1.tv_nsec - t2.tv_nsec) / 1000;
}

void rt_init(int argc, char *argv[]);
int rt_write_json(const char *filename, int return_code,
		  void (*cb)(FILE *, void *), void *data);

#endif /* __RT_UTILS_H */
