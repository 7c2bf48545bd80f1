/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts that tell or judge single trials. */
#ifndef PT_PART_RESULT_H
#define PT_PART_RESULT_H

#include "frame/tw_part.h"

extern const struct tw_part pt_part_dump;
extern const struct tw_part pt_part_limit;
extern const struct tw_part pt_part_worst;

#endif /* PT_PART_RESULT_H */
