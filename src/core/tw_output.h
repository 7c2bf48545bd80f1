/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Standard output, if its reader stops reading: main then waits in write(), and
 * sees no signal. A thread of main sees it, and gives the output up.
 */
#ifndef TW_OUTPUT_H
#define TW_OUTPUT_H

#include <stdbool.h>

/*
 * Called by main, once: starts the thread. @signal_fd: of the signals that main
 * takes.
 */
void tw_output_watch(int signal_fd);

/* Called by main: it has taken a signal that ends the run. */
void tw_output_ends(int signal);

/* Whether some output was given up: it went to /dev/null. */
bool tw_output_lost(void);

#endif /* TW_OUTPUT_H */
