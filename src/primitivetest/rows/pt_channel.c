// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rows/pt_channel.h"

/* Without errno: one's own semaphore is a matter of a few ns. */
static int raw_give(struct pt_channel *channel)
{
	return sem_post(channel->sem);
}

static int raw_take(struct pt_channel *channel)
{
	return sem_wait(channel->sem);
}

static int sem_give(struct pt_channel *channel)
{
	return raw_give(channel) ? -errno : 0;
}

static int sem_take(struct pt_channel *channel)
{
	return raw_take(channel) ? -errno : 0;
}

static int open_unnamed(struct pt_channel *channel, struct pt_case *c)
{
	(void)c;
	channel->sem = &channel->own;
	return sem_init(channel->sem, 1, 0) ? -errno : 0;
}

/* Its name is gone at once: nothing is left behind, whatever ends the run. */
static int open_named(struct pt_channel *channel, struct pt_case *c)
{
	char name[64];

	snprintf(name, sizeof(name), "/primitivetest-%d-%p", (int)getpid(),
		 (void *)channel);
	channel->sem = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	if (channel->sem == SEM_FAILED)
		return pt_refuse(c, -errno, "sem_open: %s; it needs /dev/shm",
				 strerror(errno));
	sem_unlink(name);
	return 0;
}

/* @what: in shared memory, and -1 if there is no set. */
static int remove_sysv(const void *what)
{
	int set = *(const int *)what;

	return set >= 0 && semctl(set, 0, IPC_RMID) ? -errno : 0;
}

/* It outlives its processes: a guardian removes it if they cannot. */
static int open_sysv(struct pt_channel *channel, struct pt_case *c)
{
	int err;

	channel->fd = -1;
	err = tw_guard_open(&channel->guard, remove_sysv, &channel->fd, -1);
	if (err)
		return err;
	channel->fd = semget(IPC_PRIVATE, 1, 0600);
	return channel->fd >= 0 ? 0 :
	       pt_refuse(c, -errno, "semget: %s; see kernel.sem, and ipcs for what is in use",
			 strerror(errno));
}

static void close_sysv(struct pt_channel *channel)
{
	tw_guard_close(&channel->guard);
}

static int change_sysv(const struct pt_channel *channel, short by)
{
	struct sembuf change = { .sem_op = by };

	/* EINTR: the process was stopped, and continues. */
	while (semop(channel->fd, &change, 1))
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int give_sysv(struct pt_channel *channel)
{
	return change_sysv(channel, 1);
}

static int take_sysv(struct pt_channel *channel)
{
	return change_sysv(channel, -1);
}

static int open_eventfd(struct pt_channel *channel, struct pt_case *c)
{
	channel->fd = eventfd(0, EFD_SEMAPHORE);
	if (channel->fd < 0)
		return -errno;
	pt_keep(c, channel->fd);
	return 0;
}

static void close_eventfd(struct pt_channel *channel)
{
	close(channel->fd);
}

static int give_eventfd(struct pt_channel *channel)
{
	const uint64_t one = 1;

	return write(channel->fd, &one, sizeof(one)) == sizeof(one) ?
	       0 : -errno;
}

static int take_eventfd(struct pt_channel *channel)
{
	uint64_t count;

	return read(channel->fd, &count, sizeof(count)) == sizeof(count) ?
	       0 : -errno;
}

static int open_futex(struct pt_channel *channel, struct pt_case *c)
{
	(void)c;
	atomic_init(&channel->word, 0);
	return 0;
}

static long call_futex(struct pt_channel *channel, int operation, int value)
{
	return syscall(SYS_futex, &channel->word, operation, value, NULL, NULL,
		       0);
}

static int give_futex(struct pt_channel *channel)
{
	atomic_fetch_add(&channel->word, 1);
	return call_futex(channel, FUTEX_WAKE, 1) < 0 ? -errno : 0;
}

static int take_futex(struct pt_channel *channel)
{
	int value;

	for (;;) {
		value = atomic_load(&channel->word);
		if (value > 0 &&
		    atomic_compare_exchange_strong(&channel->word, &value,
						   value - 1))
			return 0;
		if (value <= 0 && call_futex(channel, FUTEX_WAIT, value) &&
		    errno != EAGAIN && errno != EINTR)
			return -errno;
	}
}

static int init_cond(struct pt_channel *channel, int protocol)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;
	int err;

	pthread_mutexattr_init(&mutex);
	pthread_condattr_init(&cond);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	err = pthread_mutexattr_setprotocol(&mutex, protocol);
	if (!err)
		err = pthread_mutex_init(&channel->mutex, &mutex);
	if (!err)
		err = pthread_cond_init(&channel->cond, &cond);
	pthread_mutexattr_destroy(&mutex);
	pthread_condattr_destroy(&cond);
	return -err;
}

static int open_cond(struct pt_channel *channel, struct pt_case *c)
{
	(void)c;
	return init_cond(channel, PTHREAD_PRIO_NONE);
}

static int open_pi(struct pt_channel *channel, struct pt_case *c)
{
	int err = init_cond(channel, PTHREAD_PRIO_INHERIT);

	return err ? pt_refuse(c, err, "mutexes that inherit priorities: %s",
			       strerror(-err)) : 0;
}

static int give_cond(struct pt_channel *channel)
{
	int err = pthread_mutex_lock(&channel->mutex);

	if (err)
		return -err;
	channel->given++;
	pthread_mutex_unlock(&channel->mutex);
	/* With the mutex held, the woken task would wait once more. */
	return -pthread_cond_signal(&channel->cond);
}

static int take_cond(struct pt_channel *channel)
{
	int err = pthread_mutex_lock(&channel->mutex);

	if (err)
		return -err;
	while (!err && !channel->given)
		err = pthread_cond_wait(&channel->cond, &channel->mutex);
	channel->given -= !err;
	pthread_mutex_unlock(&channel->mutex);
	return -err;
}

PT_PAIRS(pairs_sem, raw_give, raw_take)
PT_PAIRS(pairs_sysv, give_sysv, take_sysv)
PT_PAIRS(pairs_eventfd, give_eventfd, take_eventfd)
PT_PAIRS(pairs_futex, give_futex, take_futex)
PT_PAIRS(pairs_cond, give_cond, take_cond)

const struct pt_channel_ops pt_channel_unnamed = {
	open_unnamed, NULL, sem_give, sem_take, pairs_sem,
};

const struct pt_channel_ops pt_channel_named = {
	open_named, NULL, sem_give, sem_take, pairs_sem,
};

const struct pt_channel_ops pt_channel_sysv = {
	open_sysv, close_sysv, give_sysv, take_sysv, pairs_sysv,
};

const struct pt_channel_ops pt_channel_eventfd = {
	open_eventfd, close_eventfd, give_eventfd, take_eventfd, pairs_eventfd,
};

const struct pt_channel_ops pt_channel_futex = {
	open_futex, NULL, give_futex, take_futex, pairs_futex,
};

const struct pt_channel_ops pt_channel_cond = {
	open_cond, NULL, give_cond, take_cond, pairs_cond,
};

const struct pt_channel_ops pt_channel_pi = {
	open_pi, NULL, give_cond, take_cond, pairs_cond,
};

int pt_channels_open(struct pt_case *c, int count)
{
	struct pt_channel *channel = c->room;
	int i, err = 0;

	for (i = 0; !err && i < count; i++)
		err = pt_channel_of(c)->open(&channel[i], c);
	return err;
}

void pt_channels_close(struct pt_case *c, int count)
{
	struct pt_channel *channel = c->room;
	int i;

	for (i = 0; pt_channel_of(c)->close && i < count; i++)
		pt_channel_of(c)->close(&channel[i]);
}
