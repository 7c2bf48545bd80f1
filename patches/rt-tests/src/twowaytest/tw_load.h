/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --load: what keeps the system busy while twowaytest measures */
#ifndef __TW_LOAD_H
#define __TW_LOAD_H

enum { FFT, HACKBENCH, KINDS };

extern struct load {
	const char *name, *unit, *work, *value;	/* value: of --load */
	int usual, n;		/* n 0: there is none */
	char rate[16];		/* work a second */
} loads[KINDS];

void load_add(const char *value);	/* KIND[:N] */
/* Before all starts; policy: rr or other, the default (NULL) */
void load_check(const char *policy, int priority);
void load_start(int pin);	/* pin: each worker to a CPU */
int load_ended(void);		/* by itself; a signal handler may ask */
int load_stop(void);		/* returns 1, after a message, if it failed */
#endif	/* __TW_LOAD_H */
