/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child that gets ready, hangs, or ends, and what it tells of itself. */
#ifndef TOLD_H
#define TOLD_H

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#include "base/tw_child.h"
#include "base/tw_time.h"

#define LIMIT_MS	20000	/* a busy host must not break a test */
#define SHORT_MS	50	/* of what is to be too long */

/* What children tell, for all processes to see. */
static struct told {
	atomic_int asked;
	pid_t group, session;
	char name[16];
	bool blocked, closed;
} *told;

static struct tw_child child;

static inline int map_told(void **state)
{
	(void)state;
	memset(&child, 0, sizeof(child));
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return told == MAP_FAILED ? -1 : 0;
}

static inline int unmap_told(void **state)
{
	(void)state;
	return munmap(told, sizeof(*told));
}

static inline void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static inline void sleep_ms(int ms)
{
	const struct timespec time = tw_ns_to_ts(ms * TW_NS_PER_MS);

	nanosleep(&time, NULL);
}

static inline int start(int (*live)(void *arg), void *arg, int limit_ms)
{
	const struct tw_child_how how = {
		.name = "a-child", .death_signal = SIGKILL, .live = live,
		.arg = arg,
	};

	return tw_child_start(&child, &how, limit_ms);
}

/* Sleeps until it is asked to end, as nicely as @arg says. */
static inline int listen_on(void *arg)
{
	const int *times = arg;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	tw_child_ready();
	while (atomic_fetch_add(&told->asked, 1) < *times)
		sigwaitinfo(&set, NULL);
	return 0;
}

static inline int hang(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return 0;
}

static inline int ready_then_hang(void *arg)
{
	tw_child_ready();
	return hang(arg);
}

#define WITH_TOLD(test) \
	cmocka_unit_test_setup_teardown(test, map_told, unmap_told)

#endif /* TOLD_H */
