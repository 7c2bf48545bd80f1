/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_CHECK_PARAMS_H
#define TW_CHECK_PARAMS_H

#include "check/tw_environ.h"

struct tw_run;

/* The program's environ_params(). */
void tw_check_params(const struct tw_run *run,
		     struct tw_environ_params *params);

#endif /* TW_CHECK_PARAMS_H */
