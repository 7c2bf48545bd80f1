// SPDX-License-Identifier: GPL-2.0-or-later
/* The ways in which a task wakes another. */
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pt_exchange.h"
#include "tw_guard.h"
#include "tw_read.h"
#include "tw_say.h"

static int open_unnamed(struct pt_case *c, struct pt_channel *channel)
{
	channel->sem = &channel->own;
	return sem_init(channel->sem, 1, 0) ? -errno : 0;
}

/* Unique, and gone at once: nothing is left behind, whatever ends the run. */
static const char *name_of(const struct pt_channel *channel)
{
	static char name[64];

	snprintf(name, sizeof(name), "/primitivetest-%d-%p", (int)getpid(),
		 (const void *)channel);
	return name;
}

static int open_named(struct pt_case *c, struct pt_channel *channel)
{
	const char *name = name_of(channel);

	channel->sem = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	if (channel->sem == SEM_FAILED)
		return pt_refuse(c, -errno, "sem_open: %s; it needs /dev/shm",
				 strerror(errno));
	return sem_unlink(name) ? -errno : 0;
}

static int give_sem(struct pt_task *task, struct pt_channel *to)
{
	return sem_post(to->sem) ? -errno : 0;
}

static int take_sem(struct pt_task *task, struct pt_channel *from)
{
	pt_wait(from->sem);
	return 0;
}

/* In memory that the guard shares. */
static struct pt_channel *sysv;
static struct tw_guard guard;

static int remove_set(void)
{
	int err = 0;

	if (sysv->fd[0] >= 0 && semctl(sysv->fd[0], 0, IPC_RMID) &&
	    errno != EINVAL && errno != EIDRM) {
		err = -errno;
		tw_say_warn("cannot remove a System V semaphore: %m; see ipcs\n");
	}
	sysv->fd[0] = -1;
	return err;
}

/* A set of both outlives its processes: a guard removes it if they cannot. */
static int open_sysv(struct pt_case *c, struct pt_channel *channel)
{
	if (sysv) {
		channel->fd[0] = sysv->fd[0];
		channel->fd[1] = 1;	/* the second one of the set */
		return 0;
	}
	sysv = channel;
	sysv->fd[0] = -1;
	tw_guard_start(&guard, remove_set);
	c->guard = guard.pid;
	sysv->fd[0] = semget(IPC_PRIVATE, 2, 0600);
	return sysv->fd[0] >= 0 ? 0 :
	       pt_refuse(c, -errno, "semget: %s; see kernel.sem, and ipcs for what is in use",
			 strerror(errno));
}

void pt_way_close(struct pt_case *c)
{
	if (sysv)
		tw_guard_end(&guard);
}

static int change_sysv(const struct pt_channel *channel, short by)
{
	struct sembuf change = {
		.sem_num = (unsigned short)channel->fd[1], .sem_op = by,
	};

	/* EINTR: the process was stopped, and continues. */
	while (semop(channel->fd[0], &change, 1))
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int give_sysv(struct pt_task *task, struct pt_channel *to)
{
	return change_sysv(to, 1);
}

static int take_sysv(struct pt_task *task, struct pt_channel *from)
{
	return change_sysv(from, -1);
}

static int open_eventfd(struct pt_case *c, struct pt_channel *channel)
{
	channel->fd[0] = channel->fd[1] = eventfd(0, 0);
	return channel->fd[0] < 0 ? -errno : 0;
}

static int open_futex(struct pt_case *c, struct pt_channel *channel)
{
	atomic_init(&channel->word, 0);
	return 0;
}

long pt_futex(struct pt_channel *channel, int operation, int value)
{
	return syscall(SYS_futex, &channel->word, operation, value, NULL, NULL,
		       0);
}

static int give_futex(struct pt_task *task, struct pt_channel *to)
{
	atomic_fetch_add(&to->word, 1);
	return pt_futex(to, FUTEX_WAKE, 1) < 0 ? -errno : 0;
}

/* The only one that takes. */
static int take_futex(struct pt_task *task, struct pt_channel *from)
{
	while (!atomic_load(&from->word))
		if (pt_futex(from, FUTEX_WAIT, 0) && errno != EAGAIN &&
		    errno != EINTR)
			return -errno;
	atomic_fetch_sub(&from->word, 1);
	return 0;
}

#ifndef __GLIBC__	/* musl refuses PTHREAD_PRIO_PROTECT, and lacks this */
#define pthread_mutexattr_setprioceiling(attributes, ceiling)	ENOTSUP
#endif

int pt_mutex_open(struct pt_case *c, struct pt_channel *channel)
{
	int protocol = (int)pt_kind_value(c);
	pthread_mutexattr_t attributes;
	int err;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	err = pthread_mutexattr_setprotocol(&attributes, protocol);
	if (!err && protocol == PTHREAD_PRIO_PROTECT)
		err = pthread_mutexattr_setprioceiling(&attributes,
			pt_config_priority(PT_HIGH));
	if (!err)
		err = pthread_mutex_init(&channel->mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return err ? pt_refuse(c, -err, "mutexes with this protocol: %s",
			       strerror(err)) : 0;
}

static int open_cond(struct pt_case *c, struct pt_channel *channel)
{
	pthread_condattr_t attributes;
	int err;

	pthread_condattr_init(&attributes);
	pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	err = -pthread_cond_init(&channel->cond, &attributes);
	pthread_condattr_destroy(&attributes);
	return err ? err : pt_mutex_open(c, channel);
}

static int give_cond(struct pt_task *task, struct pt_channel *to)
{
	int err = pthread_mutex_lock(&to->mutex);

	if (err)
		return -err;
	to->given++;
	pthread_mutex_unlock(&to->mutex);
	/* With the mutex held, the woken task would wait once more. */
	return -pthread_cond_signal(&to->cond);
}

static int take_cond(struct pt_task *task, struct pt_channel *from)
{
	int err = pthread_mutex_lock(&from->mutex);

	if (err)
		return -err;
	while (!err && !from->given)
		err = pthread_cond_wait(&from->cond, &from->mutex);
	from->given -= !err;
	pthread_mutex_unlock(&from->mutex);
	return -err;
}

static long long queue_limit(const char *name)
{
	int64_t value = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/sys/fs/mqueue/%s", name);
	tw_read_number(&value, path);
	return (long long)value;
}

static int open_message(struct pt_case *c, struct pt_channel *channel)
{
	struct mq_attr attributes = {
		.mq_maxmsg = PT_QUEUE, .mq_msgsize = pt_kind_value(c),
	};
	struct rlimit bytes = { .rlim_cur = 0 };
	const char *name = name_of(channel);
	mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600,
			      &attributes);
	int err = errno;

	channel->fd[0] = channel->fd[1] = (int)queue;
	if (queue != (mqd_t)-1)
		return mq_unlink(name) ? -errno : 0;
	getrlimit(RLIMIT_MSGQUEUE, &bytes);
	return pt_refuse(c, -err, "a queue of %d messages of %ld bytes: %s; allowed are msg_max %lld and msgsize_max %lld in /proc/sys/fs/mqueue, and %lld bytes in all queues of the user (ulimit -q)",
			 PT_QUEUE, attributes.mq_msgsize, strerror(err),
			 queue_limit("msg_max"), queue_limit("msgsize_max"),
			 (long long)bytes.rlim_cur);
}

static int give_message(struct pt_task *task, struct pt_channel *to)
{
	return mq_send(to->fd[1], (const char *)to->content[1], to->size, 0) ?
	       pt_failed(task, "mq_send", -errno) : 0;
}

static int take_message(struct pt_task *task, struct pt_channel *from)
{
	ssize_t got = mq_receive(from->fd[0], (char *)from->content[0],
				 from->size, NULL);

	return got == (ssize_t)from->size ? 0 :
	       pt_failed(task, "mq_receive", got < 0 ? -errno : -EMSGSIZE);
}

static int open_pipe(struct pt_case *c, struct pt_channel *channel)
{
	return pipe2(channel->fd, O_CLOEXEC) ? -errno : 0;
}

/* One pair of sockets, for both directions. */
static int open_unix(struct pt_case *c, struct pt_channel *channel)
{
	struct pt_exchange *room = c->room;
	int ends[2];

	if (channel != room->channel)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	channel[0].fd[1] = channel[1].fd[0] = ends[0];
	channel[1].fd[1] = channel[0].fd[0] = ends[1];
	return 0;
}

/* A large message may come and go in parts. */
static int give_bytes(struct pt_task *task, struct pt_channel *to)
{
	ssize_t all, done = write(to->fd[1], to->content[1], to->size);

	for (all = done; all != (ssize_t)to->size; all += done) {
		if (done <= 0)
			return pt_failed(task, "write", -errno);
		done = write(to->fd[1], to->content[1] + all, to->size - all);
	}
	return 0;
}

static int take_bytes(struct pt_task *task, struct pt_channel *from)
{
	ssize_t all, done = read(from->fd[0], from->content[0], from->size);

	for (all = done; all != (ssize_t)from->size; all += done) {
		if (done <= 0)
			return pt_failed(task, "read", done ? -errno : -EPIPE);
		done = read(from->fd[0], from->content[0] + all,
			    from->size - all);
	}
	return 0;
}

#define WAY(name, opened, calls, ...) \
	const struct pt_way pt_way_##name = { \
		.open = open_##opened, .give = give_##calls, \
		.take = take_##calls, __VA_ARGS__ \
	}

WAY(unnamed, unnamed, sem, .futex = true);
WAY(named, named, sem, .futex = true);
WAY(sysv, sysv, sysv);
WAY(eventfd, eventfd, bytes, .size = sizeof(uint64_t));
WAY(futex, futex, futex, .futex = true);
WAY(cond, cond, cond, .futex = true);
WAY(message, message, message);
WAY(stream, message, message, .burst = PT_BURST);
WAY(pipe, pipe, bytes);
WAY(unix, unix, bytes);
