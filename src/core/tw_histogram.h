/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_HISTOGRAM_H
#define TW_HISTOGRAM_H

#include <stdint.h>

/* How wide a row of a histogram is; another program may set it. */
extern int64_t tw_histogram_row_ns;

#endif /* TW_HISTOGRAM_H */
