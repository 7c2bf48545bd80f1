// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rt-error.h"
#include "rt-utils.h"

static const struct {
	const char *word, *name;
	int policy;
} policies[] = {
	{ "other", "SCHED_OTHER", SCHED_OTHER },
	{ "fifo", "SCHED_FIFO", SCHED_FIFO },
	{ "rr", "SCHED_RR", SCHED_RR },
	{ "batch", "SCHED_BATCH", SCHED_BATCH },
	{ "idle", "SCHED_IDLE", SCHED_IDLE },
	{ "deadline", "SCHED_DEADLINE", 6 },
};

static int marker = -1, tracing = -1;

#define SAY(word)				\
	va_list args;				\
						\
	va_start(args, fmt);			\
	fputs(word, stderr);			\
	vfprintf(stderr, fmt, args);		\
	va_end(args)

void warn(char *fmt, ...)
{
	SAY("WARN: ");
}

void fatal(char *fmt, ...)
{
	SAY("FATAL: ");
	exit(EXIT_FAILURE);
}

int check_privs(void)
{
	struct sched_param one = { .sched_priority = 1 }, none = { 0 };

	if (sched_setscheduler(0, SCHED_FIFO, &one))
		fprintf(stderr, "Unable to change scheduling policy!\n");
	else
		return sched_setscheduler(0, SCHED_OTHER, &none);
	return 1;
}

const char *policy_to_string(int policy)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		if (policies[i].policy == policy)
			return policies[i].name;
	return "unknown";
}

uint32_t string_to_policy(const char *str)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		if (!strcmp(policies[i].word, str))
			return policies[i].policy;
	return 0;
}

pid_t gettid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

void enable_trace_mark(void)
{
	marker = open("/sys/kernel/tracing/trace_marker", O_WRONLY);
	tracing = open("/sys/kernel/tracing/tracing_on", O_WRONLY);
}

void tracemark(char *fmt, ...)
{
	char text[200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (marker >= 0 && write(marker, text, strlen(text)) < 0)
		warn("trace mark: %m\n");
}

void tracing_stop(void)
{
	if (tracing >= 0 && write(tracing, "0\n", 2) != 2)
		warn("trace stop: %m\n");
}

int set_latency_target(int32_t latency_us)
{
	int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);

	if (fd < 0 ||
	    write(fd, &latency_us, sizeof(latency_us)) != sizeof(latency_us))
		warn("/dev/cpu_dma_latency: %m\n");
	else
		printf("# /dev/cpu_dma_latency set to %dus\n", latency_us);
	return fd;
}

void rt_init(int argc, char *argv[])
{
	(void)argc;
	(void)argv;
}

int rt_write_json(const char *filename, int return_code,
		  void (*cb)(FILE *, void *), void *data)
{
	FILE *f = fopen(filename, "w");

	if (f) {
		fprintf(f, "{\n  \"file_version\": 1,\n  \"return_code\": %d,\n",
			return_code);
		cb(f, data);
		fprintf(f, "}\n");
	}
	if (f && !(ferror(f) | fclose(f)))
		return 0;
	warn("cannot write '%s': %m\n", filename);
	return -1;
}
