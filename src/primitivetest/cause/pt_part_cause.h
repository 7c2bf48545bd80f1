/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part that finds the cause of a long trial. */
#ifndef PT_PART_CAUSE_H
#define PT_PART_CAUSE_H

#include "frame/tw_part.h"

extern const struct tw_part pt_part_trace;

#endif /* PT_PART_CAUSE_H */
