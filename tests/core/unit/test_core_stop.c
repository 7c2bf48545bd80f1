// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether the kernel stopped real-time tasks, from a made /proc; times in ms. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"
#include "tw_check.h"
#include "tw_others.h"
#include "tw_proc.h"
#include "tw_read.h"
#include "tw_spent.h"
#include "tw_stop.h"
#include "tw_time.h"

#define CLIENT		20	/* on CPU 1 */
#define SERVER		21	/* likewise */
#define LOAD		30
#define ORDINARY	40
#define BOOT		100000	/* when it begins, since boot */
#define BOTH		3
#define TICK		10

static struct given {
	const char *name;
	int limit, fair;	/* runtime of the limit, and of the fair server */
	int percent;		/* of the CPU that the load uses from... */
	int begin;		/* ...then on; it lives since then, too */
	int from, to;		/* the delay */
	int waited;		/* how much of it */
	bool left;		/* by the load, to others */
	enum tw_proof proof;
	int rules, used;
	int cpu;		/* of the load; -1: any */
	int host;		/* percent that the host takes */
	bool host_only;		/* it takes the delay, too */
	int starved[2];		/* when no sample is taken */
	int seen;		/* when the load became real-time */
	bool untold;
	int ran;		/* of the load, before it all began */
} given[] = {
	{ "a stop", 950, 50, 100, -3000, 1950, 2000, 50, true, TW_STOPPED,
	  BOTH, 950, .cpu = 1 },
	{ "at a sample", 950, 50, 100, -3000, 1900, 1950, 50, true, TW_STOPPED,
	  BOTH, 975, .cpu = 1 },
	{ "across one", 950, 50, 100, -3000, 1930, 1980, 50, true, TW_STOPPED,
	  BOTH, 950, .cpu = 1 },
	{ "a part of the delay", 950, 50, 100, -3000, 1950, 2000, 38, true,
	  TW_STOPPED, BOTH, 950, .cpu = 1 },
	{ "too small a part", 950, 50, 100, -3000, 1950, 2000, 36, true,
	  TW_NOT_STOPPED, 0, 0, .cpu = 1 },
	{ "a signal", 950, 50, 100, -3000, 1950, 2000, 1, true,
	  TW_NOT_STOPPED, 0, 0, .cpu = 1 },
	{ "a task that outranks it", 950, 50, 100, -3000, 1950, 2000, 50,
	  false, TW_NOT_STOPPED, 0, 0, .cpu = 1 },
	{ "a load below the limit", 950, 50, 85, -3000, 1950, 2000, 50, true,
	  TW_STOP_UNKNOWN, 0, 0, .cpu = 1 },
	{ "a load at the limit", 950, 50, 92, -3000, 1950, 2000, 50, true,
	  TW_STOPPED, BOTH, 874, .cpu = 1 },
	{ "a load on another CPU", 950, 50, 100, -3000, 1950, 2000, 50, true,
	  TW_STOP_UNKNOWN, 0, 0, .cpu = 0 },
	{ "a load that may move", 950, 50, 100, -3000, 1950, 2000, 50, true,
	  TW_STOPPED, BOTH, 950, .cpu = -1 },
	{ "a load that has just begun", 950, 50, 100, 1250, 1950, 2000, 50,
	  true, TW_STOP_UNKNOWN, 0, 0, .cpu = 1, .seen = -3000 },
	{ "a second", 950, 50, 100, -3000, 1000, 2000, 1000, true,
	  TW_NOT_STOPPED, 0, 0, .cpu = 1 },
	{ "a short one", 950, 50, 100, -3000, 1987, 2000, 13, true, TW_STOPPED,
	  BOTH, 987, .cpu = 1 },
	{ "too short", 950, 50, 100, -3000, 1988, 2000, 12, true,
	  TW_NOT_STOPPED, 0, 0, .cpu = 1 },
	{ "the limit alone", 950, 0, 100, -3000, 1950, 2000, 50, true,
	  TW_STOPPED, 1 << TW_STOP_LIMIT, 950, .cpu = 1 },
	{ "the fair server alone", 0, 50, 100, -3000, 1950, 2000, 50, true,
	  TW_STOPPED, 1 << TW_STOP_FAIR, 950, .cpu = 1 },
	{ "neither", 0, 0, 100, -3000, 1950, 2000, 50, true, TW_NOT_STOPPED,
	  0, 0, .cpu = 1 },
	{ "half of each second", 500, 50, 100, -3000, 2500, 3000, 500, true,
	  TW_STOPPED, 1 << TW_STOP_LIMIT, 500, .cpu = 1 },
	{ "half, by the fair server", 500, 50, 100, -3000, 2950, 3000, 50,
	  true, TW_STOPPED, 1 << TW_STOP_FAIR, 950, .cpu = 1 },
	{ "half, by a smaller load", 500, 50, 70, -3000, 2500, 3000, 500, true,
	  TW_STOP_UNKNOWN, 0, 0, .cpu = 1 },
	{ "main had no time", 950, 50, 100, -3000, 3950, 4000, 50, true,
	  TW_STOPPED, BOTH, 966, .cpu = 1, .starved = { 2500, 4000 } },
	{ "main had no time for long", 950, 50, 100, -3000, 5950, 6000, 50,
	  true, TW_STOP_UNKNOWN, 0, 0, .cpu = 1, .starved = { 2500, 6000 } },
	{ "this kernel does not tell", 950, 50, 100, -3000, 1950, 2000, 50,
	  true, TW_STOP_UNKNOWN, 0, 0, .cpu = 1, .untold = true },
	{ "a host that takes some", 950, 50, 85, -3000, 1950, 2000, 50, true,
	  TW_STOPPED, BOTH, 950, .cpu = 1, .host = 15 },
	{ "a host that takes all", 950, 50, 100, -3000, 1950, 2000, 50, true,
	  TW_NOT_STOPPED, 0, 0, .cpu = 1, .host_only = true },
	{ "before it was looked at", 950, 50, 100, -5000, 150, 200, 50, true,
	  TW_STOPPED, BOTH, 902, .cpu = 1, .ran = 4750 },
	{ "a load that was idle before", 950, 50, 100, -5000, 150, 200, 50,
	  true, TW_STOP_UNKNOWN, 0, 0, .cpu = 1, .ran = 2000 },
	{ "a load that is new", 950, 50, 100, -5000, 1950, 2000, 50, true,
	  TW_STOP_UNKNOWN, 0, 0, .cpu = 1, .seen = 1500, .ran = 4750 },
}, *scene;

static int now;			/* ms since the begin */
static double ran, waited, host;
static int opened;		/* of files */

static int64_t ns(double ms)
{
	return (int64_t)(ms * TW_NS_PER_MS);
}

/* Another ms: who has the CPU in it. */
static void pass(void)
{
	bool delay = now >= scene->from && now < scene->to;
	bool load = now >= scene->begin && !(delay && scene->left);

	if (load)
		ran += scene->percent / 100.0;
	if (delay && now < scene->from + scene->waited)
		waited++;
	host += delay && scene->left ? scene->host_only : scene->host / 100.0;
	now++;
}

int __wrap_clock_gettime(clockid_t clockid, struct timespec *to);
int __wrap_clock_gettime(clockid_t clockid, struct timespec *to)
{
	*to = tw_ns_to_ts(ns(now + BOOT) - (clockid == CLOCK_MONOTONIC));
	return 0;
}

static int open_file(const char *path)
{
	int id = -1;

	if (!strcmp(path, "/proc/thread-self/schedstat"))
		return scene->untold ? -1 : 1000 + opened++;
	opened++;
	assert_int_equal(sscanf(path, "/proc/%d/schedstat", &id), 1);
	return id;
}

int __wrap_open(const char *path, int flags);
int __wrap_open(const char *path, int flags)
{
	(void)flags;
	return open_file(path);
}

int __wrap_open64(const char *path, int flags);
int __wrap_open64(const char *path, int flags)
{
	(void)flags;
	return open_file(path);
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
	(void)fd;
	opened--;
	return 0;
}

static ssize_t read_file(int fd, void *text, size_t size)
{
	if (fd < 0)
		return -1;
	return snprintf(text, size, "%lld %lld 5\n",
			(long long)(fd == LOAD ? ns(ran) : ns(1)),
			(long long)(fd == CLIENT ? ns(waited) : ns(2)));
}

ssize_t __wrap_pread(int fd, void *text, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *text, size_t size, off_t at)
{
	(void)at;
	return read_file(fd, text, size);
}

ssize_t __wrap_pread64(int fd, void *text, size_t size, off_t at);
ssize_t __wrap_pread64(int fd, void *text, size_t size, off_t at)
{
	(void)at;
	return read_file(fd, text, size);
}

int __wrap_sched_getaffinity(pid_t id, size_t size, cpu_set_t *cpus);
int __wrap_sched_getaffinity(pid_t id, size_t size, cpu_set_t *cpus)
{
	(void)size;
	CPU_ZERO(cpus);
	CPU_SET(id == LOAD && scene->cpu >= 0 ? scene->cpu : 1, cpus);
	if (id == LOAD && scene->cpu < 0)
		CPU_SET(2, cpus);
	return 0;
}

bool __wrap_tw_proc_stat(struct tw_stat *stat, int pid, int tid);
bool __wrap_tw_proc_stat(struct tw_stat *stat, int pid, int tid)
{
	(void)pid;
	assert_int_equal(tid, LOAD);
	stat->field[TW_STAT_CPU] = 1;
	return true;
}

bool __wrap_tw_read_text(char *text, size_t size, const char *path);
bool __wrap_tw_read_text(char *text, size_t size, const char *path)
{
	(void)path;
	snprintf(text, size, "ours");
	return true;
}

int __wrap_tw_snapshot_read_cpus(struct tw_snapshot *to);
int __wrap_tw_snapshot_read_cpus(struct tw_snapshot *to)
{
	to->cpu[1].host_ns = scene->host || scene->host_only ? ns(host) + 1 : 0;
	return 0;
}

int __wrap_tw_snapshot_read(struct tw_snapshot *to);
int __wrap_tw_snapshot_read(struct tw_snapshot *to)
{
	const struct tw_task ordinary = { .id = ORDINARY, .cpu = 1 };
	const struct tw_task migration = {
		.id = ORDINARY + 1, .cpu = 1, .policy = SCHED_FIFO,
		.priority = 99, .kernel = true, .ns = ns(BOOT),
	};
	struct tw_task load = {
		.id = LOAD, .cpu = 1, .policy = SCHED_RR, .priority = 1,
		.ns = ns(ran), .name = "load",
		.start = (uint64_t)(scene->begin < -3000 || !scene->seen ?
				    scene->begin + BOOT : 0) / TICK,
	};

	to->count = 0;
	to->task[to->count++] = ordinary;
	to->task[to->count++] = migration;
	if (now >= scene->seen)
		to->task[to->count++] = load;
	return __wrap_tw_snapshot_read_cpus(to);
}

bool __wrap_tw_facts_rt_limit(int64_t *runtime_us, int64_t *period_us);
bool __wrap_tw_facts_rt_limit(int64_t *runtime_us, int64_t *period_us)
{
	*runtime_us = scene->limit * 1000;
	*period_us = 1000000;
	return scene->limit;
}

bool __wrap_tw_facts_fair_server(int64_t *runtime_ns);
bool __wrap_tw_facts_fair_server(int64_t *runtime_ns)
{
	*runtime_ns = ns(scene->fair);
	return scene->fair;
}

/* A sample each 100 ms, the last one after the delay. */
static void run(struct given *of)
{
	cpu_set_t cpus;

	scene = of;
	opened = 0;
	now = 0;
	ran = scene->ran ? scene->ran : scene->begin < 0 ? -scene->begin * 0.95 : 0;
	waited = 7;
	host = 5000;
	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	tw_stop_read();
	tw_spent_begin(&cpus, TW_NS_PER_S);
	do {
		pass();
		if (now % 100 || (now > scene->starved[0] && now < scene->starved[1]))
			continue;
		if (now == 100) {
			tw_spent_add(CLIENT, NULL);
			tw_spent_add(SERVER, NULL);
			tw_spent_add(SERVER, NULL);
		}
		tw_spent_sample(false);
	} while (now % 100 || now < scene->to);
}

static struct tw_wait wait_of(int from, int to)
{
	return (struct tw_wait) {
		.ids = { CLIENT, SERVER }, .begin_ns = ns(from + BOOT),
		.end_ns = ns(to + BOOT) - 1,
	};
}

TEST_EACH(test_proof, given)
{
	struct tw_wait wait = wait_of(of->from, of->to);
	int i, rules = 0;

	run((struct given *)of);
	assert_int_equal(tw_stop_prove(&wait), of->proof);
	if (of->proof == TW_STOPPED) {
		for (i = 0; i < TW_STOP_RULES; i++)
			rules |= wait.rules[i] << i;
		assert_int_equal(rules, of->rules);
		assert_int_equal(wait.cpu, 1);
		assert_int_equal(wait.period_ns, TW_NS_PER_S);
		assert_in_range(wait.used_ns, ns(of->used - 12),
				ns(of->used + 12));
		assert_string_equal(wait.most.name, "load");
		assert_int_equal(wait.most.id, LOAD);
		assert_in_range(wait.most.ns, 1, wait.used_ns);
		/* What it has waited is spent now. */
		wait = wait_of(of->from, of->to);
		assert_int_equal(tw_stop_prove(&wait), TW_NOT_STOPPED);
	}
	tw_spent_end();
	assert_int_equal(opened, 0);
}

/* The same for a delay in which all of ours take part, or none. */
TEST(test_who_takes_part)
{
	struct tw_wait wait = wait_of(1950, 2000);

	run(&given[0]);
	wait.ids[0] = SERVER;
	assert_int_equal(tw_stop_prove(&wait), TW_NOT_STOPPED);
	wait.ids[0] = wait.ids[1] = LOAD;
	assert_int_equal(tw_stop_prove(&wait), TW_STOP_UNKNOWN);
	wait.ids[0] = wait.ids[1] = 0;
	assert_int_equal(tw_stop_prove(&wait), TW_STOPPED);
	tw_spent_end();
}

/* It has ended, but left what it has spent. */
TEST(test_a_task_that_has_ended)
{
	struct tw_spent left = { .ran_ns = 0 };
	struct tw_wait wait = wait_of(1950, 2000);

	run(&given[0]);
	tw_spent_add(LOAD + 100, &left);
	left = (struct tw_spent) { ns(1), ns(0) };
	tw_spent_sample(true);
	assert_int_equal(tw_stop_prove(&wait), TW_STOPPED);
	tw_spent_end();
}

TEST(test_fits)
{
	const struct tw_stop rule = { ns(50), ns(1000) };
	const struct tw_stop tiny = { ns(1), ns(1000) }, none = { 0, 0 };

	assert_false(tw_stop_fits(&rule, ns(12.4)));
	assert_true(tw_stop_fits(&rule, ns(12.5)));
	assert_true(tw_stop_fits(&rule, ns(75)));
	assert_false(tw_stop_fits(&rule, ns(75) + 1));
	assert_false(tw_stop_fits(&tiny, ns(1) - 1));
	assert_true(tw_stop_fits(&tiny, ns(1)));
	assert_false(tw_stop_fits(&none, 0));
	assert_false(tw_stop_fits(&none, ns(50)));
}
