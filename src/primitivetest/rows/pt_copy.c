// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy: each of N threads copies 2 MB, all in the same round. A trial is the
 * copy of one thread, with timestamps of its own: it does not contain that the
 * thread waits for the others or, under a real-time policy, for its CPU.
 */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "pt_rows.h"

#define COPIES_MAX	(PT_TASKS - 1)
#define BYTES		(2 * 1024 * 1024)
#define WORDS		(BYTES / sizeof(uint64_t))
#define SPREAD		UINT64_C(0x9e3779b97f4a7c15)	/* over all bytes */

struct buffers {
	uint64_t from[WORDS], to[WORDS];
};

struct copies {
	pthread_barrier_t barrier;
	struct buffers *buffers;	/* of all threads */
	struct copy {
		struct buffers *buffers;
		struct pt_trial trial;
		int wrong;		/* copies that were no copies */
		struct tw_stats stats;	/* of those recorded */
	} copy[COPIES_MAX];
};

static int fill(struct pt_task *task)
{
	struct copies *copies = pt_room(task);
	struct copy *copy = &copies->copy[task->copy];
	size_t i;

	copy->buffers = &copies->buffers[task->copy];
	for (i = 0; i < WORDS; i++)
		copy->buffers->from[i] = (i + (uint64_t)task->copy) * SPREAD;
	memset(copy->buffers->to, 0, BYTES);
	return 0;
}

/* Each round copies something else. */
static void copy_once(struct pt_task *task, struct copy *copy, uint64_t round)
{
	uint64_t *from = copy->buffers->from, *to = copy->buffers->to;

	from[round % WORDS] += round + 1;
	copy->trial = (struct pt_trial) { .copy = task->copy };
	copy->trial.t_ns[0] = pt_now(task);
	memcpy(to, from, BYTES);
	copy->trial.t_ns[1] = pt_now(task);
	copy->wrong += to[round % WORDS] != from[round % WORDS];
}

static void record(struct pt_task *task, struct copy *copy)
{
	bool was_set = pt_clock_was_set(task->in);
	const int64_t *t_ns;
	int i;

	for (i = 0; i < task->in->task_count && pt_more(task); i++, copy++) {
		t_ns = copy->trial.t_ns;
		if (was_set)
			copy->trial = pt_no_trial;
		else if (!pt_warms_up(task))
			tw_stats_add(&copy->stats, t_ns[1] - t_ns[0], 0);
		pt_record(task, &copy->trial);
	}
}

/* The first of the threads leads, and copies too. */
static int run(struct pt_task *task)
{
	struct copies *copies = pt_room(task);
	struct copy *copy = &copies->copy[task->copy];
	uint64_t round;

	for (round = 0;; round++) {
		if (!task->copy) {
			pt_rest(task);
			pt_more(task);
		}
		pthread_barrier_wait(&copies->barrier);
		if (pt_over(task))
			break;
		copy_once(task, copy, round);
		pthread_barrier_wait(&copies->barrier);
		if (!task->copy)
			record(task, copies->copy);
	}
	if (round)
		copy->wrong += memcmp(copy->buffers->to, copy->buffers->from,
				      BYTES) != 0;
	return 0;
}

static int open_copies(struct pt_case *c)
{
	struct copies *copies = c->room;
	unsigned int count = (unsigned int)c->kind.copies;
	size_t bytes = count * sizeof(*copies->buffers);

	copies->buffers = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copies->buffers == MAP_FAILED ||
	    (tw_config.mlockall && mlock(copies->buffers, bytes)))
		return pt_refuse(c, -errno, "no %zu MiB of memory: %s; give fewer --copies, or, if -m is given, raise RLIMIT_MEMLOCK (ulimit -l)",
				 bytes >> 20, strerror(errno));
	return -pthread_barrier_init(&copies->barrier, NULL, count);
}

/* Of the threads' averages, the largest and the smallest. */
static void verify(struct pt_case *c)
{
	const struct copies *copies = c->room;
	const struct copy *copy = copies->copy;
	double mean_ns, worst_ns = 0, best_ns = INFINITY;
	int wrong = 0;

	for (; copy < copies->copy + c->task_count; copy++) {
		wrong += copy->wrong;
		if (!copy->stats.count)
			continue;
		mean_ns = tw_stats_mean(&copy->stats);
		worst_ns = fmax(worst_ns, mean_ns);
		best_ns = fmin(best_ns, mean_ns);
	}
	if (wrong)
		pt_verdict(c, true, "%d copies differ from what was copied",
			   wrong);
	if (worst_ns > 0)
		pt_verdict(c, false, "by thread: worst average %.1f ns, best %.1f ns, ratio %.3f",
			   worst_ns, best_ns, worst_ns / best_ns);
}

/* All but the last thread that comes to a barrier wait, twice a round. */
#define KIND(n)	{ #n, n, .switches = 2 * (n - 1), .copies = n }

static void own_kind(struct pt_kind *kind)
{
	kind->copies = (int)kind->value;
	kind->switches = 2 * (kind->copies - 1);
}

PT_TEST(copy, "a copy of 2 MB, by each of some threads; the kind is their number",
	.groups = PT_PCSERVER,
	.flags = PT_THREADS | PT_SPINS | PT_SPREAD,
	.own = PT_OWN_COPIES, .own_kind = own_kind,
	.kinds = PT_TABLE(kind,
		KIND(1), KIND(2), KIND(4), KIND(8), KIND(16)),
	.metrics = PT_TABLE(metric,
		PT_METRIC("time", "Copy of 2 MB", 0, 1, .rate = "copies",
			  PT_RUNS)),
	.roles = PT_TABLE(role,
		{ "copies", PT_HIGH, .run = run }),
	.trials = 1000, .room = sizeof(struct copies),
	.open = open_copies, .enter = fill, .verify = verify);
