/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's timestamps of requests and replies: --stamps. */
#ifndef TW_PART_STAMPS_H
#define TW_PART_STAMPS_H

#include <stdbool.h>

#include "frame/tw_part.h"

extern const struct tw_part tw_part_stamps;

/* Whether the user wants any; for later parts. */
bool tw_stamps_wanted(void);

/* The value of --stamps. */
const char *tw_stamps_name(void);

#endif /* TW_PART_STAMPS_H */
