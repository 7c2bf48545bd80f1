// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tw_guard.h"
#include "tw_mark.h"
#include "tw_part.h"
#include "tw_string.h"
#include "tw_time.h"
#include "tw_tracefs.h"

#define NAME		"twowaytest-%d-%08x"	/* PID, and what makes it unique */
/*
 * Of a used CPU: the limit of -b and 20 ms, at a million events a second, as far
 * as all is read within a few seconds. Others get the least.
 */
#define RING_KB_PER_MS	100
#define RING_MS		20
#define RING_MOST_MS	40
#define RING_LEAST_KB	8
#define RINGS_KB	32768	/* of all used ones, where there are many */
#define TRIES		10
#define REMOVE_MS	4000
#define SETTLE_MS	100

/*
 * The usual events: only those that the analysis reads, because each event
 * delays what is measured. Events that the kernel lacks are left out. netif_rx
 * is the path of a message through the loopback device.
 */
#define EVENTS	"sched:sched_switch,sched:sched_waking," \
		"sched:sched_migrate_task,sched:sched_pi_setprio," \
		"lock:contention_begin,lock:contention_end," \
		"irq:irq_handler_entry,irq:irq_handler_exit," \
		"irq:softirq_entry,irq:softirq_exit,irq_vectors," \
		"ipi:ipi_entry,ipi:ipi_exit,ipi:ipi_send_cpu," \
		"ipi:ipi_send_cpumask,net:netif_rx"
#define ALLOWED	"allowed is stack, and a list of systems (irq), events (sched_switch) or system:event out of available_events in tracefs"

const char *tw_tracefs_events, *tw_tracefs_file;

int64_t tw_tracefs_ring_kb;
const char *tw_tracefs_woken, *tw_tracefs_next;

static char instances[64];
static struct tw_tracefs first, *own = &first;
static int64_t longest_ms;

static void parse(const struct tw_option *option, char *value)
{
	tw_tracefs_events = value ? value : EVENTS;
	if (value && (!*value || strcspn(value, "!;\n") != strlen(value)))
		tw_option_refuse(option, value, ALLOWED);
}

const struct tw_option tw_tracefs_options[] = {
	{ 0, "trace", TW_LIST, &tw_tracefs_events, "EVENTS", .optional = true,
	  .parse = parse, .with = "--breaktrace", .far = TW_ASKED,
	  .help = "with -b: trace the kernel, say what caused the delay; +EVENTS: these, too; stack: that of the culprit" },
	{ 0, "trace-file", TW_FILE, &tw_tracefs_file, .with = "--trace",
	  .help = "the last 20 ms of it, default PROGRAM-trace.txt" },
	{ .name = NULL }
};

bool tw_tracefs_check(int64_t limit_us)
{
	static char usual[64];

	longest_ms = RING_MS + limit_us * TW_NS_PER_US / TW_NS_PER_MS;
	if (longest_ms > RING_MOST_MS)
		longest_ms = RING_MOST_MS;
	snprintf(usual, sizeof(usual), "%s-trace.txt", tw_program_name);
	if (tw_tracefs_events && !tw_tracefs_file)
		tw_tracefs_file = usual;
	return tw_tracefs_events;
}

void tw_tracefs_use(struct tw_tracefs *which)
{
	own = which;
}

static const char *hint(void)
{
	if (errno == ENOENT)
		return "; tracefs is not mounted, or this kernel cannot trace; as root: mount -t tracefs nodev /sys/kernel/tracing";
	if (errno == EACCES || errno == EPERM)
		return "; needed is root, and no kernel lockdown (Secure Boot)";
	return "";
}

int tw_tracefs_open_in(const char *name, int flags)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", own->path, name);
	return open(path, flags | O_CLOEXEC);
}

/* Returns 0 or -errno. */
static int put(const char *name, const char *text)
{
	int fd = tw_tracefs_open_in(name, O_WRONLY);
	int err = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

void tw_tracefs_put(const char *name, const char *text)
{
	int err = put(name, text);

	if (err)
		tw_say_fatal("--trace: cannot write \"%s\" to %s/%s: %s\n",
			     text, own->path, name, strerror(-err));
}

/* Words of 32 bits, the highest first. */
static void put_mask(const cpu_set_t *cpus)
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
			used += sprintf(text + used, "%s%08x", used ? "," : "",
					bits);
	}
	tw_tracefs_put("tracing_cpumask", text);
}

static void size_rings(const cpu_set_t *cpus)
{
	int64_t kb = RINGS_KB / CPU_COUNT(cpus);
	int cpu;
	char name[64], size[16];

	sprintf(size, "%d", RING_LEAST_KB);
	tw_tracefs_put("buffer_size_kb", size);
	if (longest_ms < kb / RING_KB_PER_MS)
		kb = longest_ms * RING_KB_PER_MS;
	if (tw_tracefs_ring_kb)
		kb = tw_tracefs_ring_kb;
	sprintf(size, "%d", (int)kb);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		sprintf(name, "per_cpu/cpu%d/buffer_size_kb", cpu);
		tw_tracefs_put(name, size);
	}
}

/* What the kernel lacks counts only if the user has asked for it. */
static void add_events(const char *events, bool asked)
{
	/* A comma, a blank, or the + at the begin. */
	char *list = strdup(events), *rest = list, *word;

	while ((word = strsep(&rest, ", +"))) {
		int err = *word ? put("set_event", word) : 0;

		if (err && (asked || (err != -EINVAL && err != -ENOENT)))
			tw_say_fatal("--trace=%s: %s: %s; " ALLOWED "\n",
				     events, word, strerror(-err));
	}
	free(list);
}

#define OURS(name)	"(" name " ~ \"twoway-*\" || " name " ~ \"prim-*\")"

/*
 * Tasks of ours are known by their names; COMM is that of the current task.
 * The stacks of ours and of the idle task tell nothing, so they have no cost.
 * The interrupt of the timer, where it is an event, shows who keeps the CPU for
 * longer than a tick.
 */
static void add_stacks(void)
{
	char text[256];

	snprintf(text, sizeof(text), "stacktrace if common_pid != 0 && %s",
		 tw_tracefs_woken ? tw_tracefs_woken :
		 OURS("comm") " && !" OURS("COMM"));
	tw_tracefs_put("events/sched/sched_waking/trigger", text);
	snprintf(text, sizeof(text), "stacktrace if prev_pid != 0 && %s",
		 tw_tracefs_next ? tw_tracefs_next :
		 OURS("next_comm") " && !" OURS("prev_comm"));
	tw_tracefs_put("events/sched/sched_switch/trigger", text);
	put("events/irq_vectors/local_timer_entry/trigger",
	    "stacktrace if common_pid != 0 && !" OURS("COMM"));
}

/*
 * An instance begins with the options that the user has set for the main trace:
 * what our reading needs is set again. Not every kernel has each. record-cmd
 * stays: to turn it off for us counts as off for whoever else traces.
 */
static void set_options(void)
{
	static const char *const options[] = {
		"overwrite", "annotate", "context-info", "irq-info",
		"nolatency-format", "noraw", "nohex", "nobin", "nofields",
		"nosym-offset", "nosym-addr",
	};
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		put("trace_options", options[i]);
}

/*
 * The kernel frees thousands of files after a removal, in softirqs, for some
 * ms: that is not to fall into what is measured next.
 */
static int remove_instance(void)
{
	int ms, err;

	/* Processes that were killed keep it busy until they are gone. */
	for (ms = 0; rmdir(own->path); ms++) {
		if (errno == EBUSY && ms < REMOVE_MS) {
			usleep(1000);
			continue;
		}
		if (errno == ENOENT)
			return 0;
		err = -errno;
		tw_say_warn("--trace: cannot remove %s: %m\n", own->path);
		return err;
	}
	usleep(SETTLE_MS * 1000);
	return 0;
}

/* The kernel refuses to remove those that a run has open. */
static void remove_stale(void)
{
	DIR *dir = opendir(instances);
	struct dirent *entry;
	unsigned int unique;
	int pid, end, removed = 0;

	while (dir && (entry = readdir(dir))) {
		end = 0;
		sscanf(entry->d_name, NAME "%n", &pid, &unique, &end);
		if (!end || entry->d_name[end] ||
		    unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR))
			continue;
		tw_say_warn("--trace: removed %s/%s, which a killed run has left\n",
			    instances, entry->d_name);
		removed++;
	}
	if (dir)
		closedir(dir);
	if (removed)
		usleep(SETTLE_MS * 1000);
}

static void open_tracefs(void)
{
	snprintf(instances, sizeof(instances), "%s/instances",
		 tw_mark_tracefs());
	if (access(instances, W_OK))
		tw_say_fatal("--trace: %s: %m%s\n", tw_mark_tracefs(), hint());
}

/*
 * By the time, as in another container our PID may be another's. Until it is
 * open, another run may take it for a stale one.
 */
static void make(void)
{
	int i = 0;

	own->stop_fd = -1;
	do {
		snprintf(own->path, sizeof(own->path), "%s/" NAME, instances,
			 (int)getpid(),
			 (unsigned int)tw_now_ns(CLOCK_MONOTONIC));
		tw_guard_start(&own->guard, remove_instance);
		if (!mkdir(own->path, 0700))
			own->stop_fd = tw_tracefs_open_in("tracing_on", O_WRONLY);
		if (own->stop_fd >= 0)
			return;
		if (errno != ENOENT && errno != ENODEV && errno != EEXIST)
			break;
		tw_guard_end(&own->guard);
	} while (++i < TRIES);
	tw_say_fatal("--trace: cannot make %s: %m%s\n", own->path, hint());
}

void tw_tracefs_open(const cpu_set_t *cpus)
{
	const char *events = tw_tracefs_events;
	size_t word = strcspn(events, ", +");
	bool stacks = word == strlen("stack") && !strncmp(events, "stack", word);

	if (stacks)
		events += word + strspn(events + word, ", ");
	if (!*events)
		events = EVENTS;
	open_tracefs();
	remove_stale();
	make();
	tw_tracefs_stop();
	set_options();
	tw_tracefs_put("trace_clock", "mono");
	put_mask(cpus);
	size_rings(cpus);
	if (*events == '+')
		add_events(EVENTS, false);
	add_events(events, strcmp(events, EVENTS));
	if (stacks)
		add_stacks();
	tw_tracefs_put("tracing_on", "1");
}

void tw_tracefs_stop(void)
{
	if (write(own->stop_fd, "0", 1) != 1)
		tw_say_warn("--trace: cannot stop tracing: %m\n");
}

void tw_tracefs_resume(void)
{
	int fd = tw_tracefs_open_in("trace", O_WRONLY | O_TRUNC), err;

	if (fd >= 0)
		close(fd);
	err = put("tracing_on", "1");
	if (err)
		tw_say_warn("--trace: cannot start tracing again: %s\n",
			    strerror(-err));
}

FILE *tw_tracefs_read(void)
{
	int fd = tw_tracefs_open_in("trace", O_RDONLY);

	return fd < 0 ? NULL : fdopen(fd, "r");
}

void tw_tracefs_print_file(FILE *file)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s", tw_tracefs_file);
	tw_string_clean(name);
	fprintf(file, "# Trace: %s\n", name);
}

void tw_tracefs_close(void)
{
	close(own->stop_fd);
	own->stop_fd = -1;
	tw_guard_end(&own->guard);
}

int64_t tw_tracefs_ahead_ns(void)
{
	FILE *file = fopen("/proc/self/timens_offsets", "re");
	int64_t seconds = 0, ns = 0;

	if (!file)
		return 0;
	if (fscanf(file, "monotonic %" SCNd64 " %" SCNd64, &seconds, &ns) != 2)
		seconds = ns = 0;
	fclose(file);
	return seconds * TW_NS_PER_S + ns;
}
