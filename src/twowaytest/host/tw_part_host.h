/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of this folder. */
#ifndef TW_PART_HOST_H
#define TW_PART_HOST_H

#include "frame/tw_part.h"

extern const struct tw_part tw_part_connect;	/* --connect, --rsh */
extern const struct tw_part tw_part_server;	/* --server */

#endif /* TW_PART_HOST_H */
