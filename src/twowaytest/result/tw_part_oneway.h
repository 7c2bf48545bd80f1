/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --oneway: one-way times between two clocks, and --sync-limit.
 *
 * A part that gives the server a clock of its own stands before this one in
 * the table of parts, and calls tw_config_two_clocks() in its check().
 */
#ifndef TW_PART_ONEWAY_H
#define TW_PART_ONEWAY_H

#include "frame/tw_part.h"

extern const struct tw_part tw_part_oneway;

/*
 * Called by main, after a step and before its end(): the one-way times of the
 * step are void, as something else than the cycles shows. @why: the end of a
 * sentence, such as "the server's kernel says ..."; static. The first counts.
 */
void tw_oneway_distrust(struct tw_run *run, const char *why);

/*
 * What the kernel that a program runs on says: whether its clock may be taken
 * for synchronised (adjtimex(2)). A yes alone proves nothing: some programs
 * claim it in any case. For the server's host, ask there.
 */
bool tw_oneway_kernel_claims(void);

/* Whether --oneway=sync was given. */
bool tw_oneway_wants_sync(void);

#endif /* TW_PART_ONEWAY_H */
