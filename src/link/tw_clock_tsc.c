// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The CPU's counter as a clock (x86: time-stamp counter, aarch64: virtual
 * counter), calibrated against CLOCK_MONOTONIC.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tw_clocks.h"
#include "tw_say.h"
#include "tw_time.h"

#define CALIBRATION_NS	(25 * TW_NS_PER_MS)
#define CALIBRATION_PPM	100
#define SOURCES	"/sys/devices/system/clocksource/clocksource0/available_clocksource"

static struct tw_moment base;
static double ns_per_tick;

/*
 * The fences keep the CPU from reading the counter before the loads that show
 * that a message has arrived.
 */
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

#define SOURCE	"tsc"

static inline int64_t read_counter(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc" : "=a" (low), "=d" (high) ::
			 "memory");
	return (int64_t)((uint64_t)high << 32 | low);
}

/* "Invariant TSC": the same rate in every power state. */
static bool has_constant_rate(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1 << 8;
}
#elif defined(__aarch64__)
#define SOURCE	"arch_sys_counter"

static inline int64_t read_counter(void)
{
	int64_t ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r" (ticks) ::
			 "memory");
	return ticks;
}

/* The architecture promises it. */
static bool has_constant_rate(void)
{
	return true;
}
#else
#define SOURCE	""

static inline int64_t read_counter(void)
{
	return 0;
}

static bool has_constant_rate(void)
{
	return false;
}
#endif

/* The kernel removes a counter from this list if it finds it unreliable. */
static bool kernel_trusts_it(void)
{
	FILE *file = fopen(SOURCES, "re");
	bool found = false;
	char word[64];

	while (file && fscanf(file, "%63s", word) == 1)
		found |= !strcmp(word, SOURCE);
	if (file)
		fclose(file);
	return found;
}

/* Exact to the ns for 100 days: a double has 53 bits. */
static int64_t counter_ns(void)
{
	return base.ns + (int64_t)((double)(read_counter() - base.here) *
				   ns_per_tick);
}

static double rate(const struct tw_moment *a, const struct tw_moment *b)
{
	return b->here == a->here ? 0 :
	       (double)(b->ns - a->ns) / (double)(b->here - a->here);
}

/* Twice, as an interruption may falsify one. */
static bool calibrate(void)
{
	const struct timespec pause = { .tv_nsec = CALIBRATION_NS };
	struct tw_moment at[3];
	double off;
	int i;

	for (i = 0; i < 3; i++) {
		if (i)
			nanosleep(&pause, NULL);
		at[i] = tw_clocks_moment(read_counter);
	}
	ns_per_tick = rate(&at[0], &at[2]);
	base = at[2];
	off = rate(&at[0], &at[1]) - rate(&at[1], &at[2]);
	return ns_per_tick > 0 && off < ns_per_tick * CALIBRATION_PPM * 1e-6 &&
	       off > -ns_per_tick * CALIBRATION_PPM * 1e-6;
}

const char *tw_clock_tsc_try(void)
{
	if (!has_constant_rate())
		return "this CPU has no counter of a constant rate";
	if (!kernel_trusts_it())
		return "the kernel does not trust this CPU's counter (" SOURCES " does not list " SOURCE ")";
	return calibrate() ? NULL :
	       "two calibrations of this CPU's counter differ by more than 100 ppm";
}

void tw_clock_tsc_open(void)
{
	const char *why = tw_clock_tsc_try();

	if (why)
		tw_say_fatal("--clock=tsc: %s; choose another clock\n", why);
}

int64_t tw_clock_tsc_ticks(void)
{
	return read_counter();
}

double tw_clock_tsc_ns_per_tick(void)
{
	return ns_per_tick;
}

const struct tw_clock tw_clock_tsc = {
	"tsc", counter_ns, true, true
};
