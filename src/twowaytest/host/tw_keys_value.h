/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of keys in structs. Internal to tw_keys*.c. */
#ifndef TW_KEYS_VALUE_H
#define TW_KEYS_VALUE_H

#include "host/tw_keys.h"

/* The value of @key, the @index-th of a repeated one, in @from. */
static inline const void *tw_keys_at(const struct tw_key *key,
				     const void *from, size_t index)
{
	return (const char *)from + key->offset + index * key->stride;
}

/* False: it is not sent, and null in JSON. */
bool tw_keys_known(const struct tw_key *key, const void *value);

/* How many values it has in @from; at most key->most. */
size_t tw_keys_count(const struct tw_key *key, const void *from);

#endif /* TW_KEYS_VALUE_H */
