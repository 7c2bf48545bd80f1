// SPDX-License-Identifier: GPL-2.0-or-later
/* What a cycle with stamps is broken down into, and the sums of that. */
#include <string.h>

#include "measure/tw_stamped.h"

#define READ_TRIES	10000	/* as the snapshot of a series */

/* Which stamps a part is made of, and of what: plus is added, minus taken. */
struct sum {
	uint32_t stamps;	/* bits of enum tw_stamp_id */
	int8_t t[4];		/* the factors of t0 to t3 */
	int8_t at[TW_STAMPS];	/* those of the stamps */
};

#define BIT(id)	(1u << (id))

static const struct sum sums[TW_STAMPED_PARTS] = {
	[TW_CLIENT_APP_OUT] = {
		BIT(TW_CLIENT_SCHED), { -1 }, { [TW_CLIENT_SCHED] = 1 }
	},
	[TW_CLIENT_STACK_OUT] = {
		BIT(TW_CLIENT_SCHED) | BIT(TW_CLIENT_SND), { 0 },
		{ [TW_CLIENT_SCHED] = -1, [TW_CLIENT_SND] = 1 }
	},
	[TW_CLIENT_WAKE_IN] = {
		BIT(TW_CLIENT_RX), { [3] = 1 }, { [TW_CLIENT_RX] = -1 }
	},
	[TW_SERVER_WAKE_IN] = {
		BIT(TW_SERVER_RX), { [1] = 1 }, { [TW_SERVER_RX] = -1 }
	},
	[TW_SERVER_APP_OUT] = {
		BIT(TW_SERVER_SCHED), { [2] = -1 }, { [TW_SERVER_SCHED] = 1 }
	},
	[TW_SERVER_STACK_OUT] = {
		BIT(TW_SERVER_SCHED) | BIT(TW_SERVER_SND), { 0 },
		{ [TW_SERVER_SCHED] = -1, [TW_SERVER_SND] = 1 }
	},
	[TW_CLIENT_STACK] = {
		BIT(TW_CLIENT_SND) | BIT(TW_CLIENT_RX), { -1, 0, 0, 1 },
		{ [TW_CLIENT_SND] = 1, [TW_CLIENT_RX] = -1 }
	},
	[TW_WIRE] = {
		BIT(TW_CLIENT_SND) | BIT(TW_CLIENT_RX) | BIT(TW_SERVER_SND) |
		BIT(TW_SERVER_RX), { 0 },
		{ [TW_CLIENT_SND] = -1, [TW_CLIENT_RX] = 1,
		  [TW_SERVER_SND] = -1, [TW_SERVER_RX] = 1 }
	},
	[TW_SERVER_STACK] = {
		BIT(TW_SERVER_SND) | BIT(TW_SERVER_RX), { 0, 1, -1, 0 },
		{ [TW_SERVER_SND] = 1, [TW_SERVER_RX] = -1 }
	},
	[TW_STAMPED_NETWORK] = { 0, { -1, 1, -1, 1 }, { 0 } },
};

/* Modulo 2^64: values that come from the network can be any. */
static int64_t plus(int64_t a_ns, int64_t b_ns)
{
	return (int64_t)((uint64_t)a_ns + (uint64_t)b_ns);
}

static uint32_t stamps_of(const struct tw_stamped *stamped)
{
	uint32_t has = 0;
	int id;

	for (id = 0; id < TW_STAMPS; id++)
		if (stamped->at_ns[id] != TW_STAMP_NONE)
			has |= BIT(id);
	return has;
}

int64_t tw_stamped_part(const struct tw_stamped *stamped,
			enum tw_stamped_id id)
{
	const int64_t t_ns[] = {
		stamped->t0_ns, stamped->t1_ns, stamped->t2_ns, stamped->t3_ns,
	};
	const struct sum *sum = &sums[id];
	uint64_t value = 0;
	int i;

	if (sum->stamps & ~stamps_of(stamped))
		return TW_STAMP_NONE;
	for (i = 0; i < 4; i++)
		value += (uint64_t)sum->t[i] * (uint64_t)t_ns[i];
	for (i = 0; i < TW_STAMPS; i++)
		value += (uint64_t)sum->at[i] * (uint64_t)stamped->at_ns[i];
	return (int64_t)value;
}

void tw_stamped_value(struct tw_stamped_row *row, int64_t value_ns)
{
	if (!row->count || value_ns < row->min_ns)
		row->min_ns = value_ns;
	if (!row->count || value_ns > row->max_ns)
		row->max_ns = value_ns;
	row->sum_ns = plus(row->sum_ns, value_ns);
	row->count++;
}

/* The stamps that each cycle of a mode is to have. */
static const uint32_t wanted[] = {
	[TW_STAMPS_RX] = BIT(TW_CLIENT_RX) | BIT(TW_SERVER_RX),
	[TW_STAMPS_ALL] = BIT(TW_STAMPS) - 1,
};

void tw_stamped_count(struct tw_stamped_sum *sum, enum tw_stamps_mode mode,
		      const struct tw_stamped *stamped)
{
	uint32_t missing = wanted[mode] & ~stamps_of(stamped);
	int id;

	for (id = 0; id < TW_STAMPS; id++)
		sum->missing[id] += missing >> id & 1;
	sum->left_out += missing != 0;
	sum->cycles += missing == 0;
	if (missing)
		return;
	for (id = 0; id < TW_STAMPED_PARTS; id++) {
		int64_t value_ns = tw_stamped_part(stamped, id);

		if (value_ns != TW_STAMP_NONE)
			tw_stamped_value(&sum->part[id], value_ns);
	}
}

static void add_row(struct tw_stamped_row *sum,
		    const struct tw_stamped_row *more)
{
	if (!more->count)
		return;
	if (!sum->count || more->min_ns < sum->min_ns)
		sum->min_ns = more->min_ns;
	if (!sum->count || more->max_ns > sum->max_ns)
		sum->max_ns = more->max_ns;
	sum->sum_ns = plus(sum->sum_ns, more->sum_ns);
	sum->count += more->count;
}

void tw_stamped_add(struct tw_stamped_sum *sum,
		    const struct tw_stamped_sum *more)
{
	int id;

	sum->cycles += more->cycles;
	sum->left_out += more->left_out;
	for (id = 0; id < TW_STAMPS; id++)
		sum->missing[id] += more->missing[id];
	for (id = 0; id < TW_STAMPED_PARTS; id++)
		add_row(&sum->part[id], &more->part[id]);
	add_row(&sum->work, &more->work);
}

struct tw_stamped_sum tw_stamped_read(const struct tw_stamps *stamps)
{
	const _Atomic uint32_t *version = &stamps->client.version;
	struct tw_stamped_sum sum = stamps->before, own;
	int tries = READ_TRIES;
	uint32_t before;

	do {
		before = atomic_load_explicit(version, memory_order_acquire);
		memcpy(&own, &stamps->client.sum, sizeof(own));
		atomic_thread_fence(memory_order_acquire);
	} while ((before & 1 || before != atomic_load_explicit(version,
						memory_order_relaxed)) &&
		 --tries);
	tw_stamped_add(&sum, &own);
	return sum;
}
