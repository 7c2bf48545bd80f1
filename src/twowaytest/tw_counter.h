/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPU's own counter, where there is one that can serve as a clock. The
 * reads are inline: they stand right behind the measured system calls.
 */
#ifndef TW_COUNTER_H
#define TW_COUNTER_H

#include <errno.h>
#include <stdint.h>

/*
 * 0 if the counter may be used as a clock; -ENOTSUP if there is none or it
 * changes its rate, -ENODEV if the kernel has found it unfit.
 */
int tw_counter_trusted(void);

/*
 * The fences keep the read from being executed ahead of the loads that
 * tell that a message is there.
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
