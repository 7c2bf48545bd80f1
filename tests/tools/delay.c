// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library to preload: it makes known calls of the client or the server
 * late by a known time, or damages a message that they send.
 *
 *	TW_DELAY=FAULT[,FAULT...]	FAULT is ROLE:CALL:WHEN:NUMBER:VALUE
 *
 * ROLE: client, server, or a task of primitivetest, as asks, answers, low, mid,
 * high; told by the name that the process gives itself. With a
 * number behind it, as in client2, only that one of those that were started,
 * counted from 0. CALL: a name in call_names. NUMBER: which of these calls of
 * that process, counted from 0 without those that failed; "*": each. WHEN:
 * "before" or "after" the call VALUE microseconds are slept, "busy-before" or
 * "busy-after" it they are spent running. Of a send alone: "flip" inverts bit
 * VALUE of the message; "drop" does not send it; "twice" sends it twice; "swap"
 * sends it after the next one. Of a recv alone: "expire" makes it fail after
 * VALUE microseconds, as if its time were over. "set" sets CLOCK_REALTIME by
 * VALUE microseconds before the call, which may be negative, "suspend" is as if
 * the system had slept then.
 *
 *	TW_DELAY_STAMPS=FILE	when each delay began and ended
 *
 * FILE must exist; it gets two int64_t a fault, in ns of CLOCK_MONOTONIC.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clocks.h"

#define FAULTS		8
#define MESSAGE_MAX	65536
#define ANY		UINT_MAX
#define EACH		ULONG_MAX
#define EXIT_BAD_FAULT	99	/* a status that the program never has */

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

enum call {
	SEND, RECV, POLL, SELECT, EPOLL_WAIT, NANOSLEEP, SIGWAITINFO,
	CLOCK_NANOSLEEP, READ, WRITE, SEM_POST, SEM_WAIT, SEMOP, MQ_SEND,
	MQ_RECEIVE, SIGQUEUE, MUTEX_UNLOCK, COND_SIGNAL, SIGSUSPEND, KILL,
	CALLS
};

static const char *const call_names[CALLS] = {
	"send", "recv", "poll", "select", "epoll_wait", "nanosleep",
	"sigwaitinfo", "clock_nanosleep", "read", "write", "sem_post",
	"sem_wait", "semop", "mq_send", "mq_receive", "sigqueue",
	"pthread_mutex_unlock", "pthread_cond_signal", "sigsuspend", "kill",
};

enum when {
	BEFORE, AFTER, BUSY_BEFORE, BUSY_AFTER, SET, SUSPEND, FLIP, DROP, TWICE,
	SWAP, EXPIRE, WHENS
};

static const char *const when_names[WHENS] = {
	"before", "after", "busy-before", "busy-after", "set", "suspend",
	"flip", "drop", "twice", "swap", "expire",
};

enum role {
	CLIENT, SERVER, ASKS, ANSWERS, LOW, MID, HIGH, ROLES, NOBODY = ROLES
};

static const char *const role_names[ROLES] = {
	"client", "server", "asks", "answers", "low", "mid", "high",
};

static const char *const task_names[ROLES] = {
	"twoway-client", "twoway-server", "prim-asks", "prim-answers",
	"prim-low", "prim-mid", "prim-high",
};

static struct fault {
	enum role role;
	unsigned int which;	/* of those in this role; ANY */
	enum call call;
	enum when when;
	unsigned long number;	/* EACH */
	unsigned long value;
} faults[FAULTS];

/* Shared by all processes. */
struct stamps {
	int64_t begin_ns;
	int64_t end_ns;
};

static struct stamps unread[FAULTS];
static struct stamps *stamps = unread;

static size_t fault_count;
static enum role role = NOBODY;
static unsigned int which;
/* How many there have been in each role; shared by all processes. */
static unsigned int *started;
static unsigned long done[CALLS];

/* Found when first called: other libraries' constructors may come first. */
static void *real(enum call call)
{
	static void *found[CALLS];

	if (!found[call])
		found[call] = dlsym(RTLD_NEXT, call_names[call]);
	return found[call];
}

static const struct fault *due(enum call call, enum when when)
{
	size_t i;

	for (i = 0; i < fault_count; i++)
		if (faults[i].role == role && faults[i].call == call &&
		    (faults[i].which == ANY || faults[i].which == which) &&
		    faults[i].when == when &&
		    (faults[i].number == EACH ||
		     faults[i].number == done[call]))
			return &faults[i];
	return NULL;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void doze(unsigned long us)
{
	int (*next)(const struct timespec *span, struct timespec *left) =
		real(NANOSLEEP);
	struct timespec left = { us / 1000000, us % 1000000 * 1000 };

	while (next(&left, &left) && errno == EINTR)
		;
}

static void spin(unsigned long us)
{
	int64_t end_ns = now_ns() + us * INT64_C(1000);

	while (now_ns() < end_ns)
		;
}

static void late(enum call call, enum when when, void (*spend)(unsigned long))
{
	const struct fault *fault = due(call, when);
	struct stamps *stamp;
	int saved = errno;

	if (!fault)
		return;
	stamp = &stamps[fault - faults];
	stamp->begin_ns = now_ns();
	spend(fault->value);
	stamp->end_ns = now_ns();
	errno = saved;
}

static void before(enum call call)
{
	late(call, BEFORE, doze);
	late(call, BUSY_BEFORE, spin);
	late(call, SET, clocks_set);
	late(call, SUSPEND, clocks_suspend);
}

static void after(enum call call, int failed)
{
	if (failed)
		return;
	late(call, AFTER, doze);
	late(call, BUSY_AFTER, spin);
	done[call]++;
}

#define WRAP(call, type, name, failed, params, args)			\
	type name params						\
	{								\
		type (*next) params = real(call);			\
		type result;						\
									\
		before(call);						\
		result = next args;					\
		after(call, failed);					\
		return result;						\
	}

/* That of a timerfd alone: files are read with more room. */
WRAP(READ, ssize_t, read, result < 0 || size != sizeof(uint64_t),
     (int fd, void *buf, size_t size), (fd, buf, size))
WRAP(POLL, int, poll, result < 0,
     (struct pollfd *fds, nfds_t count, int timeout), (fds, count, timeout))
WRAP(SELECT, int, select, result < 0,
     (int count, fd_set *in, fd_set *out, fd_set *except,
      struct timeval *timeout), (count, in, out, except, timeout))
WRAP(EPOLL_WAIT, int, epoll_wait, result < 0,
     (int fd, struct epoll_event *events, int count, int timeout),
     (fd, events, count, timeout))
WRAP(NANOSLEEP, int, nanosleep, result,
     (const struct timespec *span, struct timespec *left), (span, left))
WRAP(CLOCK_NANOSLEEP, int, clock_nanosleep, result,
     (clockid_t clock, int flags, const struct timespec *span,
      struct timespec *left), (clock, flags, span, left))
WRAP(SIGWAITINFO, int, sigwaitinfo, result < 0,
     (const sigset_t *signals, siginfo_t *info), (signals, info))

WRAP(WRITE, ssize_t, write, result < 0 || size != sizeof(uint64_t),
     (int fd, const void *buf, size_t size), (fd, buf, size))
WRAP(SEM_POST, int, sem_post, result, (sem_t *sem), (sem))
WRAP(SEM_WAIT, int, sem_wait, result, (sem_t *sem), (sem))
WRAP(SEMOP, int, semop, result,
     (int set, struct sembuf *changes, size_t count), (set, changes, count))
WRAP(MQ_SEND, int, mq_send, result,
     (mqd_t queue, const char *message, size_t size, unsigned int priority),
     (queue, message, size, priority))
WRAP(MQ_RECEIVE, ssize_t, mq_receive, result < 0,
     (mqd_t queue, char *message, size_t size, unsigned int *priority),
     (queue, message, size, priority))
WRAP(SIGQUEUE, int, sigqueue, result,
     (pid_t pid, int number, const union sigval value), (pid, number, value))
WRAP(MUTEX_UNLOCK, int, pthread_mutex_unlock, result,
     (pthread_mutex_t *mutex), (mutex))
WRAP(COND_SIGNAL, int, pthread_cond_signal, result,
     (pthread_cond_t *cond), (cond))
/* It always returns as if it had failed. */
WRAP(SIGSUSPEND, int, sigsuspend, result >= 0, (const sigset_t *mask), (mask))
WRAP(KILL, int, kill, result, (pid_t pid, int number), (pid, number))

ssize_t recv(int fd, void *buf, size_t size, int flags)
{
	ssize_t (*next)(int fd, void *buf, size_t size, int flags) =
		real(RECV);
	const struct fault *expire = due(RECV, EXPIRE);
	ssize_t result = -1;

	before(RECV);
	if (expire)
		doze(expire->value);
	else
		result = next(fd, buf, size, flags);
	after(RECV, !expire && result < 0);
	if (expire)
		errno = EAGAIN;
	return result;
}

ssize_t send(int fd, const void *buf, size_t size, int flags)
{
	ssize_t (*next)(int fd, const void *buf, size_t size, int flags) =
		real(SEND);
	const struct fault *flip = due(SEND, FLIP);
	static char damaged[MESSAGE_MAX], held[MESSAGE_MAX];
	static size_t held_size;
	ssize_t result = size;

	if (flip && size <= sizeof(damaged) && flip->value < 8 * size) {
		memcpy(damaged, buf, size);
		damaged[flip->value / 8] ^= 1 << flip->value % 8;
		buf = damaged;
	}
	before(SEND);
	if (due(SEND, SWAP)) {
		memcpy(held, buf, size);
		held_size = size;
	} else if (!due(SEND, DROP)) {
		result = next(fd, buf, size, flags);
		if (due(SEND, TWICE))
			next(fd, buf, size, flags);
		if (held_size)
			next(fd, held, held_size, flags);
		held_size = 0;
	}
	after(SEND, result < 0);
	return result;
}

/* The kernel takes four arguments whatever the option. */
int prctl(int option, ...)
{
	unsigned long args[4];
	va_list list;
	size_t i;

	va_start(list, option);
	for (i = 0; i < ARRAY_SIZE(args); i++)
		args[i] = va_arg(list, unsigned long);
	va_end(list);

	for (i = 0; i < ROLES; i++)
		if (option == PR_SET_NAME &&
		    !strcmp((const char *)args[0], task_names[i])) {
			role = i;
			if (started)
				which = __atomic_fetch_add(&started[i], 1,
							   __ATOMIC_RELAXED);
			memset(done, 0, sizeof(done));
		}
	return syscall(SYS_prctl, option, args[0], args[1], args[2], args[3]);
}

static int find(const char *name, const char *const *names, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}

static int parse(const char *text, struct fault *fault)
{
	char who[16], what[32], when[16], number[16], *digits;
	int found_role, found_call, found_when;
	char rest;

	if (sscanf(text, "%15[^:]:%31[^:]:%15[^:]:%15[0-9*]:%lu%c", who, what,
		   when, number, &fault->value, &rest) != 5)
		return -1;
	fault->number = strcmp(number, "*") ? strtoul(number, NULL, 10) : EACH;
	digits = who + strcspn(who, "0123456789");
	fault->which = *digits ? (unsigned int)strtoul(digits, NULL, 10) : ANY;
	*digits = '\0';
	found_role = find(who, role_names, ROLES);
	found_call = find(what, call_names, CALLS);
	found_when = find(when, when_names, WHENS);
	if (found_role < 0 || found_call < 0 || found_when < 0 ||
	    (found_when >= FLIP &&
	     found_call != (found_when == EXPIRE ? RECV : SEND)))
		return -1;
	fault->role = found_role;
	fault->call = found_call;
	fault->when = found_when;
	return 0;
}

/* Mapped before anything is measured; the mapping goes to every child. */
static void open_stamps(const char *path)
{
	void *memory = MAP_FAILED;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd >= 0 && !ftruncate(fd, sizeof(unread)))
		memory = mmap(NULL, sizeof(unread), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_POPULATE, fd, 0);
	if (memory == MAP_FAILED) {
		fprintf(stderr, "TW_DELAY_STAMPS=%s: %s\n", path,
			strerror(errno));
		_exit(EXIT_BAD_FAULT);
	}
	close(fd);
	stamps = memory;
}

static void __attribute__((constructor)) init(void)
{
	const char *given = getenv("TW_DELAY");
	const char *path = getenv("TW_DELAY_STAMPS");
	char *list, *word, *rest;

	if (!given)
		return;
	if (path)
		open_stamps(path);
	started = mmap(NULL, ROLES * sizeof(*started), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (started == MAP_FAILED || clocks_open())
		_exit(EXIT_BAD_FAULT);
	list = strdup(given);
	for (word = list ? strtok_r(list, ",", &rest) : NULL; word;
	     word = strtok_r(NULL, ",", &rest)) {
		if (fault_count == FAULTS ||
		    parse(word, &faults[fault_count])) {
			fprintf(stderr, "TW_DELAY=%s: bad: %s\n", given, word);
			_exit(EXIT_BAD_FAULT);
		}
		fault_count++;
	}
	free(list);
}
