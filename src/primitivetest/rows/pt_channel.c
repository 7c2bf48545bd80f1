// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pt_channel.h"
#include "rt-error.h"
#include "tw_guard.h"

#define SETS	2

/* In memory that the guard shares; 0: none. Sets have the number plus 1. */
static struct pt_channel *sysv[SETS];
static struct tw_guard guard;

int pt_channel_unnamed(struct pt_channel *channel, struct pt_case *c)
{
	channel->sem = &channel->own;
	return sem_init(channel->sem, 1, 0) ? -errno : 0;
}

/* Its name is gone at once: nothing is left behind, whatever ends the run. */
int pt_channel_named(struct pt_channel *channel, struct pt_case *c)
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

int pt_sem_give(struct pt_channel *channel)
{
	return sem_post(channel->sem) ? -errno : 0;
}

int pt_sem_take(struct pt_channel *channel)
{
	return sem_wait(channel->sem) ? -errno : 0;
}

static void remove_sets(void)
{
	int i;

	for (i = 0; i < SETS; i++)
		if (sysv[i] && sysv[i]->fd > 0) {
			if (semctl(sysv[i]->fd - 1, 0, IPC_RMID) &&
			    errno != EINVAL && errno != EIDRM)
				warn("cannot remove a System V semaphore: %m; see ipcs\n");
			sysv[i]->fd = 0;
		}
}

/* It outlives its processes: a guard removes it if they cannot. */
int pt_channel_sysv(struct pt_channel *channel, struct pt_case *c)
{
	int set, i = sysv[0] != NULL;

	if (!i) {
		/* Both, as the guard knows what is known now. */
		sysv[0] = channel;
		sysv[1] = c->choice.test->flags & PT_ALONE ? NULL :
			  channel + 1;
		tw_guard_start(&guard, remove_sets);
		c->guard = guard.pid;
	}
	set = semget(IPC_PRIVATE, 1, 0600);
	if (set < 0)
		return pt_refuse(c, -errno, "semget: %s; see kernel.sem, and ipcs for what is in use",
				 strerror(errno));
	channel->fd = set + 1;
	return 0;
}

void pt_channel_close(struct pt_case *c)
{
	if (sysv[0])
		tw_guard_end(&guard);
}

static int change_sysv(const struct pt_channel *channel, short by)
{
	struct sembuf change = { .sem_op = by };

	/* EINTR: the process was stopped, and continues. */
	while (semop(channel->fd - 1, &change, 1))
		if (errno != EINTR)
			return -errno;
	return 0;
}

int pt_sysv_give(struct pt_channel *channel)
{
	return change_sysv(channel, 1);
}

int pt_sysv_take(struct pt_channel *channel)
{
	return change_sysv(channel, -1);
}

int pt_channel_eventfd(struct pt_channel *channel, struct pt_case *c)
{
	channel->fd = eventfd(0, EFD_SEMAPHORE);
	return channel->fd < 0 ? -errno : 0;
}

int pt_eventfd_give(struct pt_channel *channel)
{
	const uint64_t one = 1;

	return write(channel->fd, &one, sizeof(one)) == sizeof(one) ?
	       0 : -errno;
}

int pt_eventfd_take(struct pt_channel *channel)
{
	uint64_t count;

	return read(channel->fd, &count, sizeof(count)) == sizeof(count) ?
	       0 : -errno;
}

int pt_channel_futex(struct pt_channel *channel, struct pt_case *c)
{
	atomic_init(&channel->word, 0);
	return 0;
}

long pt_futex(struct pt_channel *channel, int operation, int value)
{
	return syscall(SYS_futex, &channel->word, operation, value, NULL, NULL,
		       0);
}

int pt_futex_give(struct pt_channel *channel)
{
	atomic_fetch_add(&channel->word, 1);
	return pt_futex(channel, FUTEX_WAKE, 1) < 0 ? -errno : 0;
}

int pt_futex_take(struct pt_channel *channel)
{
	int value;

	for (;;) {
		value = atomic_load(&channel->word);
		if (value > 0 &&
		    atomic_compare_exchange_strong(&channel->word, &value,
						   value - 1))
			return 0;
		if (value <= 0 && pt_futex(channel, FUTEX_WAIT, value) &&
		    errno != EAGAIN && errno != EINTR)
			return -errno;
	}
}

int pt_mutex_open(pthread_mutex_t *mutex, int protocol, int ceiling)
{
	pthread_mutexattr_t attributes;
	int err;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	err = pthread_mutexattr_setprotocol(&attributes, protocol);
	if (!err && protocol == PTHREAD_PRIO_PROTECT)
		err = pthread_mutexattr_setprioceiling(&attributes, ceiling);
	if (!err)
		err = pthread_mutex_init(mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return -err;
}

static int open_cond(struct pt_channel *channel, struct pt_case *c,
		     int protocol)
{
	pthread_condattr_t attributes;
	int err = pt_mutex_open(&channel->mutex, protocol, 0);

	if (err)
		return pt_refuse(c, err, "mutexes with this protocol: %s",
				 strerror(-err));
	pthread_condattr_init(&attributes);
	pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	err = -pthread_cond_init(&channel->cond, &attributes);
	pthread_condattr_destroy(&attributes);
	return err;
}

int pt_channel_cond(struct pt_channel *channel, struct pt_case *c)
{
	return open_cond(channel, c, PTHREAD_PRIO_NONE);
}

int pt_channel_pi(struct pt_channel *channel, struct pt_case *c)
{
	return open_cond(channel, c, PTHREAD_PRIO_INHERIT);
}

int pt_cond_give(struct pt_channel *channel)
{
	int err = pthread_mutex_lock(&channel->mutex);

	if (err)
		return -err;
	channel->given++;
	pthread_mutex_unlock(&channel->mutex);
	/* With the mutex held, the woken task would wait once more. */
	return -pthread_cond_signal(&channel->cond);
}

int pt_cond_take(struct pt_channel *channel)
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
