/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Standard output and error, if their reader stops reading: main then waits in
 * write(), and takes no signal. A timer interrupts it, and gives the output up.
 * A thread could do so, too, but with one, the C library makes each system call
 * of all processes longer.
 */
#ifndef TW_OUTPUT_H
#define TW_OUTPUT_H

#include <stdbool.h>

struct tw_run;

/* Called by main, once, with the signals blocked that it takes by a file. */
void tw_output_watch(void);

/*
 * Called by main around what prints. Between them, poll() and the like may
 * return EINTR.
 */
void tw_output_begin(void);
void tw_output_end(void);

/* Called by main: it has taken a signal that ends the run. */
void tw_output_ends(int signal);

/*
 * Called by main: takes all signals that came. SIGUSR1 prints the status, and one
 * that ends the run is run->interrupted. SIGCHLD and SIGALRM only woke main.
 */
void tw_output_take_signals(struct tw_run *run);

/* Whether some output was given up: it went to /dev/null. */
bool tw_output_lost(void);

/* Writes what is buffered for standard output; false: it cannot be written. */
bool tw_output_flush(void);

/* Whether standard output cannot be written, or some of it was given up. */
bool tw_output_failed(void);
void tw_output_warn(void);	/* ...says so */

#endif /* TW_OUTPUT_H */
