/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the part that traces a break has to know of it. */
#ifndef TW_PART_BREAK_H
#define TW_PART_BREAK_H

#include "cause/tw_break.h"

/* The break that ended the run, from finish() on; NULL: none. */
struct tw_break *tw_part_break_end(void);

#endif /* TW_PART_BREAK_H */
