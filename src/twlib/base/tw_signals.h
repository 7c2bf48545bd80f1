/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The signals that end a test, and those that tell of its children. */
#ifndef TW_SIGNALS_H
#define TW_SIGNALS_H

/*
 * Called by main before it starts anything that a signal must not leave behind:
 * blocks SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGCHLD. Those that were ignored
 * stay ignored. Returns a signalfd that does not block, or -errno.
 */
int tw_signals_open(void);

#endif /* TW_SIGNALS_H */
