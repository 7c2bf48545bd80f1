/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What twowaytest consists of. */
#ifndef TW_PARTS_H
#define TW_PARTS_H

#include "frame/tw_run.h"

extern const struct tw_program tw_program;


#endif /* TW_PARTS_H */
