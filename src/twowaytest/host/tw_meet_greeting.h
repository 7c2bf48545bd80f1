/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to tw_meet*.c: what a connection begins with. */
#ifndef TW_MEET_GREETING_H
#define TW_MEET_GREETING_H

#include "host/tw_meet.h"

#define TW_GREETING_MAX	(TW_GREETING + 1)

/* Writes it to @buf; returns how many of these bytes a datagram has. */
size_t tw_meet_greeting(char buf[TW_GREETING_MAX],
			const uint8_t cookie[TW_COOKIE], unsigned int pair,
			size_t size);

/* Returns the number of the pair; -1: it is a stranger. */
int64_t tw_meet_check(const char *buf, size_t len, const struct tw_meet *meet);

#endif /* TW_MEET_GREETING_H */
