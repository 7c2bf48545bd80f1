/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ways to wake another task, all with the semantics of a semaphore that is 0
 * at first: wait() takes what post() has given. Threads and processes may share
 * a channel.
 */
#ifndef PT_CHANNEL_H
#define PT_CHANNEL_H

#include <pthread.h>

#include "pt_record.h"

struct pt_channel {
	sem_t own;
	sem_t *sem;
	int fd;			/* eventfd, or a set of SysV semaphores */
	atomic_int word;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int given;
};

/* Called by the starter. Return 0, or -errno after pt_refuse(). */
int pt_channel_unnamed(struct pt_channel *channel, struct pt_case *c);
int pt_channel_named(struct pt_channel *channel, struct pt_case *c);
int pt_channel_sysv(struct pt_channel *channel, struct pt_case *c);
int pt_channel_eventfd(struct pt_channel *channel, struct pt_case *c);
int pt_channel_futex(struct pt_channel *channel, struct pt_case *c);
int pt_channel_cond(struct pt_channel *channel, struct pt_case *c);
int pt_channel_pi(struct pt_channel *channel, struct pt_case *c);

/* Removes what outlives a process. */
void pt_channel_close(struct pt_case *c);

/* A mutex that several processes use. Returns 0 or -errno. */
int pt_mutex_open(pthread_mutex_t *mutex, int protocol, int ceiling);

int pt_sem_give(struct pt_channel *channel);
int pt_sem_take(struct pt_channel *channel);
int pt_sysv_give(struct pt_channel *channel);
int pt_sysv_take(struct pt_channel *channel);
int pt_eventfd_give(struct pt_channel *channel);
int pt_eventfd_take(struct pt_channel *channel);
int pt_futex_give(struct pt_channel *channel);
int pt_futex_take(struct pt_channel *channel);
int pt_cond_give(struct pt_channel *channel);
int pt_cond_take(struct pt_channel *channel);

/* futex(2) of the channel's word. */
long pt_futex(struct pt_channel *channel, int operation, int value);

#endif /* PT_CHANNEL_H */
