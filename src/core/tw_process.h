/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Child processes: each applies its settings, reads them back, and says that
 * it is ready; it dies with main. Waiting until a child is ready or has ended
 * has a time limit: it cannot run while a task of higher priority uses its CPU.
 */
#ifndef TW_PROCESS_H
#define TW_PROCESS_H

#include <stdio.h>
#include <sys/types.h>

#include "tw_config.h"

/* Interrupts any wait of a child, which then looks whether it is to stop. */
#define TW_STOP_SIGNAL	(SIGRTMIN + 1)
#define TW_STOP_MS	1000	/* to end, before it is killed */

struct tw_process {
	pid_t pid;		/* 0: none was started */
	const char *name;	/* in messages */
	bool group;		/* leads a process group of its own */
	bool ended;		/* it is a zombie: see tw_child.h */
	int status;		/* as from waitpid(), once ended */
	/* Read back from the kernel when it was ready: see tw_process_read(). */
	int policy;
	int priority;
	cpu_set_t cpus;
};

/*
 * Sets policy, priority, CPUs and locked memory of the calling process as
 * @role @number is to have them. Ends it after a message if that fails.
 */
void tw_process_configure(enum tw_role role, int number, struct tw_rank rank);

/* Sets the calling process's: 0, or -1 and errno. See tw_config.schedule. */
int tw_process_schedule(int pair, int policy, int priority);

/*
 * Forks, configures the child as @role @number, and waits until it is ready; then
 * the child runs live(arg) and exits with it. A load becomes a process group.
 * Returns 0; -EINTR: a signal that ends the run came first; or, after a
 * message, another -errno. Then the child was killed, and *process is as it was.
 */
int tw_process_start(struct tw_process *process, enum tw_role role,
		     int number, struct tw_rank rank, int (*live)(void *arg),
		     void *arg);

/*
 * Closes all files of the calling process but standard input, output, error and
 * these: what ends with main is to end with it, although this process may not.
 */
void tw_process_close(int but, int but_also, int and_also);

/* Policy, priority and CPUs, as the kernel has them. */
void tw_process_read(struct tw_process *process);

/*
 * Whether somebody has changed these since they were @begun: @left is as they
 * were read again, pid 0: they were not. The line that says so behind @before.
 */
#define TW_CHANGED	"# Changed while it ran: "
bool tw_process_changed(const struct tw_process *begun,
			const struct tw_process *left);
void tw_process_print_change(FILE *file, const char *before,
			     const struct tw_process *begun,
			     const struct tw_process *left);

/* Whether it ends within @ms; 0: has ended. One that was not started has not. */
bool tw_process_ends(struct tw_process *process, int ms);

/* Kills it, and waits for its end: to die, it gets the caller's CPUs. */
void tw_process_kill(struct tw_process *process);

/*
 * Ends it: asks it to, repeatedly, and kills it after a second; returns whether
 * that was necessary, after a message. A group is killed at once.
 */
bool tw_process_stop_failed(struct tw_process *process);

/*
 * If the process has failed, prints how and returns true. With @killed, only a
 * death by a signal counts.
 */
bool tw_process_failed(const struct tw_process *process, bool killed);

#endif /* TW_PROCESS_H */
