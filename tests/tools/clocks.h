/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLOCKS_H
#define CLOCKS_H

/* Maps what all processes share; -1: it cannot. */
int clocks_open(void);

/* Sets CLOCK_REALTIME forward by @us, or as if it were negative, back. */
void clocks_set(unsigned long us);

/* As if the system had slept for @us. */
void clocks_suspend(unsigned long us);

#endif /* CLOCKS_H */
