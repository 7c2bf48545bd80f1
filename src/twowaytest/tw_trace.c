// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tw_event.h"
#include "tw_time.h"
#include "tw_trace.h"

#define LOCKDOWN	"/sys/kernel/security/lockdown"
/* Of a used CPU: 20 ms at a million events a second. Others get the least. */
#define RING_KB		2048
#define RING_LEAST_KB	8
#define RINGS_KB	131072	/* of all used ones, where there are many */
#define REMOVE_NS	(2 * TW_NS_PER_S)
#define RETRY_NS	(5 * TW_NS_PER_MS)

int tw_trace_find(char *dir, size_t size, const char *mounts)
{
	FILE *file = setmntent(mounts, "r");
	struct mntent entry;
	char line[PATH_MAX + 256];
	int err = -ENOENT;

	while (file && err &&
	       getmntent_r(file, &entry, line, sizeof(line))) {
		if (!strcmp(entry.mnt_type, "tracefs")) {
			snprintf(dir, size, "%s", entry.mnt_dir);
			err = 0;
		}
	}
	if (file)
		endmntent(file);
	return err;
}

static bool locked_down(void)
{
	char state[128] = "";
	FILE *file = fopen(LOCKDOWN, "r");

	if (!file)
		return false;
	if (!fgets(state, sizeof(state), file))
		state[0] = '\0';
	fclose(file);
	return strstr(state, "[integrity]") ||
	       strstr(state, "[confidentiality]");
}

/* Why tracefs cannot be used, and what to do. */
static int tell(char *why, const char *path, int err)
{
	if (err == -ENOENT)
		snprintf(why, TW_TRACE_WHY,
			 "tracefs is not mounted, or lacks %.160s; as root: mount -t tracefs nodev /sys/kernel/tracing",
			 path);
	else if ((err == -EPERM || err == -EACCES) && locked_down())
		snprintf(why, TW_TRACE_WHY,
			 "%.160s: kernel lockdown forbids tracing (%s); boot without lockdown=, or without Secure Boot",
			 path, LOCKDOWN);
	else if (err == -EPERM || err == -EACCES)
		snprintf(why, TW_TRACE_WHY, "%.160s: %s; it needs root", path,
			 strerror(-err));
	else if (err == -EROFS)
		snprintf(why, TW_TRACE_WHY,
			 "%.160s: tracefs is mounted read-only; as root: mount -o remount,rw on it",
			 path);
	else
		snprintf(why, TW_TRACE_WHY, "%.160s: %s", path,
			 strerror(-err));
	return err;
}

static int find(char *dir, size_t size, char *why)
{
	int err = tw_trace_find(dir, size, "/proc/self/mounts");

	/* Where it is mounted but not for our eyes, that is what is told. */
	return err ? tell(why, "/sys/kernel/tracing", err) : 0;
}

static int open_in(const char *dir, const char *name, int flags, char *why)
{
	char path[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? tell(why, path, -errno) : fd;
}

static int open_fds(struct tw_trace_fds *fds, const char *dir, char *why)
{
	fds->mark = open_in(dir, "trace_marker", O_WRONLY, why);
	if (fds->mark < 0)
		return fds->mark;
	fds->stop = open_in(dir, "tracing_on", O_WRONLY, why);
	if (fds->stop < 0) {
		int err = fds->stop;

		tw_trace_close_fds(fds);
		return err;
	}
	return 0;
}

void tw_trace_close_fds(struct tw_trace_fds *fds)
{
	if (fds->mark >= 0)
		close(fds->mark);
	if (fds->stop >= 0)
		close(fds->stop);
	fds->mark = -1;
	fds->stop = -1;
}

int tw_trace_open_user(struct tw_trace_fds *fds, char why[TW_TRACE_WHY])
{
	char dir[PATH_MAX];
	int err = find(dir, sizeof(dir), why);

	return err ? err : open_fds(fds, dir, why);
}

static int write_in(const char *dir, const char *name, const char *text,
		    char *why)
{
	int fd = open_in(dir, name, O_WRONLY | O_APPEND, why);
	int err = 0;

	if (fd < 0)
		return fd;
	if (write(fd, text, strlen(text)) < 0)
		err = tell(why, name, -errno);
	close(fd);
	return err;
}

/* A mask as the kernel reads it: words of 32 bits, the highest first. */
static int limit_to(const char *dir, const cpu_set_t *cpus, char *why)
{
	char text[CPU_SETSIZE / 32 * 9 + 1];
	int used = 0, word, bit;

	for (word = CPU_SETSIZE / 32 - 1; word >= 0; word--) {
		uint32_t bits = 0;

		for (bit = 0; bit < 32; bit++)
			if (CPU_ISSET(word * 32 + bit, cpus))
				bits |= UINT32_C(1) << bit;
		/* It refuses words beyond those that it knows of. */
		if (bits || used || !word)
			used += snprintf(text + used, sizeof(text) - used,
					 "%s%08x", used ? "," : "", bits);
	}
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

static int trace_events(const char *dir, const char *events, char *why)
{
	char list[1024], *word, *rest;
	int err = 0;

	snprintf(list, sizeof(list), "%s", events ? events : TW_TRACE_EVENTS);
	for (word = strtok_r(list, ", ", &rest); word && !err;
	     word = strtok_r(NULL, ", ", &rest))
		err = trace_event(dir, word, events != NULL, why);
	return err;
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
	return 0;
}

/*
 * It takes over what the user has set for the trace of all: what our reading
 * and the ring's purpose need is set again. Not every kernel has each.
 */
static void set_options(const char *dir, char *why)
{
	static const char *const options[] = {
		"overwrite", "context-info", "irq-info", "nolatency-format",
		"noraw", "nohex", "nobin",
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

int tw_trace_open_own(struct tw_trace *trace, struct tw_trace_fds *fds,
		      const char *events, const cpu_set_t *cpus,
		      char why[TW_TRACE_WHY])
{
	size_t used;
	int err;

	err = find(trace->dir, sizeof(trace->dir) - 64, why);
	if (err)
		return err;
	used = strlen(trace->dir);
	snprintf(trace->dir + used, sizeof(trace->dir) - used,
		 "/instances/twowaytest-%d", (int)getpid());
	err = tw_guard_open(&trace->guard, remove_instance, trace, -1);
	if (err)
		return tell(why, "guardian", err);
	if (mkdir(trace->dir, 0700))
		err = tell(why, trace->dir, -errno);
	if (!err)
		err = set_up(trace->dir, events, cpus, why);
	if (!err)
		err = open_fds(fds, trace->dir, why);
	if (err)
		tw_trace_close(trace);
	return err;
}

int tw_trace_filter(FILE *file, int64_t from_ns, char **text)
{
	struct tw_event event;
	char *line = NULL;
	size_t room = 0, size;
	FILE *out;
	int err;

	out = open_memstream(text, &size);
	if (!out)
		return -errno;
	while (getline(&line, &room, file) >= 0)
		if (!tw_event_parse(line, &event) || event.time_ns >= from_ns)
			fputs(line, out);
	free(line);
	err = ferror(file) || ferror(out) ? -EIO : 0;
	if (fclose(out) && !err)
		err = -errno;
	if (err)
		free(*text);
	return err;
}

int tw_trace_collect(const struct tw_trace *trace, int64_t from_ns,
		     char **text)
{
	char path[PATH_MAX + 8];
	FILE *file;
	int err;

	snprintf(path, sizeof(path), "%s/trace", trace->dir);
	file = fopen(path, "r");
	if (!file)
		return -errno;
	err = tw_trace_filter(file, from_ns, text);
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
