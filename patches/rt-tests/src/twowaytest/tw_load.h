/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --load: what keeps the system busy while twowaytest measures */
#ifndef __TW_LOAD_H
#define __TW_LOAD_H

void load_add(const char *value);	/* KIND[:N] */
void load_clear(void);		/* none of those that were added */
/* Before all starts; policy NULL: rr for fft if priority is set */
void load_check(const char *policy, int priority);
void load_start(int pin, int lock);	/* pin: each worker to a CPU */
int load_ended(void);		/* by itself; a signal handler may ask */
int load_stop(void);		/* returns 1, after a message, if it failed */
void load_print(void);

/* In a ramp, the first load has as many workers or groups as the step says */
void load_step(int step, int steps);
extern double load_rate;	/* of this one, its work a second */
void load_print_head(void);

#endif	/* __TW_LOAD_H */
