// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/tw_time.h"
#include "measure/tw_cost.h"
#include "measure/tw_tally.h"
#include "measure/tw_wire.h"

#define READS	2000
#define SLEEPS	20
#define CYCLES	500

static void add(struct tw_spread *spread, int64_t value_ns, int count)
{
	if (!count || value_ns < spread->min_ns)
		spread->min_ns = value_ns;
	if (!count || value_ns > spread->max_ns)
		spread->max_ns = value_ns;
	spread->avg_ns += ((double)value_ns - spread->avg_ns) / (count + 1);
}

static void measure_clock(struct tw_cost *cost, const struct tw_clock *clock)
{
	int64_t last_ns = clock->read_ns(clock);
	int i;

	for (i = 0; i < READS; i++) {
		int64_t now_ns = clock->read_ns(clock);
		int64_t step_ns = now_ns - last_ns;

		add(&cost->clock, step_ns, i);
		if (step_ns > 0 && (!cost->resolution_ns ||
				    step_ns < cost->resolution_ns))
			cost->resolution_ns = step_ns;
		last_ns = clock->read_ns(clock);
	}
}

static void measure_sleep(struct tw_cost *cost, const struct tw_clock *clock)
{
	const struct timespec shortest = { .tv_nsec = 1 };
	int64_t begin_ns;
	int i;

	for (i = 0; i < SLEEPS; i++) {
		begin_ns = clock->read_ns(clock);
		nanosleep(&shortest, NULL);
		add(&cost->sleep, clock->read_ns(clock) - begin_ns, i);
	}
}

/* All that the loop does in a cycle but wait, send and receive. */
static void run_empty(struct tw_tally *tally, const struct tw_clock *clock,
		      struct tw_cycle *cycle, char *buf)
{
	struct tw_reply reply = { .seq = cycle->seq };

	cycle->prev_t0_ns = cycle->t0_ns;
	tw_wire_put_request(buf, ++cycle->seq);
	cycle->t0_ns = clock->read_ns(clock);
	cycle->planned_ns = cycle->t0_ns;
	cycle->t3_ns = clock->read_ns(clock);
	reply.seq = cycle->seq;
	tw_wire_put_reply(buf, &reply);
	tw_wire_get_reply(buf, TW_REPLY_SIZE, cycle->seq, &reply);
	cycle->t1_ns = cycle->t0_ns;
	cycle->t2_ns = cycle->t0_ns;
	tw_tally_add(tally, cycle);
}

static void measure_cycle(struct tw_cost *cost, const struct tw_clock *clock,
			  const struct tw_metric_params *params)
{
	size_t size = tw_tally_size(0);
	struct tw_cycle cycle = { .seq = 0 };
	struct tw_tally *tally;
	char buf[TW_REPLY_SIZE];
	int64_t begin_ns;
	void *memory;
	int i;

	memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return;
	tally = tw_tally_init(memory, params, 0);
	cycle.t0_ns = clock->read_ns(clock);
	for (i = 0; i < CYCLES; i++) {
		begin_ns = clock->read_ns(clock);
		run_empty(tally, clock, &cycle, buf);
		add(&cost->cycle, clock->read_ns(clock) - begin_ns, i);
	}
	munmap(memory, size);
}

void tw_cost_measure(struct tw_cost *cost, const struct tw_clock *clock,
		     const struct tw_metric_params *params)
{
	memset(cost, 0, sizeof(*cost));
	measure_clock(cost, clock);
	measure_sleep(cost, clock);
	measure_cycle(cost, clock, params);
}
