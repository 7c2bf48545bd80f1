/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts that find the cause of a long cycle. */
#ifndef TW_PART_CAUSE_H
#define TW_PART_CAUSE_H

#include "frame/tw_part.h"

extern const struct tw_part tw_part_break;
extern const struct tw_part tw_part_trace;

#endif /* TW_PART_CAUSE_H */
