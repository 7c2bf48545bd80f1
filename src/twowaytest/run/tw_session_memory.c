// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory of the results: of a step, and the sum of all by now. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "base/tw_time.h"
#include "measure/tw_client.h"
#include "measure/tw_server.h"
#include "run/tw_session.h"

#define SUM_TRIES	10	/* to read between two cycles */

/* A pair, its tally, and after that the rooms of the parts. */
struct places {
	size_t tally, parts, size;
};

static struct places places_in_pair(const struct tw_run *run)
{
	size_t tally = tw_size_in_lines(sizeof(struct tw_pair));
	size_t parts = tw_size_add(tally, tw_size_in_lines(
					   tw_tally_size(run->window_us)));

	return (struct places) {
		tally, parts, tw_size_add(parts, tw_run_room(run)),
	};
}

/* How many pairs all steps have, and the sum of all steps. */
static uint64_t all_pairs(const struct tw_run *run)
{
	uint64_t steps = (uint64_t)run->steps;
	uint64_t pairs = (uint64_t)tw_config->pairs.count;

	if (steps == 1)
		return pairs;
	if (tw_config->ramp_of_pairs)
		return steps * (steps + 1) / 2 + pairs;
	return (steps + 1) * pairs;
}

/* A mapping would succeed: the kernel finds the memory when it is written. */
static int check_memory(struct tw_run *run)
{
	uint64_t free = tw_system_available_memory();
	uint64_t pairs = (uint64_t)tw_config->pairs.count;
	uint64_t all = all_pairs(run);
	uint64_t size = places_in_pair(run).size;
	unsigned long long mib, free_mib = (unsigned long long)free >> 20;

	if (size <= free / all)
		return 0;
	mib = (unsigned long long)size > UINT64_MAX / all ?
	      UINT64_MAX >> 20 : (unsigned long long)(size * all) >> 20;
	if (pairs > 1 && !tw_config->ramp_of_pairs &&
	    size <= free / (all / pairs))
		return tw_fail(run, -EINVAL, "--threads=%llu: needs %llu MiB of memory, and %llu MiB are free; allowed are up to %llu pairs here",
			       (unsigned long long)pairs, mib, free_mib,
			       (unsigned long long)(free / (all / pairs) /
						    size));
	if (run->window_us)
		return tw_fail(run, -EINVAL, "--histogram=%lld: needs %llu MiB of memory, and %llu MiB are free; give fewer microseconds or steps",
			       (long long)run->window_us, mib, free_mib);
	return tw_fail(run, -EINVAL, "--steps=%d: needs %llu MiB of memory, and %llu MiB are free; give fewer steps",
		       run->steps, mib, free_mib);
}

/* Behind all parts that want memory: they refuse first what they know better. */
const struct tw_part tw_part_memory = {
	.name = "memory", .check = check_memory,
};

void tw_session_task(const struct tw_session *session, unsigned int number,
		     struct tw_task *task)
{
	const struct tw_config *config = session->config;
	int role;

	task->clock = session->clock;
	task->timer_ops = config->timer;
	task->wait_ops = config->wait;
	task->serve = config->serving.one ? config->serving.serve :
					    tw_side_serve;
	task->size = config->size;
	task->period_ns = tw_config_interval_us(config, number) * TW_NS_PER_US;
	task->sleep_ns = config->sleep_us * TW_NS_PER_US;
	task->warmup = config->warmup;
	task->loops = tw_config_loops(config, number);
	task->policy = config->policy;
	task->lock_memory = config->mlockall;
	for (role = 0; role < TW_ROLES; role++) {
		task->priority[role] = tw_config_priority(config, role,
							  number);
		task->pinned[role] = tw_config_cpus(config, role, number,
						    &task->cpus[role]);
	}
}

static struct tw_pair *map_pair(struct tw_session *session,
				unsigned int number)
{
	const struct tw_config *config = session->config;
	struct tw_metric_params params = tw_config_metric_params(config,
								 number);
	const struct places at = places_in_pair(&session->run);
	struct tw_task task = { .period_ns = 0 };
	struct tw_pair *pair;
	char *memory;

	/* No object is larger: C cannot tell the distance of its ends. */
	if (at.size > PTRDIFF_MAX) {
		errno = ENOMEM;
		return NULL;
	}
	memory = mmap(NULL, at.size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	tw_session_task(session, number, &task);
	/* Before the first write, which decides the NUMA node of a page. */
	if (task.pinned[TW_CLIENT])
		tw_system_place_memory(memory, at.size, &task.cpus[TW_CLIENT]);

	pair = (struct tw_pair *)memory;
	pair->number = number;
	pair->task = task;
	pair->shared_size = at.size;
	pair->run_client = tw_client_run;
	pair->run_server = tw_server_run;
	pair->record = tw_side_record;
	pair->server = config->serving.one ? 0 : number;
	pair->gated = config->pairs.count > 1 || config->pairs.aligned;
	sem_init(&pair->gate, 1, 0);
	pair->lose = tw_side_lose;
	pair->tally = tw_tally_init(memory + at.tally, &params,
				    session->run.window_us);
	pair->tally->clock = &pair->task.clock;
	pair->tally->step = session->run.step;
	pair->tally->pair = number;
	tw_run_attach(&session->run, pair, memory + at.parts);
	tw_session_lend(pair, false);
	return pair;
}

void tw_session_lend(const struct tw_pair *pair, bool lent)
{
	/* The first has what all look at: which pair was the first to break. */
	if (pair->number)
		madvise((void *)pair, pair->shared_size,
			lent ? MADV_DOFORK : MADV_DONTFORK);
}

/* Which pairs a server serves: all, or its own. */
static void share_servers(const struct tw_session *session,
			  struct tw_pairs *pairs)
{
	bool one = session->config->serving.one;
	unsigned int k;

	for (k = 0; k < pairs->count; k++) {
		pairs->pair[k]->served = &pairs->pair[k];
		pairs->pair[k]->served_count = one ? k ? 0 : pairs->count : 1;
	}
}

int tw_session_map(struct tw_session *session, struct tw_pairs *pairs,
		   unsigned int count)
{
	int err;

	for (pairs->count = 0; pairs->count < count; pairs->count++) {
		pairs->pair[pairs->count] = map_pair(session, pairs->count);
		if (pairs->pair[pairs->count])
			continue;
		err = -errno;
		tw_session_drop(pairs);
		return err;
	}
	share_servers(session, pairs);
	return 0;
}

void tw_session_drop(struct tw_pairs *pairs)
{
	while (pairs->count) {
		struct tw_pair *pair = pairs->pair[--pairs->count];

		munmap(pair, pair->shared_size);
	}
}

int tw_session_try_lock(struct tw_session *session)
{
	size_t size = places_in_pair(&session->run).size *
		      tw_config_pairs_in(session->config, session->run.step);
	void *memory;
	int err;

	if (!session->config->mlockall)
		return 0;
	/* Nobody may read it: no page is used. */
	memory = mmap(NULL, size, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	err = memory == MAP_FAILED ? -errno : tw_system_lock_memory();
	if (memory != MAP_FAILED)
		munmap(memory, size);
	return err ? tw_explain(session, &(struct tw_failure) {
		.step = TW_STEP_LOCK, .role = TW_SERVER, .err = err,
	}) : 0;
}

static void merge_pair(const struct tw_session *session, struct tw_pair *sum,
		       const struct tw_pair *pair)
{
	int role;

	tw_tally_merge(sum->tally, pair->tally);
	tw_run_merge(&session->run, sum, pair);
	/* The settings are those of the last step that started. */
	if (!CPU_COUNT(&pair->side[TW_CLIENT].settings.cpus))
		return;
	sum->steady_ns = pair->steady_ns;
	for (role = 0; role < TW_ROLES; role++)
		tw_side_merge(&sum->side[role], &pair->side[role]);
}

/* A pair may be missing in steps that had fewer. */
static void merge_steps(const struct tw_session *session, struct tw_pairs *sum)
{
	unsigned int k;
	int i;

	for (i = 0; i < session->steps_done; i++)
		for (k = 0; k < session->steps[i].count; k++)
			merge_pair(session, sum->pair[k],
				   session->steps[i].pair[k]);
}

/* How often the clients of the current step have written, all in all. */
static uint32_t version(const struct tw_session *session, bool *still)
{
	uint32_t sum = 0, version;
	struct tw_pair *pair;
	unsigned int k;

	*still = true;
	for (k = 0; (pair = tw_session_pair(session, k)); k++) {
		version = tw_series_version(&pair->tally->series);
		*still = *still && !(version & 1);
		sum += version;
	}
	return sum;
}

/* Between two cycles of all pairs, if these leave the time. */
int tw_session_sum(struct tw_session *session, struct tw_pairs *sum)
{
	unsigned int count = 0;
	int i, err, tries = SUM_TRIES;
	uint32_t before;
	bool still;

	for (i = 0; i < session->steps_done; i++)
		if (session->steps[i].count > count)
			count = session->steps[i].count;
	sum->count = 0;
	do {
		tw_session_drop(sum);
		err = tw_session_map(session, sum, count);
		if (err)
			return err;
		before = version(session, &still);
		atomic_thread_fence(memory_order_acquire);
		merge_steps(session, sum);
		atomic_thread_fence(memory_order_acquire);
	} while ((!still || before != version(session, &still)) && --tries);
	return 0;
}

/* A session whose only results are @sum. */
static struct tw_session *copy_session(const struct tw_session *session,
				       const struct tw_pairs *sum)
{
	struct tw_session *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *session;
	copy->merged = *sum;
	copy->pairs = &copy->merged;
	/* The only step is the sum: its results are of the same moment. */
	if (copy->steps_done == 1)
		copy->steps = &copy->merged;
	return copy;
}

struct tw_run *tw_session_so_far(struct tw_run *run)
{
	struct tw_session *copy = NULL;
	struct tw_pairs sum;

	if (tw_session_sum(tw_session(run), &sum))
		return NULL;
	if (sum.pair[0]->tally->cycles)
		copy = copy_session(tw_session(run), &sum);
	if (!copy)
		tw_session_drop(&sum);
	return copy ? &copy->run : NULL;
}

void tw_session_forget(struct tw_run *run)
{
	struct tw_session *copy = tw_session(run);

	tw_session_drop(&copy->merged);
	free(copy);
}
