/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to signal: its kinds. */
#ifndef PT_SIGNAL_H
#define PT_SIGNAL_H

#include <signal.h>

#include "core/pt_case.h"

/* Signals of two tasks: threads of a process have the signals in common. */
enum { PT_SIGNAL_ASKS, PT_SIGNAL_ANSWERS, PT_SIGNAL_SIDES };

#define PT_SIGNAL_QUEUED	10	/* by the kind queue */

/* The room of the test. */
struct pt_signal {
	int64_t sent, received;
	int64_t wrong;		/* received, with another value */
	/* Of the kind queue: */
	sem_t go, done;
	int64_t standard;	/* SIGUSR1 that arrived */
	int64_t taken_ns;	/* when the last one of a trial was taken */
};

/* What a task needs to receive its signal. */
struct pt_signal_side {
	struct pt_task *task;
	int signo;
	sigset_t set;
	int fd;
};

/* What arrived: its value, and the timestamp of its arrival. */
struct pt_signal_got {
	int value;
	int64_t t_ns;
};

struct pt_signal_way {
	/* Called by the task. Return 0 or -errno. */
	int (*open)(struct pt_signal_side *side);
	int (*take)(struct pt_signal_side *side, struct pt_signal_got *got);
	void (*verify)(struct pt_case *c);
};

extern const struct pt_signal_way pt_signal_sigwaitinfo;
extern const struct pt_signal_way pt_signal_handler;
extern const struct pt_signal_way pt_signal_signalfd;

/* The kind queue has tasks and metrics of its own. */
extern const struct pt_signal_way pt_signal_queue;
extern const struct pt_metric pt_signal_queue_metrics[];
extern const struct pt_role pt_signal_queue_roles[];

/* The signal of a side; and the process to send it to. */
int pt_signal_number(int side);
int pt_signal_pid(const struct pt_case *c, int side);

/* Sends @signo with @value; fails the task if that is not possible. */
int pt_signal_send(struct pt_task *task, int side, int signo, int value);

#endif /* PT_SIGNAL_H */
