/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the unit tests share: cmocka and repeatable random numbers. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
