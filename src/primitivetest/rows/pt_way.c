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
#include "rt-error.h"
#include "tw_guard.h"
#include "tw_read.h"

#define DEPTH	10	/* messages in a queue */

static int open_unnamed(struct pt_case *c, struct pt_channel *channel)
{
	channel->sem = &channel->own;
	return sem_init(channel->sem, 1, 0) ? -errno : 0;
}

/* Unique, and gone at once: nothing is left behind, whatever ends the run. */
static void name_it(char name[64], const struct pt_channel *channel)
{
	snprintf(name, 64, "/primitivetest-%d-%p", (int)getpid(),
		 (const void *)channel);
}

static int open_named(struct pt_case *c, struct pt_channel *channel)
{
	char name[64];

	name_it(name, channel);
	channel->sem = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	if (channel->sem == SEM_FAILED)
		return pt_refuse(c, -errno, "sem_open: %s; it needs /dev/shm",
				 strerror(errno));
	sem_unlink(name);
	return 0;
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

static void remove_set(void)
{
	if (sysv->from >= 0 && semctl(sysv->from, 0, IPC_RMID) &&
	    errno != EINVAL && errno != EIDRM)
		warn("cannot remove a System V semaphore: %m; see ipcs\n");
	sysv->from = -1;
}

/* A set of both outlives its processes: a guard removes it if they cannot. */
static int open_sysv(struct pt_case *c, struct pt_channel *channel)
{
	if (sysv) {
		channel->from = sysv->from;
		channel->to = 1;
		return 0;
	}
	sysv = channel;
	sysv->from = -1;
	tw_guard_start(&guard, remove_set);
	c->guard = guard.pid;
	sysv->from = semget(IPC_PRIVATE, 2, 0600);
	return sysv->from >= 0 ? 0 :
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
		.sem_num = (unsigned short)channel->to, .sem_op = by,
	};

	/* EINTR: the process was stopped, and continues. */
	while (semop(channel->from, &change, 1))
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
	channel->from = channel->to = eventfd(0, EFD_SEMAPHORE);
	return channel->to < 0 ? -errno : 0;
}

static int give_eventfd(struct pt_task *task, struct pt_channel *to)
{
	const uint64_t one = 1;

	return write(to->to, &one, sizeof(one)) == sizeof(one) ? 0 : -errno;
}

static int take_eventfd(struct pt_task *task, struct pt_channel *from)
{
	uint64_t count;

	return read(from->from, &count, sizeof(count)) == sizeof(count) ?
	       0 : -errno;
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

int pt_mutex_open(struct pt_case *c, pthread_mutex_t *mutex, int protocol)
{
	pthread_mutexattr_t attributes;
	int err;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	err = pthread_mutexattr_setprotocol(&attributes, protocol);
	if (!err && protocol == PTHREAD_PRIO_PROTECT)
		err = pthread_mutexattr_setprioceiling(&attributes,
			pt_config_priority(PT_HIGH));
	if (!err)
		err = pthread_mutex_init(mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return err ? pt_refuse(c, -err, "mutexes with this protocol: %s",
			       strerror(err)) : 0;
}

static int open_with(struct pt_case *c, struct pt_channel *channel,
		     int protocol)
{
	int err = pt_mutex_open(c, &channel->mutex, protocol);
	pthread_condattr_t attributes;

	if (err)
		return err;
	pthread_condattr_init(&attributes);
	pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	err = -pthread_cond_init(&channel->cond, &attributes);
	pthread_condattr_destroy(&attributes);
	return err;
}

static int open_cond(struct pt_case *c, struct pt_channel *channel)
{
	return open_with(c, channel, PTHREAD_PRIO_NONE);
}

static int open_pi(struct pt_case *c, struct pt_channel *channel)
{
	return open_with(c, channel, PTHREAD_PRIO_INHERIT);
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
		.mq_maxmsg = DEPTH, .mq_msgsize = pt_kind_value(c),
	};
	struct rlimit bytes = { .rlim_cur = 0 };
	char name[64];
	mqd_t queue;

	name_it(name, channel);
	queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	channel->from = channel->to = (int)queue;
	if (queue != (mqd_t)-1)
		return mq_unlink(name) ? -errno : 0;
	getrlimit(RLIMIT_MSGQUEUE, &bytes);
	return pt_refuse(c, -errno, "a queue of %d messages of %ld bytes: %s; allowed are msg_max %lld and msgsize_max %lld in /proc/sys/fs/mqueue, and %lld bytes in all queues of the user (ulimit -q)",
			 DEPTH, attributes.mq_msgsize, strerror(errno),
			 queue_limit("msg_max"), queue_limit("msgsize_max"),
			 (long long)bytes.rlim_cur);
}

static int give_message(struct pt_task *task, struct pt_channel *to)
{
	return mq_send(to->to, (const char *)pt_side(task)->buffer,
		       pt_kind_value(task->in), 0) ?
	       pt_failed(task, "mq_send", -errno) : 0;
}

static int take_message(struct pt_task *task, struct pt_channel *from)
{
	ssize_t size = pt_kind_value(task->in);
	ssize_t got = mq_receive(from->from, (char *)pt_side(task)->buffer,
				 size, NULL);

	return got == size ? 0 :
	       pt_failed(task, "mq_receive", got < 0 ? -errno : -EMSGSIZE);
}

static int open_pipe(struct pt_case *c, struct pt_channel *channel)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	channel->from = ends[0];
	channel->to = ends[1];
	return 0;
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
	channel[0].to = channel[1].from = ends[0];
	channel[1].to = channel[0].from = ends[1];
	return 0;
}

/* A large message may come and go in parts. */
static int give_bytes(struct pt_task *task, struct pt_channel *to)
{
	size_t left = pt_kind_value(task->in);
	const unsigned char *at = pt_side(task)->buffer;
	ssize_t done;

	for (; left; at += done, left -= (size_t)done) {
		done = write(to->to, at, left);
		if (done <= 0)
			return pt_failed(task, "write", -errno);
	}
	return 0;
}

static int take_bytes(struct pt_task *task, struct pt_channel *from)
{
	size_t left = pt_kind_value(task->in);
	unsigned char *at = pt_side(task)->buffer;
	ssize_t done;

	for (; left; at += done, left -= (size_t)done) {
		done = read(from->from, at, left);
		if (done <= 0)
			return pt_failed(task, "read", done ? -errno : -EPIPE);
	}
	return 0;
}

#define WAY(name, calls, ...) \
	const struct pt_way pt_way_##name = { \
		.open = open_##name, .give = give_##calls, \
		.take = take_##calls, __VA_ARGS__ \
	}

WAY(unnamed, sem, .futex = true);
WAY(named, sem, .futex = true);
WAY(sysv, sysv);
WAY(eventfd, eventfd);
WAY(futex, futex, .futex = true);
WAY(cond, cond, .futex = true);
WAY(pi, cond, .futex = true);
WAY(message, message);
WAY(pipe, bytes);
WAY(unix, bytes);
