/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table that has each kind of key, once and repeated. */
#ifndef KEYS_H
#define KEYS_H

#include <stddef.h>
#include <string.h>

#include "host/tw_keys.h"

#define PAIRS_MOST	8

struct pair_values {
	int64_t period_ns;
	int policy;
	char name[8];
};

struct values {
	int64_t pairs;
	int64_t size;
	int64_t any;
	int64_t maybe;
	bool lock;
	int transport;
	char text[16];
	uint8_t cookie[4];
	uint8_t digest[2];
	int64_t newer;
	struct pair_values pair[PAIRS_MOST];
};

static const char *const transport_words[] = { "tcp", "udp", NULL };
static const char *const policy_words[] = { "other", "fifo", "rr", NULL };

#define VALUE(member)	offsetof(struct values, member)
#define EACH(member)	.offset = offsetof(struct values, pair) + \
				  offsetof(struct pair_values, member), \
			.stride = sizeof(struct pair_values), \
			.count = VALUE(pairs), .most = PAIRS_MOST

static const struct tw_key value_keys[] = {
	{ .name = "period_ns", .kind = TW_KEY_INT, EACH(period_ns),
	  .min = 1, .max = INT64_MAX, .required = true },
	{ .name = "pairs", .kind = TW_KEY_INT, .offset = VALUE(pairs),
	  .min = 1, .max = PAIRS_MOST, .required = true },
	{ .name = "size", .kind = TW_KEY_INT, .offset = VALUE(size),
	  .min = 16, .max = 65536 },
	{ .name = "any", .kind = TW_KEY_INT, .offset = VALUE(any),
	  .min = INT64_MIN + 1, .max = INT64_MAX },
	{ .name = "maybe", .kind = TW_KEY_INT, .offset = VALUE(maybe),
	  .min = -5, .max = 5 },
	{ .name = "lock", .kind = TW_KEY_BOOL, .offset = VALUE(lock) },
	{ .name = "transport", .kind = TW_KEY_WORD,
	  .offset = VALUE(transport), .words = transport_words },
	{ .name = "text", .kind = TW_KEY_TEXT, .offset = VALUE(text),
	  .size = sizeof(((struct values *)0)->text) },
	{ .name = "cookie", .kind = TW_KEY_HEX, .offset = VALUE(cookie),
	  .size = 4, .secret = true },
	{ .name = "digest", .kind = TW_KEY_HEX, .offset = VALUE(digest),
	  .size = 2 },
	{ .name = "newer", .kind = TW_KEY_INT, .offset = VALUE(newer),
	  .min = 0, .max = 9, .since = 2, .required = true },
	{ .name = "policy", .kind = TW_KEY_WORD, EACH(policy),
	  .words = policy_words },
	{ .name = "name", .kind = TW_KEY_TEXT, EACH(name), .size = 8,
	  .since = 2 },
	{ .name = NULL }
};

/* All can be encoded. */
static inline void set_values(struct values *values)
{
	int k;

	memset(values, 0, sizeof(*values));
	values->pairs = 2;
	values->size = 64;
	values->any = INT64_MIN + 1;
	values->maybe = TW_KEYS_UNKNOWN;
	values->lock = true;
	values->transport = 1;
	strcpy(values->text, "Linux 6.1 \xc3\xa4");
	memcpy(values->cookie, "\xde\xad\xbe\xef", 4);
	memcpy(values->digest, "\x01\x0a", 2);
	values->newer = 7;
	for (k = 0; k < PAIRS_MOST; k++) {
		values->pair[k].period_ns = 1000 + k;
		values->pair[k].policy = k % 3;
		values->pair[k].name[0] = (char)('a' + k);
	}
}

#endif /* KEYS_H */
