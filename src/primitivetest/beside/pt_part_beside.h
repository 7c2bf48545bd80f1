/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done to the system while tests run: a load, another RT limit. */
#ifndef PT_PART_BESIDE_H
#define PT_PART_BESIDE_H

#include "frame/tw_part.h"

extern const struct tw_part pt_part_load;
extern const struct tw_part pt_part_runtime;

#endif /* PT_PART_BESIDE_H */
