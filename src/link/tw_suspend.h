/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TW_SUSPEND_H
#define TW_SUSPEND_H

#include <stdbool.h>

/* For tw_run.doubt, as the text of a limit has it. */
#define TW_SUSPENDED	"the system was suspended; otherwise"

/* By main: whether the system was suspended until the end of this step. */
bool tw_suspend_seen(void);

#endif /* TW_SUSPEND_H */
