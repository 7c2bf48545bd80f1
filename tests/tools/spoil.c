// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library to preload: it makes a primitive do what it must never do, so that
 * primitivetest's verdicts have something to find.
 *
 *	TW_SPOIL=NAME	a name in names[]
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CALL		7	/* of a task, counted from 1: the one spoilt */
#define MESSAGE_MAX	65536
#define PAUSE_NS	1000000
#define HIGHEST		50	/* the -p of a test of LATE */
#define EXIT_BAD_NAME	99	/* a status that the program never has */

enum spoil {
	CONTENT,	/* a message has another last byte */
	VALUE,		/* a signal has another value */
	LOST,		/* a signal is not sent */
	NONE,		/* mutexes have no protocol */
	INHERIT,	/* they inherit priorities */
	LATE,		/* the highest of those woken gives way to the others */
	SWAPPED,	/* the lowest priority for the high task */
	/* No thread is created, /dev/null not opened, kill() for a thread. */
	REFUSED,
	SPOILS
};

static const char *const names[SPOILS] = {
	"content", "value", "lost", "none", "inherit", "late", "swapped",
	"refused",
};

static enum spoil spoil = SPOILS;
static int calls;

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

int mq_send(mqd_t queue, const char *message, size_t size,
	    unsigned int priority)
{
	int (*next)(mqd_t queue, const char *message, size_t size,
		    unsigned int priority) = real("mq_send");
	static char damaged[MESSAGE_MAX];

	if (spoil == CONTENT && ++calls == CALL && size <= sizeof(damaged)) {
		memcpy(damaged, message, size);
		damaged[size - 1]++;
		message = damaged;
	}
	return next(queue, message, size, priority);
}

int sigqueue(pid_t pid, int number, const union sigval value)
{
	int (*next)(pid_t pid, int number, const union sigval value) =
		real("sigqueue");
	union sigval other = value;
	bool now = pid != getpid() && ++calls == CALL;

	if (now && spoil == LOST)
		return 0;
	if (now && spoil == VALUE)
		other.sival_int++;
	return next(pid, number, other);
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attributes,
				  int protocol)
{
	int (*next)(pthread_mutexattr_t *attributes, int protocol) =
		real("pthread_mutexattr_setprotocol");

	if (spoil == NONE || spoil == INHERIT)
		protocol = spoil == NONE ? PTHREAD_PRIO_NONE :
					   PTHREAD_PRIO_INHERIT;
	return next(attributes, protocol);
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	int (*next)(pthread_cond_t *cond, pthread_mutex_t *mutex) =
		real("pthread_cond_wait");
	const struct timespec pause = { 0, PAUSE_NS };
	int result = next(cond, mutex);
	struct sched_param param;

	if (spoil == LATE && !sched_getparam(0, &param) &&
	    param.sched_priority == HIGHEST && ++calls == CALL) {
		pthread_mutex_unlock(mutex);
		nanosleep(&pause, NULL);
		pthread_mutex_lock(mutex);
	}
	return result;
}

/* Of the tasks of test switch: one more than the other has. */
static int swapped(int priority)
{
	return priority == 1 ? 3 : 2;
}

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
	int (*next)(pid_t pid, int policy, const struct sched_param *param) =
		real("sched_setscheduler");
	const struct sched_param other = {
		.sched_priority = swapped(param->sched_priority),
	};

	return next(pid, policy, spoil == SWAPPED && pid ? &other : param);
}

int pthread_attr_setschedparam(pthread_attr_t *attributes,
			       const struct sched_param *param)
{
	int (*next)(pthread_attr_t *attributes,
		    const struct sched_param *param) =
		real("pthread_attr_setschedparam");
	const struct sched_param other = {
		.sched_priority = swapped(param->sched_priority),
	};

	return next(attributes, spoil == SWAPPED ? &other : param);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
		   void *(*live)(void *arg), void *arg)
{
	int (*next)(pthread_t *thread, const pthread_attr_t *attributes,
		    void *(*live)(void *arg), void *arg) =
		real("pthread_create");

	return spoil == REFUSED && ++calls == CALL ? EAGAIN :
	       next(thread, attributes, live, arg);
}

/* Of the open() in a trial; none of them makes a file. */
int open64(const char *path, int flags, ...)
{
	int (*next)(const char *path, int flags, ...) = real("open64");

	if (spoil == REFUSED && !strcmp(path, "/dev/null") && ++calls == CALL) {
		errno = EMFILE;
		return -1;
	}
	return next(path, flags, 0666);
}

/* A signal to itself comes by another call, which its handler can tell. */
int kill(pid_t pid, int number)
{
	int (*next)(pid_t pid, int number) = real("kill");

	return spoil == REFUSED && pid == getpid() && ++calls == CALL ?
	       tgkill(pid, gettid(), number) : next(pid, number);
}

static void __attribute__((constructor)) init(void)
{
	const char *given = getenv("TW_SPOIL");
	int i;

	for (i = 0; given && i < SPOILS; i++)
		if (!strcmp(given, names[i]))
			spoil = i;
	if (given && spoil == SPOILS) {
		fprintf(stderr, "TW_SPOIL=%s: there is no such name\n", given);
		_exit(EXIT_BAD_NAME);
	}
}
