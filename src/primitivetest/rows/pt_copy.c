// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy: each of N threads copies 2 MB, all in the same round. A trial is the
 * copy of one thread, with timestamps of its own: it does not contain that the
 * thread waits for the others or, under a real-time policy, for its CPU.
 */
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
	int count;
	struct buffers *buffers;	/* of each thread */
	bool end;
	struct pt_trial trial[COPIES_MAX];
	int wrong[COPIES_MAX];		/* copies that were no copies */
	/* By the thread that leads: of those recorded, by thread. */
	int64_t took_ns[COPIES_MAX], times[COPIES_MAX];
};

static void fill(struct buffers *buffers, int copy)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		buffers->from[i] = (i + (uint64_t)copy) * SPREAD;
	memset(buffers->to, 0, BYTES);
}

/* Each round copies something else. */
static void copy_once(struct copies *copies, int copy, uint64_t round,
		      const struct pt_task *task)
{
	struct buffers *buffers = &copies->buffers[copy];
	struct pt_trial *trial = &copies->trial[copy];

	buffers->from[round % WORDS] += round + 1;
	trial->t_ns[0] = pt_now(task);
	memcpy(buffers->to, buffers->from, BYTES);
	trial->t_ns[1] = pt_now(task);
	copies->wrong[copy] += buffers->to[round % WORDS] !=
			       buffers->from[round % WORDS];
}

static void record(struct pt_task *task, struct copies *copies)
{
	int i;

	for (i = 0; i < copies->count && pt_more(task); i++) {
		const int64_t *t_ns = copies->trial[i].t_ns;

		if (!pt_warms_up(task)) {
			copies->took_ns[i] += t_ns[1] - t_ns[0];
			copies->times[i]++;
		}
		pt_record(task, &copies->trial[i]);
	}
}

/* The first of the threads leads, and copies too. */
static int run(struct pt_task *task)
{
	struct copies *copies = pt_room(task);
	struct buffers *buffers = &copies->buffers[task->copy];
	uint64_t round;

	fill(buffers, task->copy);
	copies->trial[task->copy].copy = task->copy;
	for (round = 0;; round++) {
		if (!task->copy) {
			pt_rest(task);
			copies->end = !pt_more(task);
		}
		pthread_barrier_wait(&copies->barrier);
		if (copies->end)
			break;
		copy_once(copies, task->copy, round, task);
		pthread_barrier_wait(&copies->barrier);
		if (!task->copy)
			record(task, copies);
	}
	copies->wrong[task->copy] += memcmp(buffers->to, buffers->from,
					    BYTES) != 0;
	return 0;
}

static int count_copies(const struct pt_case *c)
{
	return (int)pt_kind_value(c);
}

static int open_copies(struct pt_case *c)
{
	struct copies *copies = c->room;
	size_t bytes;

	copies->count = count_copies(c);
	bytes = (size_t)copies->count * sizeof(*copies->buffers);
	copies->buffers = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copies->buffers == MAP_FAILED)
		return pt_refuse(c, -errno, "no %zu MiB of memory: %s; give fewer --copies",
				 bytes >> 20, strerror(errno));
	if (tw_config.mlockall && mlock(copies->buffers, bytes))
		return pt_refuse(c, -errno, "%zu MiB of memory cannot be locked: %s; raise RLIMIT_MEMLOCK (ulimit -l), or leave out -m",
				 bytes >> 20, strerror(errno));
	return -pthread_barrier_init(&copies->barrier, NULL,
				     (unsigned int)copies->count);
}

static double mean_ns(const struct copies *copies, int i)
{
	return (double)copies->took_ns[i] / (double)copies->times[i];
}

/* Of the threads' averages, the largest and the smallest. */
static void compare(struct pt_case *c, const struct copies *copies)
{
	int i, worst = 0, best = 0;

	for (i = 1; i < copies->count && copies->times[i]; i++) {
		if (mean_ns(copies, i) > mean_ns(copies, worst))
			worst = i;
		if (mean_ns(copies, i) < mean_ns(copies, best))
			best = i;
	}
	if (copies->times[0])
		pt_verdict(c, false, "by thread: worst average %.1f ns, best %.1f ns, ratio %.3f",
			   mean_ns(copies, worst), mean_ns(copies, best),
			   mean_ns(copies, worst) / mean_ns(copies, best));
}

static void verify(struct pt_case *c)
{
	const struct copies *copies = c->room;
	int i, wrong = 0;

	for (i = 0; i < copies->count; i++)
		wrong += copies->wrong[i];
	if (wrong)
		pt_verdict(c, true, "%d copies differ from what was copied",
			   wrong);
	compare(c, copies);
}

static const struct pt_metric metrics[] = {
	PT_METRIC("time", "Copy of 2 MB", 0, 1, .rate = "copies",
		  PT_SPAN(PT_TO_RUN, 0, 0)),
	{ .token = NULL }
};

/* All but the last thread that comes to a barrier wait, twice a round. */
#define KIND(n)	{ #n, .value = n, .switches = 2 * (n - 1), .per = n }

static void own_kind(struct pt_kind *kind)
{
	kind->per = (int)kind->value;
	kind->switches = 2 * (kind->per - 1);
}

static const struct pt_kind kinds[] = {
	KIND(1), KIND(2), KIND(4), KIND(8), KIND(16), { .name = NULL }
};

static const struct pt_role roles[] = {
	{ "copies", PT_HIGH, .run = run },
	{ .name = NULL }
};

const struct pt_test pt_copy = {
	.name = "copy",
	.about = "threads that copy 2 MB each; the kind is their number",
	.groups = PT_PCSERVER,
	.flags = PT_THREADS | PT_SPINS | PT_SPREAD,
	.own = PT_OWN_COPIES, .own_kind = own_kind,
	.kinds = kinds, .metrics = metrics, .roles = roles,
	.copies = count_copies,
	.trials = 1000, .room = sizeof(struct copies),
	.open = open_copies, .verify = verify,
};
