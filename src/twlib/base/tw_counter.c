// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "base/tw_counter.h"
#include "base/tw_kfile.h"

#ifdef TW_COUNTER_CLOCKSOURCE

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

/* Counts at one rate in every power state: "invariant TSC". */
static bool constant_rate(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) &&
	       (edx & (1 << 8));
}
#else
/* aarch64's architecture promises it. */
static bool constant_rate(void)
{
	return true;
}
#endif

/* The kernel removes a counter from this list if it finds it unreliable. */
static bool kernel_trusts(void)
{
	char names[256] = "";
	const char *name;
	char *rest;

	tw_kfile_text("", names, sizeof(names),
		      "/sys/devices/system/clocksource/clocksource0/available_clocksource");
	for (name = strtok_r(names, " ", &rest); name;
	     name = strtok_r(NULL, " ", &rest))
		if (!strcmp(name, TW_COUNTER_CLOCKSOURCE))
			return true;
	return false;
}

int tw_counter_trusted(void)
{
	if (!constant_rate())
		return -ENOTSUP;
	return kernel_trusts() ? 0 : -ENODEV;
}
#else
int tw_counter_trusted(void)
{
	return -ENOTSUP;
}
#endif
