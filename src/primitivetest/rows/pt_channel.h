/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ways to wake another task, all with the semantics of a semaphore that is 0
 * at first: wait() takes what post() has given. Threads and processes may share
 * a channel.
 */
#ifndef PT_CHANNEL_H
#define PT_CHANNEL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "base/tw_guard.h"
#include "core/pt_case.h"

struct pt_channel {
	sem_t own;
	sem_t *sem;
	int fd;			/* eventfd, or a set of SysV semaphores */
	struct tw_guard guard;
	atomic_int word;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int given;
};

struct pt_channel_ops {
	/* Called by the starter. Returns 0, or -errno after pt_refuse(). */
	int (*open)(struct pt_channel *channel, struct pt_case *c);
	void (*close)(struct pt_channel *channel);
	/* Return 0 or -errno. */
	int (*post)(struct pt_channel *channel);
	int (*wait)(struct pt_channel *channel);
	/* The same, one after the other, @count times; see PT_PAIRS(). */
	int (*pairs)(struct pt_channel *channel, int count);
};

/*
 * A function pairs(), with the code of @post and @wait in its loop: they take
 * less time than a call through a pointer would add.
 */
#define PT_PAIRS(name, post, wait) \
	static int name(struct pt_channel *channel, int count) \
	{ \
		int bad = 0; \
		for (; count; count--) { \
			bad |= post(channel); \
			bad |= wait(channel); \
		} \
		return bad ? -EIO : 0; \
	}

extern const struct pt_channel_ops pt_channel_unnamed;
extern const struct pt_channel_ops pt_channel_named;
extern const struct pt_channel_ops pt_channel_sysv;
extern const struct pt_channel_ops pt_channel_eventfd;
extern const struct pt_channel_ops pt_channel_futex;
extern const struct pt_channel_ops pt_channel_cond;
extern const struct pt_channel_ops pt_channel_pi;

/* The channel's operations, of the kind of the case. */
static inline const struct pt_channel_ops *pt_channel_of(const struct pt_case *c)
{
	return c->choice.kind->ops;
}

/*
 * For a test whose room is an array of @count channels: its open() and close().
 */
int pt_channels_open(struct pt_case *c, int count);
void pt_channels_close(struct pt_case *c, int count);

#endif /* PT_CHANNEL_H */
