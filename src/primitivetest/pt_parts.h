/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PT_PARTS_H
#define PT_PARTS_H

#include "frame/tw_run.h"

/* primitivetest: what it consists of. */
extern const struct tw_program pt_program;

#endif /* PT_PARTS_H */
