/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks that jump: all but CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW can be set,
 * or go on while the system is suspended. What spans that is left out.
 */
#ifndef TW_JUMPS_H
#define TW_JUMPS_H

#include <stdint.h>
#include <stdio.h>

#include "tw_member.h"
#include "tw_clock.h"

struct tw_run;

/* For tw_run.doubt, as the text of a limit has it. */
#define TW_CLOCK_SET	"the clock was set; otherwise"
#define TW_SUSPENDED	"the system was suspended; otherwise"

/*
 * Looks at the clock once more, see struct tw_watch; one that ran on at its own
 * rate, or was steered to another, was not set. Any process; takes less than a
 * microsecond, and no system call where reading the clocks takes none.
 */
void tw_jumps_look(struct tw_watch *watch, const struct tw_clock *clock);

/* What was seen of a clock. */
struct tw_jumps {
	uint64_t times;		/* it was set */
	int64_t largest_ns;	/* by so much; never negative */
	uint64_t left_out;	/* cycles or trials */
};

/* Counts what the last look has seen; a suspend alone is not counted. */
void tw_jumps_note(struct tw_jumps *jumps, const struct tw_watch *watch);
void tw_jumps_add(struct tw_jumps *to, const struct tw_jumps *from);

/* Of all of a run; and its row of the JSON. */
extern struct tw_jumps tw_jumps_all;
#define TW_CLOCK_SET_ROW \
	{ "clock_set", TW_OBJECT_AT(tw_jumps_all), TW_OBJECT, \
	  "How often the clock in use was seen to be set, as cycles or trials spanned that, which are left out.", \
	  .of = tw_jumps_members }
extern const struct tw_member tw_jumps_members[];

/*
 * By main: the line of them, whose @noun are "cycle" or "trial"; and whether any
 * limit is undecided because of them.
 */
void tw_jumps_text(FILE *file, const char *noun);
void tw_jumps_judge(struct tw_run *run);

#endif /* TW_JUMPS_H */
