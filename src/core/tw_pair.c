// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory of a pair, and its two processes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tw_break.h"
#include "tw_memory.h"
#include "tw_part.h"
#include "tw_place.h"
#include "tw_time.h"

void *tw_pair_room(const struct tw_run *run, int pair,
		   const struct tw_part *part)
{
	return tw_part_room(run->pairs[pair]->rooms, run, part);
}

/* The client uses this memory in each cycle, so it is put on its node. */
static void bind_to_node(void *memory, size_t size, int pair)
{
	cpu_set_t cpus;

	tw_place(TW_CLIENT, pair, &cpus);
	tw_memory_bind(memory, size, tw_place_single(&cpus));
}

static void map(struct tw_run *run, int number)
{
	struct tw_pair *pair = mmap(NULL, run->pair_size,
				    PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (pair == MAP_FAILED)
		tw_say_fatal("no memory for pair %d: %m\n", number);
	madvise(pair, run->pair_size, MADV_DONTFORK);
	bind_to_node(pair, run->pair_size, number);
	pair->number = number;
	pair->tally.params = tw_config_params(number);
	run->pairs[number] = pair;
	tw_part_attach(pair->rooms, run, number);
}

void tw_pair_map_all(struct tw_run *run)
{
	int64_t kib = (int64_t)sysconf(_SC_PHYS_PAGES) *
		      sysconf(_SC_PAGESIZE) / 1024;
	int i;

	run->pair_size = sizeof(struct tw_pair) + tw_part_rooms(run);
	if ((int64_t)run->pair_size / 1024 > kib / 2 / tw_config.pairs)
		tw_say_fatal("the results of %d pairs need %zu KiB of memory each; allowed is half of this system's %lld KiB in all\n",
			     (int)tw_config.pairs, run->pair_size / 1024,
			     (long long)kib);
	for (i = 0; i < tw_config.pairs; i++)
		map(run, i);
}

/* Touches every page, so that no page fault happens in a cycle. */
static void prefault(void *memory, size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE), at;
	volatile char *bytes = memory;

	for (at = 0; at < size; at += page)
		bytes[at] = bytes[at];
}

/* The parts whose record() the client calls, with their memory. */
static struct recorder {
	void (*lose)(void *room, const struct tw_cycle *cycle);
	bool (*record)(void *room, const struct tw_cycle *cycle,
		       const int64_t values_ns[]);
	void *room;
} *recorders;			/* the last has no record() */

static int list_recorders(const struct tw_run *run, int pair)
{
	struct recorder *next;
	int i;

	for (i = 0; tw_parts[i]; i++)
		;
	next = recorders = calloc(i + 1, sizeof(*next));
	if (!next)
		return -ENOMEM;
	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->record &&
		    tw_pair_room(run, pair, tw_parts[i]))
			*next++ = (struct recorder) {
				tw_parts[i]->lose, tw_parts[i]->record,
				tw_pair_room(run, pair, tw_parts[i])
			};
	return 0;
}

/* A cycle without a reply, or left out, has missed expiries, but no metrics. */
static void lose(struct tw_pair *pair, const struct tw_cycle *cycle)
{
	int i;

	tw_tally_add(&pair->tally, NULL, cycle->missed);
	for (i = 0; recorders[i].record; i++)
		if (recorders[i].lose)
			recorders[i].lose(recorders[i].room, cycle);
}

static bool record(void *sink, const struct tw_cycle *cycle)
{
	struct tw_pair *pair = sink;
	int64_t values_ns[TW_SPANS];
	bool end = false;
	int i;

	if (!cycle->t3_ns) {
		lose(pair, cycle);
		return false;
	}
	tw_metric_values(values_ns, cycle, &pair->tally.params);
	tw_tally_add(&pair->tally, values_ns, cycle->missed);
	for (i = 0; recorders[i].record; i++)
		end |= recorders[i].record(recorders[i].room, cycle, values_ns);
	return end;
}

/* What ends the run is told at once, without the server's stamps. */
static bool breaks(const struct tw_pair *pair, const struct tw_cycle *cycle)
{
	int64_t values_ns[TW_SPANS];

	if (!tw_break_limit_us || !tw_break_ends)
		return false;
	tw_metric_values(values_ns, cycle, &pair->tally.params);
	return tw_break_exceeds(values_ns);
}

/* With a server's stamps: the cycle before has them now, this one has not. */
static bool hold(void *sink, const struct tw_cycle *cycle)
{
	struct tw_pair *pair = sink;
	struct tw_cycle *held = &pair->progress.held;
	bool end = held->seq && record(pair, held);

	held->seq = 0;
	if (!cycle->t3_ns || breaks(pair, cycle))
		return record(pair, cycle) || end;
	*held = *cycle;
	return end;
}

void tw_pair_release(const struct tw_run *run, int number)
{
	struct tw_pair *pair = run->pairs[number];

	if (!pair->progress.held.seq)
		return;
	if (list_recorders(run, number))
		tw_say_fatal("no memory for the end of the run\n");
	record(pair, &pair->progress.held);
	pair->progress.held.seq = 0;
	free(recorders);
}

static int64_t us_of(const struct timeval *time)
{
	return time->tv_sec * 1000000LL + time->tv_usec;
}

void tw_usage_add(struct tw_usage *to, int sign)
{
	struct rusage now = { .ru_minflt = 0 };

	getrusage(RUSAGE_THREAD, &now);
	to->faults += sign * (now.ru_minflt + now.ru_majflt);
	to->switches += sign * (now.ru_nvcsw + now.ru_nivcsw);
	to->cpu_us += sign * (us_of(&now.ru_utime) + us_of(&now.ru_stime));
}

/* Until all processes have closed the write end, or a stop signal comes. */
static void await_end(int fd)
{
	char byte;

	if (read(fd, &byte, 1) < 0 && errno != EINTR)
		_exit(errno);
}

/* What fork() hands over. */
struct side {
	struct tw_run *run;
	struct tw_pair *pair;
	enum tw_role role;
	int fd, other_fd;	/* its end, the other side's; -1: closed */
};

static int run_loop(const struct side *side)
{
	struct tw_control *control = side->run->control;
	struct tw_pair *pair = side->pair;
	const struct tw_loop loop = {
		.fd = side->fd, .link = tw_config.link,
		.pair = pair->number, .size = tw_config.size,
		.request = calloc(1, tw_config.size),
		.now_ns = tw_config.clock->now_ns, .timer = tw_config.timer,
		.period_ns = pair->tally.params.period_ns,
		.first_ns = &control->first_ns,
		.offset_ns = pair->number * tw_config.aligned_us * TW_NS_PER_US,
		.wait = tw_config.wait,
		.sleep_ns = pair->tally.params.sleep_ns,
		.warmup = tw_config.warmup, .loops = tw_config.loops,
		.duration_ns = tw_config.duration_s * TW_NS_PER_S,
		.end_ns = &pair->end_ns, .stop = &control->stop,
		.progress = &pair->progress, .sink = pair,
		.record = tw_metric_count > TW_METRICS &&
			  tw_metric_has_server() ? hold : record,
	};
	/* Of a process that is killed nothing is known. */
	struct tw_usage used = pair->usage[side->role];
	int err;

	if (!loop.request)
		return -ENOMEM;
	prefault(loop.request, loop.size);
	await_end(side->run->go[0]);
	tw_usage_add(&used, -1);
	err = side->role == TW_CLIENT ? tw_client_run(&loop) :
	      side->run->serve(&loop);
	tw_usage_add(&used, 1);
	pair->usage[side->role] = used;
	return err;
}

static int live(void *arg)
{
	const struct side *side = arg;
	struct tw_run *run = side->run;
	struct tw_pair *pair = side->pair;
	int err;

	/*
	 * An open copy would hide that the other side has ended, or that all
	 * are ready.
	 */
	close(side->other_fd);
	close(run->go[1]);
	if (side->role == TW_SERVER) {
		close(run->done[1]);
		return run_loop(side);
	}
	err = list_recorders(run, pair->number);
	if (err)
		return err;
	prefault(pair, run->pair_size);
	err = run_loop(side);
	/*
	 * Exiting takes milliseconds at real-time priority and would disturb
	 * other pairs. So wait until all clients have finished.
	 */
	close(run->done[1]);
	if (!err && !run->control->stop)
		await_end(run->done[0]);
	return err;
}

void tw_pair_connect(struct tw_run *run, int number)
{
	struct tw_pair *pair = run->pairs[number];
	int err = tw_config.link->open(&pair->fd[TW_CLIENT],
				       &pair->fd[TW_SERVER]);

	if (err)
		tw_say_fatal("cannot connect client and server of pair %d over %s: %s; needed is %s\n",
			     number, tw_config.link->name, strerror(-err),
			     err == -EMFILE ? "a higher \"ulimit -n\"" :
			     err == -EPERM ? "that no other process connects to its port" :
			     err == -ETIMEDOUT ? "CPU time for the kernel's network (ksoftirqd), which real-time tasks may take" :
			     tw_config.link->needed);
}

int tw_pair_start_process(struct tw_run *run, int number, enum tw_role role)
{
	struct tw_pair *pair = run->pairs[number];
	int err;
	struct side side = {
		run, pair, role, pair->fd[role],
		pair->fd[role == TW_CLIENT ? TW_SERVER : TW_CLIENT]
	};

	/* The other pairs' processes do not need it. */
	madvise(pair, run->pair_size, MADV_DOFORK);
	err = tw_process_start(&pair->process[role], role, number,
			       tw_config_rank(role, number), live, &side);
	run->failed |= err && err != -EINTR;
	madvise(pair, run->pair_size, MADV_DONTFORK);
	close(pair->fd[role]);
	pair->fd[role] = -1;
	return err;
}

void tw_pair_start(struct tw_run *run, int number)
{
	tw_pair_connect(run, number);
	if (!tw_pair_start_process(run, number, TW_SERVER))
		tw_pair_start_process(run, number, TW_CLIENT);
}
