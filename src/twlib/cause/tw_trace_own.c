// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/tw_kfile.h"
#include "base/tw_time.h"
#include "cause/tw_trace_own.h"
#include "cause/tw_trace_text.h"

/* Of a used CPU: 20 ms at a million events a second. Others get the least. */
#define RING_KB		2048
#define RING_LEAST_KB	8
#define RINGS_KB	131072	/* of all used ones, where there are many */
#define REMOVE_NS	(2 * TW_NS_PER_S)
#define SETTLE_NS	(100 * TW_NS_PER_MS)
#define RETRY_NS	(5 * TW_NS_PER_MS)
#define TRIES		10

static int write_in(const char *dir, const char *name, const char *text,
		    char *why)
{
	int fd = tw_trace_open_file(dir, name, O_WRONLY | O_APPEND, why);
	int err = 0;

	if (fd < 0)
		return fd;
	if (write(fd, text, strlen(text)) < 0)
		err = tw_trace_tell(why, name, -errno);
	close(fd);
	return err;
}

void tw_trace_mask(char text[TW_TRACE_MASK], const cpu_set_t *cpus)
{
	int used = 0, word, bit;

	for (word = CPU_SETSIZE / 32 - 1; word >= 0; word--) {
		uint32_t bits = 0;

		for (bit = 0; bit < 32; bit++)
			if (CPU_ISSET(word * 32 + bit, cpus))
				bits |= UINT32_C(1) << bit;
		/* It refuses words beyond those that it knows of. */
		if (bits || used || !word)
			used += snprintf(text + used, TW_TRACE_MASK - used,
					 "%s%08x", used ? "," : "", bits);
	}
}

static int limit_to(const char *dir, const cpu_set_t *cpus, char *why)
{
	char text[TW_TRACE_MASK];

	tw_trace_mask(text, cpus);
	return write_in(dir, "tracing_cpumask", text, why);
}

static int size_rings(const char *dir, const cpu_set_t *cpus, char *why)
{
	int most_kb = RINGS_KB / CPU_COUNT(cpus);
	char name[64], size[16];
	int cpu, err;

	snprintf(size, sizeof(size), "%d", RING_LEAST_KB);
	err = write_in(dir, "buffer_size_kb", size, why);
	snprintf(size, sizeof(size), "%d",
		 most_kb < RING_KB ? most_kb : RING_KB);
	for (cpu = 0; !err && cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		snprintf(name, sizeof(name), "per_cpu/cpu%d/buffer_size_kb",
			 cpu);
		err = write_in(dir, name, size, why);
	}
	return err;
}

/* One word of the list; what the kernel lacks only counts if asked for. */
static int trace_event(const char *dir, const char *word, bool asked,
		       char *why)
{
	char path[PATH_MAX + 160], text[160];
	int err;

	snprintf(path, sizeof(path), "%s/events/%.128s", dir, word);
	snprintf(text, sizeof(text), "%.128s%s", word,
		 !strchr(word, ':') && !access(path, F_OK) ? ":*" : "");
	err = write_in(dir, "set_event", text, why);
	if (err != -EINVAL && err != -ENOENT)
		return err;
	if (!asked)
		return 0;
	snprintf(why, TW_TRACE_WHY,
		 "this kernel has no event %.100s; allowed is a list of systems (irq), events (sched_switch) or system:event out of available_events in tracefs",
		 word);
	return -EINVAL;
}

static int trace_list(const char *dir, const char *events, bool asked,
		      char *why)
{
	char list[1024], *word, *rest;
	int err = 0;

	snprintf(list, sizeof(list), "%s", events);
	for (word = strtok_r(list, ", ", &rest); word && !err;
	     word = strtok_r(NULL, ", ", &rest))
		err = trace_event(dir, word, asked, why);
	return err;
}

static int trace_events(const char *dir, const char *events, char *why)
{
	bool more = events && *events == '+';
	int err = 0;

	if (!events || more)
		err = trace_list(dir, TW_TRACE_EVENTS, false, why);
	if (events && !err)
		err = trace_list(dir, events + more, true, why);
	return err;
}

/*
 * It takes over what the user has set for the trace of all: what our reading
 * and the ring's purpose need is set again. Not every kernel has each. Names
 * of tasks (record-cmd) need not be noted, but turning that off for us counts
 * as off for whoever else traces, and the kernel's count is wrong ever after.
 */
static void set_options(const char *dir, char *why)
{
	static const char *const options[] = {
		"overwrite", "context-info", "irq-info", "nolatency-format",
		"noraw", "nohex", "nobin", "nostacktrace", "nouserstacktrace",
	};
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		write_in(dir, "trace_options", options[i], why);
	why[0] = '\0';
}

static int set_up(const char *dir, const char *events, const cpu_set_t *cpus,
		  char *why)
{
	int err = write_in(dir, "tracing_on", "0", why);

	if (err)
		return err;
	set_options(dir, why);
	err = write_in(dir, "trace_clock", "mono", why);
	if (!err)
		err = limit_to(dir, cpus, why);
	if (!err)
		err = size_rings(dir, cpus, why);
	if (!err)
		err = trace_events(dir, events, why);
	return err ? err : write_in(dir, "tracing_on", "1", why);
}

/* The PID in the name of one of ours; 0 if it is none. */
static int owner_of(const char *name)
{
	unsigned int unique;
	int pid, used = 0;

	return sscanf(name, TW_TRACE_PREFIX "%d-%8x%n", &pid, &unique, &used) == 2 &&
	       !name[used] ? pid : 0;
}

/* A file of some other name may be this program, too. */
static bool is_ours(const char *comm)
{
	char own[32] = "";

	tw_kfile_text("", own, sizeof(own), "/proc/self/comm");
	return !strcmp(comm, own) || !strcmp(comm, "twowaytest") ||
	       !strcmp(comm, "primitivetest");
}

/* Whether @pid runs our programs: it may be about to open its files. */
static bool lives(int pid)
{
	char comm[32] = "";

	return tw_kfile_text("", comm, sizeof(comm), "/proc/%d/comm", pid) &&
	       is_ours(comm);
}

/*
 * The kernel frees thousands of files of an instance after the removal, in
 * softirqs, for some ms: that is not to fall into what is measured next.
 */
static void settle(void)
{
	const struct timespec pause = tw_ns_to_ts(SETTLE_NS);

	nanosleep(&pause, NULL);
}

/*
 * Removes what killed tests have left in @instances. Whose process lives has
 * its files open, and the kernel refuses, or is about to open or remove it:
 * another container's process is not seen here, but makes it again.
 */
static void sweep(struct tw_trace *trace, const char *instances)
{
	char path[PATH_MAX + 256];
	struct dirent *entry;
	DIR *dir = opendir(instances);
	int pid;

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", instances,
			 entry->d_name);
		pid = owner_of(entry->d_name);
		if (pid && !lives(pid) && !rmdir(path) && !trace->removed++)
			snprintf(trace->first_removed,
				 sizeof(trace->first_removed), "%.63s",
				 entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (trace->removed)
		settle();
}

/* Descriptors of the sides keep it busy for as long as these take to die. */
static int remove_instance(const void *what)
{
	const struct tw_trace *trace = what;
	const struct timespec pause = tw_ns_to_ts(RETRY_NS);
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + REMOVE_NS;

	while (rmdir(trace->dir)) {
		if (errno == ENOENT)
			return 0;
		if (errno != EBUSY || tw_now_ns(CLOCK_MONOTONIC) > end_ns)
			return -errno;
		nanosleep(&pause, NULL);
	}
	settle();
	return 0;
}

/*
 * A name that nobody has: in another container, our PID may be another's. By
 * the time, as for random numbers a system that has just booted may wait.
 */
static void choose_name(struct tw_trace *trace, const char *instances)
{
	do
		snprintf(trace->dir, sizeof(trace->dir), "%.*s/" TW_TRACE_NAME,
			 (int)sizeof(trace->dir) - 64, instances,
			 (int)getpid(),
			 (unsigned int)tw_now_ns(CLOCK_MONOTONIC));
	while (!access(trace->dir, F_OK));
}

/* Makes it; from the moment that its files are open, nobody removes it. */
static int make(struct tw_trace *trace, struct tw_trace_fds *fds, char *why)
{
	int err = tw_guard_open(&trace->guard, remove_instance, trace, -1);

	if (err)
		return tw_trace_tell(why, "guardian", err);
	if (mkdir(trace->dir, 0700))
		err = tw_trace_tell(why, trace->dir, -errno);
	if (!err)
		err = tw_trace_open_fds(fds, trace->dir, why);
	if (err)
		tw_guard_close(&trace->guard);
	return err;
}

int tw_trace_open_own(struct tw_trace *trace, struct tw_trace_fds *fds,
		      const char *events, const cpu_set_t *cpus,
		      char why[TW_TRACE_WHY])
{
	char tracefs[PATH_MAX - 128], instances[PATH_MAX - 96];
	int err, i;

	err = tw_trace_here(tracefs, sizeof(tracefs), why);
	if (err)
		return err;
	snprintf(instances, sizeof(instances), "%s/instances", tracefs);
	sweep(trace, instances);
	/* Another test's sweep may come between its making and its opening. */
	i = 0;
	do {
		choose_name(trace, instances);
		err = make(trace, fds, why);
	} while ((err == -ENOENT || err == -ENODEV) && ++i < TRIES);
	if (err) {
		trace->dir[0] = '\0';
		return err;
	}
	err = set_up(trace->dir, events, cpus, why);
	if (err) {
		tw_trace_close_fds(fds);
		tw_trace_close(trace);
	}
	return err;
}

int tw_trace_collect(const struct tw_trace *trace, int64_t from_ns,
		     char **text)
{
	char path[PATH_MAX + 8];
	size_t cut;
	FILE *file;
	int err;

	snprintf(path, sizeof(path), "%s/trace", trace->dir);
	file = fopen(path, "r");
	if (!file)
		return -errno;
	err = tw_trace_filter(file, from_ns, SIZE_MAX, text, &cut);
	fclose(file);
	return err;
}

void tw_trace_close(struct tw_trace *trace)
{
	if (!trace->dir[0])
		return;
	tw_guard_close(&trace->guard);
	trace->dir[0] = '\0';
}
