// SPDX-License-Identifier: GPL-2.0-or-later
/* Clocks that somebody sets, see delay.c: what the processes read differs. */
#include <dlfcn.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#include "clocks.h"

#define NS_PER_S	INT64_C(1000000000)

/* In ns, of all processes: what is added to a clock. */
static struct shifts {
	int64_t wall_ns, boot_ns;
} none, *shifts = &none;

static int (*next)(clockid_t clock, struct timespec *now);

int clocks_open(void)
{
	void *memory = mmap(NULL, sizeof(*shifts), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory != MAP_FAILED)
		shifts = memory;
	return memory == MAP_FAILED ? -1 : 0;
}

void clocks_set(unsigned long us)
{
	__atomic_fetch_add(&shifts->wall_ns, (int64_t)(long)us * 1000,
			   __ATOMIC_SEQ_CST);
}

/* Of the clocks, CLOCK_MONOTONIC alone stands still. */
void clocks_suspend(unsigned long us)
{
	clocks_set(us);
	__atomic_fetch_add(&shifts->boot_ns, (int64_t)us * 1000,
			   __ATOMIC_SEQ_CST);
}

static int64_t shift_of(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_TAI ||
	       clock == CLOCK_REALTIME_COARSE ?
	       __atomic_load_n(&shifts->wall_ns, __ATOMIC_SEQ_CST) :
	       clock == CLOCK_BOOTTIME ?
	       __atomic_load_n(&shifts->boot_ns, __ATOMIC_SEQ_CST) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int64_t ns;
	int err;

	if (!next)
		next = dlsym(RTLD_NEXT, "clock_gettime");
	err = next(clock, now);
	ns = err ? 0 : shift_of(clock);
	if (!ns)
		return err;
	ns += now->tv_sec * NS_PER_S + now->tv_nsec;
	now->tv_sec = ns / NS_PER_S;
	now->tv_nsec = ns % NS_PER_S;
	return 0;
}
