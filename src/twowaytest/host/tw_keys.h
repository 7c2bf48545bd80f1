/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bodies of frames: lines "key=value\n". One table of keys encodes, decodes,
 * checks and prints JSON. Pure functions.
 *
 * A key that is repeated, once for each pair, has lines "key.K=value" with K
 * from 0. Numbers are decimal, without leading zeros.
 */
#ifndef TW_KEYS_H
#define TW_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tw_json.h"

#define TW_KEYS_MAX		64	/* keys of a table */
#define TW_KEYS_REPEAT		256	/* a key is repeated so often at most */
#define TW_KEYS_TEXT		512	/* largest size of TEXT and HEX */
#define TW_KEYS_UNKNOWN		INT64_MIN	/* INT: see tw_key.required */

/* Each is one type in C. */
enum tw_key_kind {
	TW_KEY_INT,		/* int64_t */
	TW_KEY_BOOL,		/* bool; "0" or "1" */
	TW_KEY_WORD,		/* int, the index in tw_key.words */
	TW_KEY_TEXT,		/* char[]: UTF-8, no control characters */
	TW_KEY_HEX		/* uint8_t[]: two lower-case digits a byte */
};

/* The last one of a table has no name. */
struct tw_key {
	const char *name;	/* of a-z, 0-9, _; begins with a letter */
	enum tw_key_kind kind;
	size_t offset;		/* in the struct, of the (first) value */
	size_t size;		/* TEXT: with its NUL; HEX: of bytes */
	int64_t min, max;	/* INT: both allowed */
	const char *const *words;	/* WORD: NULL ends them */
	unsigned int since;	/* version of the protocol; 0: any */
	/*
	 * Must be there; all of a repeated one. One that is not required keeps
	 * its value in the struct if it is missing; if its INT is
	 * TW_KEYS_UNKNOWN or its WORD is below 0, it is not sent, and null in
	 * JSON.
	 */
	bool required;
	bool secret;		/* no message and no JSON shows it */
	/*
	 * Repeated: the values are @stride bytes apart, @most is their number
	 * in the struct (<= TW_KEYS_REPEAT), and @count is the offset of an
	 * int64_t, of a required INT of the same table: how many there are.
	 */
	size_t stride;		/* 0: not repeated */
	size_t count;
	unsigned int most;
};

/*
 * Writes the keys of @version to @buf (@size bytes; no NUL behind them).
 * Characters that TEXT must not have become "?". Returns the length; -EMSGSIZE;
 * or -EINVAL: a value is not allowed.
 */
int tw_keys_encode(const struct tw_key *table, const void *from,
		   unsigned int version, char *buf, size_t size);

/* About a body. Initialise it with zeros. Its texts are safe to print. */
struct tw_keys_notes {
	bool list_unknown;	/* set by the caller: do not refuse them */
	unsigned int unknown_count;
	char unknown[256];	/* "one, two"; cut if longer */
	char why[256];		/* after an error */
};

/*
 * Reads @body into the struct @to, whose other members it does not change.
 * Returns 0; -EPROTO: these are no lines of keys, or a key is there twice;
 * -EINVAL: a key is unknown or missing, or its value is not allowed.
 * notes->why names the key, the value and what is allowed. After an error, *to
 * has some of the values.
 */
int tw_keys_decode(const struct tw_key *table, void *to, unsigned int version,
		   const char *body, size_t length,
		   struct tw_keys_notes *notes);

/* Writes a member for each key, but secret ones; repeated ones are arrays. */
void tw_keys_json(struct tw_json *json, const struct tw_key *table,
		  const void *from);

/*
 * Writes the @length bytes of @from to @buf (@size bytes): what is not
 * printable ASCII becomes "\xNN", and what is too long is cut and ends with
 * "...". Returns @buf.
 */
char *tw_keys_show(char *buf, size_t size, const char *from, size_t length);

/*
 * Whether TEXT can hold the @length bytes, behind which is another one: UTF-8
 * without control characters (of C1, too) and without characters that change
 * the direction of the text.
 */
bool tw_keys_printable(const char *text, size_t length);

#endif /* TW_KEYS_H */
