/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPU's counter, if it can be used as a clock. The functions are inline
 * because they run directly after the measured system calls.
 */
#ifndef TW_COUNTER_H
#define TW_COUNTER_H

#include <errno.h>
#include <stdint.h>

/*
 * Returns 0 if the counter can be used as a clock; -ENOTSUP if there is none or
 * its rate is not constant; -ENODEV if the kernel found it unreliable.
 */
int tw_counter_trusted(void);

/*
 * The fences prevent the CPU from reading the counter before the loads that
 * show that a message has arrived.
 */
#if defined(__x86_64__) || defined(__i386__)
#define TW_COUNTER_CLOCKSOURCE	"tsc"
static inline uint64_t tw_counter_read(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc" : "=a" (low), "=d" (high) ::
			 "memory");
	return (uint64_t)high << 32 | low;
}
#elif defined(__aarch64__)
#define TW_COUNTER_CLOCKSOURCE	"arch_sys_counter"
static inline uint64_t tw_counter_read(void)
{
	uint64_t ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r" (ticks) ::
			 "memory");
	return ticks;
}
#else
static inline uint64_t tw_counter_read(void)
{
	return 0;
}
#endif

#endif /* TW_COUNTER_H */
