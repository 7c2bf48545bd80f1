// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * alloc: 128 bytes are allocated and freed, 100 times; or 100 times allocated,
 * then freed. The first takes the same block again from the thread's cache, the
 * second needs more than that holds. Neither calls the kernel.
 */
#include <stdlib.h>

#include "pt_rows.h"

#define BLOCKS		100
#define BYTES		128

enum { SINGLE, BATCH };

/* As they are kept here, the compiler cannot do without them. */
struct blocks {
	unsigned char *block[BLOCKS];
};

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

/* What is in a block, and whether it lies as it should. */
static uint64_t release(struct blocks *blocks, int i)
{
	const unsigned char *block = blocks->block[i];
	uint64_t sum = block[0] + block[BYTES - 1] +
		       (uintptr_t)block % _Alignof(max_align_t);

	free(blocks->block[i]);
	return sum;
}

static int allocate_all(struct pt_task *task, struct pt_trial *trial)
{
	struct blocks *blocks = pt_room(task);
	bool single = pt_kind_value(task->in) == SINGLE, all = true;
	uint64_t sum = 0;
	int i;

	trial->t_ns[0] = pt_now(task);
	for (i = 0; i < BLOCKS; i++) {
		all &= allocate(blocks, i);
		if (single && all)
			sum += release(blocks, i);
	}
	for (i = 0; i < BLOCKS && !single && all; i++)
		sum += release(blocks, i);
	trial->t_ns[1] = pt_now(task);
	return all ? pt_check_sum(task, sum) :
	       pt_failed(task, "malloc", -ENOMEM);
}

static int run(struct pt_task *task)
{
	return pt_lead(task, allocate_all);
}

static const struct pt_metric metrics[] = {
	PT_METRIC("pair", "Allocation and release of 128 bytes", 0, 1,
		  PT_SPAN(PT_TO_RUN, 0, 0), .per = BLOCKS, .rate = "pairs"),
	{ .token = NULL }
};

static const struct pt_kind kinds[] = {
	{ "single", .value = SINGLE },
	{ "batch", .value = BATCH },
	{ .name = NULL }
};

const struct pt_test pt_alloc = {
	.name = "alloc",
	.about = "128 bytes allocated and freed, 100 times",
	.flags = PT_ALONE,
	.kinds = kinds, .metrics = metrics, .run = run,
	.trials = 10000, .room = sizeof(struct blocks),
};
