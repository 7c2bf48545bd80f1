/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A task asks, and leads; another answers. Tests and kinds differ in the way
 * that request and answer take.
 */
#ifndef PT_EXCHANGE_H
#define PT_EXCHANGE_H

#include <pthread.h>
#include <signal.h>

#include "pt_record.h"

#define PT_SIZE_MAX	65536	/* bytes of a message; see --size */
#define PT_QUEUE	10	/* messages that a queue has room for */
#define PT_BURST	120	/* messages of a trial of stream */

enum { PT_ASKS, PT_ANSWERS };	/* the numbers of the two tasks */

/*
 * What a way needs in one direction; threads and processes may share it. The
 * room of a test that uses a way begins with its channels.
 */
struct pt_channel {
	/* Of who takes, and of who gives. */
	int fd[2];
	unsigned char *content[2];
	size_t size;		/* of the content, in bytes */
	pid_t pid;		/* who takes signals, of the number fd[1] */
	sigset_t signals;	/* that one */
	sem_t own;
	sem_t *sem;
	atomic_int word;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int given;
};

/* Of a task: what it sends, or has received. */
struct pt_side {
	int64_t sent, received;
	int64_t wrong;		/* received, with other content than sent */
	volatile sig_atomic_t handled;	/* a signal, by its handler */
	unsigned char buffer[PT_SIZE_MAX];
};

/* The room of tests of two tasks. */
struct pt_exchange {
	struct pt_channel channel[2];	/* there, and back */
	struct pt_side side[2];
	int64_t standard;	/* signal.queue: SIGUSR1 that arrived */
};

/*
 * What wakes another task. give() and take() have the semantics of a semaphore
 * that is 0 at first, and return 0 or -errno.
 */
struct pt_way {
	/* Called by the starter. Returns 0, or -errno after pt_refuse(). */
	int (*open)(struct pt_case *c, struct pt_channel *channel);
	int (*give)(struct pt_task *task, struct pt_channel *to);
	int (*take)(struct pt_task *task, struct pt_channel *from);
	size_t size;		/* of its content; 0: as the kind's value */
	int burst;		/* so many before an answer; 0: one */
	bool stamps;		/* it takes PT_ARRIVED itself */
	bool futex;		/* its system calls are those of sync1.futex */
};

extern const struct pt_way pt_way_unnamed, pt_way_named, pt_way_sysv,
	pt_way_eventfd, pt_way_futex, pt_way_cond, pt_way_message,
	pt_way_stream, pt_way_pipe, pt_way_unix, pt_way_sigwaitinfo,
	pt_way_handler, pt_way_signalfd;

/* For close(): removes what outlives a process. */
void pt_way_close(struct pt_case *c);

/* For open(): a mutex of the kind's protocol, which processes may share. */
int pt_mutex_open(struct pt_case *c, struct pt_channel *channel);

/* futex(2) of the channel's word. */
long pt_futex(struct pt_channel *channel, int operation, int value);

static inline struct pt_side *pt_side(const struct pt_task *task)
{
	struct pt_exchange *room = task->in->room;

	return &room->side[task->number];
}

/* The timestamp of what a task has received. */
#define PT_ARRIVED(side)	((side) == PT_ASKS ? 2 : 1)

/*
 * A message is its number, of as many bytes of 8 as fit, and then a pattern
 * that follows from its size.
 */
void pt_content_fill(unsigned char *message, size_t size, uint64_t number);
bool pt_content_is(const unsigned char *message, size_t size, uint64_t number);

/* The size of the number, which is a message without a pattern. */
static inline size_t pt_content_head(size_t size)
{
	return size < sizeof(uint64_t) ? size : sizeof(uint64_t);
}

void pt_exchange_verify(struct pt_case *c);

/* sync2.mutex, signal.queue */
extern const struct pt_metric pt_mutex_metrics[], pt_queue_metrics[];
extern const struct pt_role pt_mutex_roles[], pt_queue_roles[];
int pt_signal_enter(struct pt_task *task);
void pt_signal_verify(struct pt_case *c);

#endif /* PT_EXCHANGE_H */
