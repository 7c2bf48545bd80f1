// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "tw_load.h"

const struct tw_load_ops *const tw_load_kinds[] = {
	&tw_load_fft,
	&tw_load_hackbench,
	NULL
};
