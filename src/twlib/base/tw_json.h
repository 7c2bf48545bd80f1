/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes JSON: a member on a line of its own, 2 spaces deeper than the object
 * or array that it is in; some objects and arrays in one line. Commas, line
 * ends and indentation come from here.
 *
 * The functions do not check for errors; the caller does this at the end, with
 * ferror(). Called by main; a writer belongs to one caller.
 */
#ifndef TW_JSON_H
#define TW_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Only the functions below use the members. */
struct tw_json {
	FILE *file;
	int depth;		/* objects and arrays around the next member */
	int line;		/* depth within the one in one line; 0: none */
	uint64_t arrays;	/* bit n: of these, n-th from inside, an array */
	const char *before;	/* what separates the next member from before */
};

/* The number of digits is that of "%.10g". */
#define TW_JSON_SHORT	(-1)

/*
 * Begins at the first member of an object that somebody else has begun, at the
 * start of a line. @depth: as in struct tw_json. At most 64 objects and arrays
 * may be begun in each other.
 */
void tw_json_open(struct tw_json *json, FILE *file, int depth);

/* Ends the line of the last member, without a comma. */
void tw_json_close(struct tw_json *json);

/*
 * In all functions below, @key is a string of any bytes; NULL in an array.
 *
 * Begins an object (@bracket '{') or an array ('['), which becomes "{}" or "[]"
 * if nothing is written to it. _line: in one line, with all that is in it.
 */
void tw_json_begin(struct tw_json *json, const char *key, char bracket);
void tw_json_begin_line(struct tw_json *json, const char *key, char bracket);

/* Ends the innermost object or array. */
void tw_json_end(struct tw_json *json);

void tw_json_null(struct tw_json *json, const char *key);
void tw_json_bool(struct tw_json *json, const char *key, bool value);
void tw_json_int(struct tw_json *json, const char *key, int64_t value);
void tw_json_uint(struct tw_json *json, const char *key, uint64_t value);

/* @text: of any bytes; those that are not UTF-8 become U+FFFD. NULL: null. */
void tw_json_text(struct tw_json *json, const char *key, const char *text);

/* @digits: behind the point, or TW_JSON_SHORT. null if @value is not finite. */
void tw_json_real(struct tw_json *json, const char *key, double value,
		  int digits);

/* The same, but null if the value is not known. */
void tw_json_int_if(struct tw_json *json, const char *key, bool known,
		    int64_t value);
void tw_json_real_if(struct tw_json *json, const char *key, bool known,
		     double value, int digits);

/*
 * Returns the bytes of the UTF-8 character that begins at @at, and stores it in
 * *code; 0 if none does. Reads no byte behind the first that cannot be its.
 */
size_t tw_json_character(const char *at, uint32_t *code);

#endif /* TW_JSON_H */
