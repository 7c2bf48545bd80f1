/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions on a system with as much free memory as a test says. */
#ifndef FREE_MEMORY_H
#define FREE_MEMORY_H

#include "session.h"

#include "base/tw_system.h"

#define PLENTY	(UINT64_MAX / 2)

static uint64_t free_memory = PLENTY;

static inline uint64_t read_memory_by_script(void)
{
	return free_memory;
}

#define tw_system_available_memory read_memory_by_script
#include "run/tw_session_memory.c"
#undef tw_system_available_memory

/* What one pair takes, whatever is free. */
static inline uint64_t pair_size(const char *options)
{
	uint64_t size;

	session_open(options);
	assert_int_equal(session_begin(0), 0);
	size = tw_session_first(&session)->shared_size;
	session.steps_done = 1;
	session_close();
	return size;
}

/* @options need @needed bytes: with @available, @option is blamed. */
static inline void lacks_memory(const char *options, uint64_t available,
				uint64_t needed, const char *option,
				const char *advice)
{
	char error[200];

	snprintf(error, sizeof(error), "%s: needs %llu MiB of memory, and %llu MiB are free; %s",
		 option, (unsigned long long)needed >> 20,
		 (unsigned long long)available >> 20, advice);
	free_memory = available;
	refused(options, error);
	free_memory = PLENTY;
}

/* They need exactly that. */
static inline void needs_memory(const char *options, uint64_t needed,
				const char *option, const char *advice)
{
	free_memory = needed;
	accepted(options);
	lacks_memory(options, needed - 1, needed, option, advice);
}

#endif /* FREE_MEMORY_H */
