/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs in which client and server have clocks of their own: a part says so, as
 * that which connects two hosts does. And cycles of such runs.
 */
#ifndef CLOCKS_H
#define CLOCKS_H

#include "parse.h"
#include "cycle.h"

#define CLOCKS_PARTS	80

static inline int clocks_check(struct tw_run *run)
{
	(void)run;
	tw_config_two_clocks();
	return 0;
}

static const struct tw_part clocks_part = {
	.name = "clocks", .check = clocks_check,
};

/* The command lines that follow are of two clocks, or of one as ever. */
static inline void use_clocks(int count)
{
	static const struct tw_part *parts[CLOCKS_PARTS];
	static struct tw_program program;
	int i, used = 0;

	program = tw_program;
	for (i = 0; tw_program.parts[i]; i++) {
		assert_true(used < CLOCKS_PARTS - 2);
		if (!i)
			parts[used++] = &clocks_part;
		parts[used++] = tw_program.parts[i];
	}
	parts[used] = NULL;
	program.parts = parts;
	parse_program = count > 1 ? &program : &tw_program;
}

/* 1000 s: no two stamps of different clocks are taken for each other's. */
#define CLOCKS_AHEAD_NS	INT64_C(1000000000000)

/* The same cycle by a server's clock that is ahead and fast. */
static inline struct tw_cycle on_two_clocks(const struct tw_cycle *cycle,
					    double fast_ppm)
{
	struct tw_cycle two = *cycle;

	two.t1_ns += CLOCKS_AHEAD_NS +
		     (int64_t)((double)cycle->t1_ns * fast_ppm / 1e6);
	two.t2_ns += CLOCKS_AHEAD_NS +
		     (int64_t)((double)cycle->t2_ns * fast_ppm / 1e6);
	return two;
}

#endif /* CLOCKS_H */
