// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * alloc: 128 bytes are allocated and freed, 100 times; or 100 times allocated,
 * then freed. The first takes the same block again from the thread's cache, the
 * second needs more than that holds. Neither calls the kernel.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/pt_record.h"
#include "rows/pt_rows.h"

#define BLOCKS		100
#define BYTES		128

/* As they are kept here, the compiler cannot do without them. */
struct blocks {
	unsigned char *block[BLOCKS];
};

/* What is in a block, and whether it lies as it should. */
static uint64_t check(const unsigned char *block)
{
	return block[0] + block[BYTES - 1] +
	       (uintptr_t)block % _Alignof(max_align_t);
}

static bool allocate(struct blocks *blocks, int i)
{
	unsigned char *block = malloc(BYTES);

	blocks->block[i] = block;
	if (!block)
		return false;
	block[0] = (unsigned char)i;
	block[BYTES - 1] = 1;
	return true;
}

static bool one_by_one(struct blocks *blocks, uint64_t *sum)
{
	int i;

	for (i = 0; i < BLOCKS; i++) {
		if (!allocate(blocks, i))
			return false;
		*sum += check(blocks->block[i]);
		free(blocks->block[i]);
	}
	return true;
}

static bool all_at_once(struct blocks *blocks, uint64_t *sum)
{
	int i;

	for (i = 0; i < BLOCKS; i++)
		if (!allocate(blocks, i))
			return false;
	for (i = 0; i < BLOCKS; i++) {
		*sum += check(blocks->block[i]);
		free(blocks->block[i]);
	}
	return true;
}

enum { SINGLE, BATCH };

static int run(struct pt_task *task)
{
	bool (*const ways[])(struct blocks *, uint64_t *) = {
		[SINGLE] = one_by_one, [BATCH] = all_at_once,
	};
	bool (*way)(struct blocks *, uint64_t *) =
		ways[pt_kind_value(task->in)];
	struct pt_trial trial = { .t_ns = { 0 } };
	uint64_t sum;
	int err = 0;

	while (!err && pt_more(task)) {
		sum = 0;
		trial.t_ns[0] = pt_now(task);
		if (!way(pt_room(task), &sum))
			return pt_failed(task, "malloc", -ENOMEM);
		trial.t_ns[1] = pt_now(task);
		err = pt_check_sum(task, sum);
		if (!err)
			pt_record(task, &trial);
	}
	return err;
}

static const struct pt_metric metrics[] = {
	{ .token = "pair", .label = "Allocation and release of 128 bytes",
	  .from = 0, .to = 1, .per = BLOCKS, .rate = "pairs",
	  .span = { PT_TO_RUN, 0, 0 } },
	{ .token = NULL }
};

static const struct pt_kind kinds[] = {
	{ "single", .value = SINGLE },
	{ "batch", .value = BATCH },
	{ .name = NULL }
};

static const struct pt_role roles[] = {
	{ "high", PT_HIGH, false, run },
	{ .name = NULL }
};

const struct pt_test pt_alloc = {
	.name = "alloc",
	.about = "128 bytes allocated and freed, 100 times",
	.groups = 0,
	.flags = PT_ALONE,
	.kinds = kinds, .metrics = metrics, .roles = roles,
	.trials = 10000, .room = sizeof(struct blocks),
};
