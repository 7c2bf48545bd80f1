/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of primitivetest that are its own. */
#ifndef PT_PARTS_H
#define PT_PARTS_H

#include <stdio.h>

#include "tw_part.h"

extern const struct tw_part pt_part_check;
extern const struct tw_part pt_part_config;
extern const struct tw_part pt_part_dump;
extern const struct tw_part pt_part_json;
extern const struct tw_part pt_part_limit;
extern const struct tw_part pt_part_report;
extern const struct tw_part pt_part_select;
extern const struct tw_part pt_part_trace;
extern const struct tw_part pt_part_worst;

#endif /* PT_PARTS_H */
