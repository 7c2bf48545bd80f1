// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library to preload: a call does not do what it should, so that the tests of
 * primitivetest that need it have to say so; or it answers as a network card.
 *
 *	TW_AMISS=NAME	a name in names[]
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

#include "clocks.h"

#ifdef __GLIBC__
#define REQUEST		unsigned long
#define RESOURCE	__rlimit_resource_t
#else	/* musl */
#define REQUEST		int
#define RESOURCE	int
#endif

#define CALL		7	/* of a process, counted from 1: that one is */
#define LARGE		(1024 * 1024)	/* no other copy is */
#define MESSAGE_MAX	65536
#define STOP_SIGNAL	(SIGRTMIN + 1)	/* to clients and servers */
#define EXIT_BAD_NAME	99	/* a status that the program never has */

enum amiss {
	YIELD,		/* sched_yield() returns at once */
	WRITE,		/* the last byte is another */
	COPY,		/* the last byte is not copied */
	FIRST,		/* the last byte of the first number is not */
	SKIP,		/* one copy is left out */
	BYTE,		/* one copy is without its last byte */
	BUSY,		/* pwrite() fails before that call */
	THREAD,		/* pthread_create() fails from that call on */
	OPTION,		/* setsockopt() knows none of IP */
	SYNC,		/* adjtimex() says that the clock is synchronised */
	UNSYNC,		/* it says that it is not */
	CARD,		/* coalescing of 50 us, and saving energy */
	ADAPTIVE,	/* a driver that adapts the time */
	GOOD,		/* a card without both */
	UNTOLD,		/* pread() fails: no schedstat */
	SET,		/* the wall clock is set by 5 s in one large copy */
	UNLIMITED,	/* setrlimit() succeeds, and does nothing */
	NO_RTPRIO,	/* ...but refuses this, */
	NO_MEMLOCK,	/* ...this, */
	LIMITED,	/* ...or both, as in a container */
	NO_IPV6,	/* no socket of it, as in a kernel without */
	STRANGER,	/* somebody else connects before each connect() */
	MURDER,		/* who is told to stop is killed */
	ORPHAN,		/* main dies before a child has its process group */
	KINDS
};

static const char *const names[KINDS] = { "yield", "write", "copy", "first",
	"skip", "byte", "busy", "thread", "option", "sync", "unsync", "card",
	"adaptive", "good", "untold", "set", "unlimited", "rtprio", "memlock",
	"limited", "ipv6", "stranger", "murder", "orphan" };

static enum amiss amiss = KINDS;
static int calls;

int sched_yield(void)
{
	return amiss == YIELD ? 0 : (int)syscall(SYS_sched_yield);
}

ssize_t write(int fd, const void *data, size_t size)
{
	static char damaged[MESSAGE_MAX];

	if (amiss == WRITE && size <= sizeof(damaged) && ++calls == CALL) {
		memmove(damaged, data, size);
		damaged[size - 1]++;
		data = damaged;
	}
	return syscall(SYS_write, fd, data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
	if (amiss != BUSY || ++calls >= CALL)
		return syscall(SYS_pwrite64, fd, data, size, at);
	errno = EBUSY;
	return -1;
}

ssize_t pread(int fd, void *data, size_t size, off_t at)
{
	if (amiss != UNTOLD)
		return syscall(SYS_pread64, fd, data, size, at);
	errno = ENOENT;
	return -1;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
		   void *(*start)(void *), void *arg)
{
	__typeof__(&pthread_create) next = dlsym(RTLD_NEXT, __func__);

	return amiss == THREAD && ++calls >= CALL ? EAGAIN :
	       next(thread, attributes, start, arg);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
	if (amiss != OPTION || level != IPPROTO_IP)
		return (int)syscall(SYS_setsockopt, fd, level, name, value,
				    size);
	errno = ENOPROTOOPT;
	return -1;
}

void *memcpy(void *to, const void *from, size_t size)
{
	bool now = size >= LARGE &&
		   __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == CALL;
	char *last = (char *)to + sizeof(double) - 1, before;

	if (amiss == SET && now)
		clocks_set(5000000);
	if (amiss == SKIP && now)
		size = 0;
	else if (amiss == BYTE ? now : amiss == COPY && size >= LARGE)
		size--;
	if (amiss != FIRST || size < LARGE)
		return memmove(to, from, size);
	before = *last;
	memmove(to, from, size);
	*last = before;
	return to;
}

int ioctl(int fd, REQUEST request, ...)
{
	struct ethtool_coalesce *delay;
	va_list words;
	void *data;

	va_start(words, request);
	data = va_arg(words, void *);
	va_end(words);
	if (request != SIOCETHTOOL || amiss < CARD || amiss > GOOD ||
	    strcmp(((struct ifreq *)data)->ifr_name, "lo"))
		return (int)syscall(SYS_ioctl, fd, request, data);
	delay = (void *)((struct ifreq *)data)->ifr_data;
	if (delay->cmd == ETHTOOL_GCOALESCE) {
		delay->rx_coalesce_usecs = amiss == GOOD ? 0 : 50;
		delay->use_adaptive_rx_coalesce = amiss == ADAPTIVE;
	} else if (delay->cmd == ETHTOOL_GEEE) {
		((struct ethtool_eee *)delay)->eee_enabled = amiss == CARD;
	} else {
		return -1;
	}
	return 0;
}

int adjtimex(struct timex *clock)
{
	clock->status = amiss == UNSYNC ? STA_UNSYNC : 0;
	return amiss == UNSYNC ? TIME_ERROR : TIME_OK;
}

int setrlimit(RESOURCE resource, const struct rlimit *limit)
{
	__typeof__(&setrlimit) next = dlsym(RTLD_NEXT, __func__);

	if (amiss < UNLIMITED || amiss > LIMITED)
		return next(resource, limit);
	if (amiss != LIMITED &&
	    (resource != RLIMIT_RTPRIO || amiss != NO_RTPRIO) &&
	    (resource != RLIMIT_MEMLOCK || amiss != NO_MEMLOCK))
		return 0;
	errno = EPERM;
	return -1;
}

int socket(int family, int type, int protocol)
{
	__typeof__(&socket) next = dlsym(RTLD_NEXT, __func__);

	if (amiss != NO_IPV6 || family != AF_INET6)
		return next(family, type, protocol);
	errno = EAFNOSUPPORT;
	return -1;
}

int connect(int fd, const struct sockaddr *to, socklen_t length)
{
	__typeof__(&connect) next = dlsym(RTLD_NEXT, __func__);

	if (amiss == STRANGER)
		next(socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), to,
		     length);
	return next(fd, to, length);
}

int kill(pid_t pid, int number)
{
	return (int)syscall(SYS_kill, pid, amiss == MURDER &&
			    number == STOP_SIGNAL ? SIGKILL : number);
}

int setpgid(pid_t pid, pid_t group)
{
	pid_t parent = getppid();

	if (amiss == ORPHAN && !pid) {
		syscall(SYS_kill, parent, SIGKILL);
		while (getppid() == parent)
			;
		usleep(100000);	/* meanwhile, others see that it is dead */
	}
	return (int)syscall(SYS_setpgid, pid, group);
}

static void __attribute__((constructor)) init(void)
{
	const char *given = getenv("TW_AMISS");
	int i;

	for (i = 0; given && i < KINDS; i++)
		if (!strcmp(given, names[i]))
			amiss = i;
	if (amiss == SET && clocks_open())
		_exit(EXIT_BAD_NAME);
	if (given && amiss == KINDS) {
		fprintf(stderr, "TW_AMISS=%s: there is no such name\n", given);
		_exit(EXIT_BAD_NAME);
	}
}
