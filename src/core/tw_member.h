/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row of a table of members of the JSON: where its value is, how it is
 * written, and what the schema says of it. Written by main.
 */
#ifndef TW_MEMBER_H
#define TW_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct tw_run;

enum tw_member_type {
	TW_INTEGER,
	TW_COUNT,		/* an integer, not negative */
	TW_REAL,
	TW_BOOLEAN,
	TW_STRING,		/* any, or one of the words */
	TW_OBJECT,
	TW_ARRAY,
	TW_MAP,			/* an object; its members' names are data */
	TW_ANY			/* as @also says */
};

/* What is at its place. */
enum tw_member_store {
	TW_NOTHING, TW_INT, TW_INT64, TW_UINT64, TW_DOUBLE, TW_BOOL,
	TW_POINTER,		/* of a text; NULL: null */
	TW_CHARS,		/* a text */
	TW_NUMBER_CALL, TW_REAL_CALL, TW_TEXT_CALL, TW_LISTED
};

#define TW_STORE(value) _Generic((value), int: TW_INT, int64_t: TW_INT64, \
	uint64_t: TW_UINT64, double: TW_DOUBLE, bool: TW_BOOL, \
	const char *: TW_POINTER, char *: TW_CHARS)

/*
 * Behind a name: a member of a struct, a static variable, an element, what a
 * function returns, the elements of an array, or nothing. TW_NAMED: a member of
 * a struct, which has the name itself.
 */
#define TW_IN(type, field) \
	.at = offsetof(type, field), .store = TW_STORE(((type *)0)->field)
#define TW_NAMED(type, field) #field, TW_IN(type, field)
#define TW_AT(variable)	.from = &(variable), .store = TW_STORE(variable)
#define TW_SELF(type)	.store = TW_STORE(*(type *)0)
#define TW_SELF_CHARS	.store = TW_CHARS
#define TW_NUMBER_OF(function) \
	.number = function, .store = TW_NUMBER_CALL
#define TW_REAL_OF(function)	.real = function, .store = TW_REAL_CALL
#define TW_TEXT_OF(function)	.text = function, .store = TW_TEXT_CALL
#define TW_LIST_IN(type, array, number) \
	.at = offsetof(type, array), .size = sizeof(((type *)0)->array[0]), \
	.count_at = offsetof(type, number), .store = TW_LISTED
#define TW_NOWHERE	.store = TW_NOTHING
#define TW_OBJECT_AT(variable)	.from = &(variable), TW_NOWHERE
#define TW_OBJECT_IN(type, field)	.at = offsetof(type, field), TW_NOWHERE

/*
 * Behind a description: the member is of what a pointer in the struct is to; or
 * it may be missing, and is if a variable, or a member of this struct, is 0, or
 * is not.
 */
#define TW_VIA(type, pointer)	.via = offsetof(type, pointer) + 1
#define TW_IF(variable) \
	.optional = true, .only = &(variable), .only_size = sizeof(variable)
#define TW_IF_IN(type, field) \
	.optional = true, .only_at = offsetof(type, field), \
	.only_size = sizeof(((type *)0)->field)
#define TW_UNLESS_IN(type, field)	TW_IF_IN(type, field), .unless = true

/* Of what parts add members, see tw_part.h. */
enum tw_member_of {
	TW_OF_NONE, TW_OF_RUN, TW_OF_COLUMN, TW_OF_PAIR, TW_OF_PHASE,
	TW_OF_BREAK, TW_OF_LIMIT, TW_MEMBERS_OF
};

struct tw_member {
	const char *name;	/* "": of an element; NULL: end of the table */
	const void *from;
	size_t at, size, count_at;
	int64_t (*number)(const void *of);
	double (*real)(const void *of);
	const char *(*text)(const void *of);
	enum tw_member_store store;
	enum tw_member_type type;
	const char *about;
	/* More of the schema, as members of an object; ' stands for ". */
	const char *also;
	bool nullable;
	/* Its members are required only where anything was measured. */
	bool loose;
	/*
	 * It may be missing: it is if @has returns false for the object that it
	 * is of. @has may be NULL.
	 */
	bool optional;
	bool (*has)(const void *of);
	const void *only;
	size_t only_at, only_size, via;
	bool unless;
	const char *format;	/* of a real; NULL: "%.3f", and null of NAN */
	/* The allowed words: a list with NULL behind it, or from 0. */
	const char *const *words;
	const char *(*word)(int i);
	/*
	 * Members of an object, or of each element; those that parts add; and
	 * those behind these. One row named "": an element that is no object.
	 */
	const struct tw_member *of;
	const char *each;	/* as @also, of such an element */
	/*
	 * Or these members, as another part writes an element; of its row of
	 * the same name, the schema knows from this one.
	 */
	const struct tw_member *or_of;
	bool again;
	enum tw_member_of parts;
	const struct tw_member *then;
	/* The object that it is of; NULL: null. Without it, the outer. */
	const void *(*get)(const void *of);
	/*
	 * Element @i of an array or of a map, in which it sets @key; it may
	 * advance @i. NULL: there is no more.
	 */
	const void *(*next)(const void *of, int *i, const char **key);
	/* A map, or an object: its members are among those of the outer. */
	bool spread;
	void (*write)(FILE *file, const void *of);	/* in place of that */
	/* More members for the schema, by tw_schema_member(), see there. */
	void (*describe)(int depth);
};

/* For @of: elements that are no objects. */
#define TW_EACH(...)	(const struct tw_member[]) { { "", __VA_ARGS__ } }

/* The values of a column, a pair or a metric, for rows of parts. */
struct tw_spot {
	const struct tw_run *run;
	int number;		/* of the column, or the pair */
	int metric;		/* of a phase */
};

/* Writes the value; a member is its name and that. */
void tw_member_write(FILE *file, const struct tw_member *row, const void *of);

/* Those of @owner that are there, with {} around them. */
void tw_member_object(FILE *file, const struct tw_member *owner,
		      const void *of);

#define TW_MEMBER_LISTS	64

/* The tables of members that an object has, in their order; the last is NULL. */
void tw_member_lists(const struct tw_member *owner,
		     const struct tw_member *lists[TW_MEMBER_LISTS]);

#endif /* TW_MEMBER_H */
