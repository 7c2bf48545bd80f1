/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cycles between two simulated hosts. Time passes as the client's clock says;
 * the server's clock is ahead of it by an offset that is known here, and that
 * a rate, a change of that rate and steps move.
 */
#ifndef TWO_CLOCKS_H
#define TWO_CLOCKS_H

#include <string.h>

#include "base/tw_time.h"
#include "measure/tw_oneway.h"
#include "unit.h"

struct two_clocks {
	uint64_t seed;
	int64_t begin_ns;	/* the client's clock at the begin */
	int64_t offset_ns;	/* at the begin */
	double ppm;		/* the server's clock gains */
	double ppm_per_s;	/* and how that changes */
	int64_t send_ns, receive_ns;	/* least times */
	int64_t jitter_ns;	/* each way up to this much more; */
	int64_t rare;		/* one in so many: 50 times that; 0: none */
	int64_t sleep_ns, period_ns;
	uint64_t seq;		/* of the last cycle */
};

/* A LAN at the default settings; the clocks agree. */
static const struct two_clocks lan = {
	.seed = 1, .begin_ns = INT64_C(1700000000) * TW_NS_PER_S,
	.send_ns = 20000, .receive_ns = 30000, .jitter_ns = 10000,
	.sleep_ns = 100000, .period_ns = 1000000,
};

/* The offset when the client's clock shows @at_ns. */
static inline int64_t true_offset(const struct two_clocks *two, int64_t at_ns)
{
	double ns = (double)tw_span_ns(two->begin_ns, at_ns);
	double ppm = two->ppm + two->ppm_per_s * ns / 2e9;

	return two->offset_ns + (int64_t)(ppm * ns / 1e6);
}

static inline int64_t one_way(struct two_clocks *two, int64_t least_ns)
{
	int64_t more = unit_between(&two->seed, 0, two->jitter_ns);

	if (two->rare && !unit_between(&two->seed, 0, two->rare - 1))
		more *= 50;
	return least_ns + more;
}

/* The next cycle; @true_t1, @true_t2: the client's clock at these moments. */
static inline struct tw_cycle next_cycle(struct two_clocks *two,
					 int64_t *true_t1, int64_t *true_t2)
{
	struct tw_cycle cycle = { .seq = ++two->seq };

	cycle.t0_ns = two->begin_ns + (int64_t)two->seq * two->period_ns;
	*true_t1 = cycle.t0_ns + one_way(two, two->send_ns);
	*true_t2 = *true_t1 + two->sleep_ns;
	cycle.t3_ns = *true_t2 + one_way(two, two->receive_ns);
	cycle.t1_ns = *true_t1 + true_offset(two, *true_t1);
	cycle.t2_ns = *true_t2 + true_offset(two, *true_t2);
	return cycle;
}

/* What came of some cycles. */
struct outcome {
	uint64_t counted;
	int64_t error_ns;	/* the largest of a cycle that counted */
	int64_t least_ns;	/* the least one-way time of these */
	struct tw_oneway_result result;
};

static inline int64_t distance_ns(int64_t a_ns, int64_t b_ns)
{
	int64_t span_ns = tw_span_ns(a_ns, b_ns);

	return span_ns < 0 ? -span_ns : span_ns;
}

static inline void judge_cycle(struct outcome *outcome,
			       const struct two_clocks *two,
			       const struct tw_cycle *cycle, int64_t true_t1,
			       int64_t true_t2,
			       const struct tw_oneway_offset *offset)
{
	const int64_t values_ns[] = {
		cycle->t1_ns - offset->t1_ns - cycle->t0_ns,
		cycle->t3_ns - (cycle->t2_ns - offset->t2_ns),
	};
	const int64_t errors_ns[] = {
		distance_ns(offset->t1_ns, true_offset(two, true_t1)),
		distance_ns(offset->t2_ns, true_offset(two, true_t2)),
	};
	int i;

	outcome->counted++;
	for (i = 0; i < 2; i++) {
		if (errors_ns[i] > outcome->error_ns)
			outcome->error_ns = errors_ns[i];
		if (values_ns[i] < outcome->least_ns)
			outcome->least_ns = values_ns[i];
	}
}

static inline struct outcome pass(struct tw_oneway *oneway,
				  struct two_clocks *two, uint64_t cycles)
{
	struct outcome outcome = { .least_ns = INT64_MAX };
	struct tw_oneway_offset offset;
	int64_t true_t1, true_t2;
	struct tw_cycle cycle;

	while (cycles--) {
		cycle = next_cycle(two, &true_t1, &true_t2);
		if (tw_oneway_add(oneway, &cycle, &offset))
			judge_cycle(&outcome, two, &cycle, true_t1, true_t2,
				    &offset);
	}
	tw_oneway_read(oneway, &outcome.result);
	return outcome;
}

/* A clock is set: from here on, with the rate that it has by now. */
static inline void step(struct two_clocks *two, int64_t by_ns)
{
	two->offset_ns += by_ns;
}

#endif /* TWO_CLOCKS_H */
