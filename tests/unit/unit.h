/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the unit tests share: cmocka, whose cases register themselves, and
 * repeatable random numbers. Each program includes this once, and has its
 * main() from here.
 *
 *	TEST(name) { ... }
 *	TEST_EACH(name, rows) { ... }	a case for each row of an array: *of,
 *					which begins with its name
 *	BEFORE_EACH { ... }		of all cases of the program
 *	AFTER_EACH { ... }
 *	AT_START(name) { ... }		once
 */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define AT_START(name)							\
	static void __attribute__((constructor)) name(void)

static struct CMUnitTest unit_tests[256];
static size_t unit_count;
static void (*unit_before)(void), (*unit_after)(void);

static inline int unit_set_up(void **state)
{
	(void)state;
	if (unit_before)
		unit_before();
	return 0;
}

static inline int unit_tear_down(void **state)
{
	(void)state;
	if (unit_after)
		unit_after();
	return 0;
}

static inline void unit_add(const char *name, void (*function)(void **state),
			    const void *row)
{
	if (unit_count == sizeof(unit_tests) / sizeof(unit_tests[0]))
		abort();
	unit_tests[unit_count++] = (struct CMUnitTest) {
		.name = name, .test_func = function,
		.setup_func = unit_set_up, .teardown_func = unit_tear_down,
		.initial_state = (void *)row,
	};
}

#define TEST(function)							\
	static void function(void);					\
	static void function##_case(void **state)			\
	{								\
		(void)state;						\
		function();						\
	}								\
	AT_START(function##_add)					\
	{								\
		unit_add(#function, function##_case, NULL);		\
	}								\
	static void function(void)

#define TEST_EACH(function, rows)					\
	static void function(const __typeof__((rows)[0]) *of);		\
	static void function##_case(void **state)			\
	{								\
		function(*state);					\
	}								\
	AT_START(function##_add)					\
	{								\
		size_t i;						\
									\
		for (i = 0; i < sizeof(rows) / sizeof((rows)[0]); i++)	\
			unit_add(*(const char *const *)&(rows)[i],	\
				 function##_case, &(rows)[i]);		\
	}								\
	static void function(const __typeof__((rows)[0]) *of)

#define UNIT_AROUND(when)						\
	static void do_##when(void);					\
	AT_START(when##_add)					\
	{								\
		when = do_##when;					\
	}								\
	static void do_##when(void)

#define BEFORE_EACH	UNIT_AROUND(unit_before)
#define AFTER_EACH	UNIT_AROUND(unit_after)

int main(void)
{
	return _cmocka_run_group_tests("unit", unit_tests, unit_count, NULL,
				       NULL);
}

/* xorshift64: the same numbers in every run, on every machine. */
static inline uint64_t unit_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* lowest .. highest, both included. */
static inline int64_t unit_between(uint64_t *state, int64_t lowest,
				   int64_t highest)
{
	uint64_t choices = (uint64_t)highest - (uint64_t)lowest + 1;

	return lowest + (int64_t)(unit_random(state) % choices);
}

#endif /* UNIT_H */
