/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --check, and the state of the system in the JSON: a part of every program. */
#ifndef TW_PART_CHECK_H
#define TW_PART_CHECK_H

#include "frame/tw_part.h"

/* The program has to have environ_params(). */
extern const struct tw_part tw_part_check;

#endif /* TW_PART_CHECK_H */
