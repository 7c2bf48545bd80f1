// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include "tw_cycle.h"
#include "tw_member.h"
#include "tw_part.h"
#include "tw_string.h"

#define IN_LINE	8	/* elements that are no objects */

static void write_number(FILE *file, const struct tw_member *row, int64_t value)
{
	if (row->type == TW_BOOLEAN)
		fputs(value ? "true" : "false", file);
	else if (row->nullable && value == TW_NO_VALUE)
		fputs("null", file);
	else
		fprintf(file, "%" PRId64, value);
}

static void write_real(FILE *file, const struct tw_member *row, double value)
{
	if (isnan(value))
		fputs("null", file);
	else
		fprintf(file, row->format ? row->format : "%.3f", value);
}

static void write_text(FILE *file, const char *text)
{
	if (text)
		tw_string_json(file, text);
	else
		fputs("null", file);
}

/* @at: where it is; of a call, the object. */
static void write_value(FILE *file, const struct tw_member *row, const void *at)
{
	switch (row->store) {
	case TW_INT:
		return write_number(file, row, *(const int *)at);
	case TW_INT64:
		return write_number(file, row, *(const int64_t *)at);
	case TW_UINT64:
		fprintf(file, "%" PRIu64, *(const uint64_t *)at);
		return;
	case TW_BOOL:
		return write_number(file, row, *(const bool *)at);
	case TW_NUMBER_CALL:
		return write_number(file, row, row->number(at));
	case TW_DOUBLE:
		return write_real(file, row, *(const double *)at);
	case TW_REAL_CALL:
		return write_real(file, row, row->real(at));
	case TW_POINTER:
		return write_text(file, *(const char *const *)at);
	case TW_CHARS:
		return write_text(file, at);
	default:
		return write_text(file, row->text(at));
	}
}

/* Of the brackets around what is written; in the file, one layout. */
static int depth;

static void write_line(FILE *file, const char *before)
{
	fprintf(file, "%s\n%*s", before, 2 * depth, "");
}

void tw_member_lists(const struct tw_member *owner,
		     const struct tw_member *lists[TW_MEMBER_LISTS])
{
	int i, count = 0;

	if (owner->of)
		lists[count++] = owner->of;
	for (i = 0; owner->parts && tw_parts[i]; i++)
		if (tw_parts[i]->members[owner->parts])
			lists[count++] = tw_parts[i]->members[owner->parts];
	if (owner->then)
		lists[count++] = owner->then;
	lists[count] = NULL;
}

static void write_element(FILE *file, const struct tw_member *row,
			  const void *of);
static const char *write_rows(FILE *file, const struct tw_member *row,
			      const void *of, const char *comma);

static bool is_there(const struct tw_member *row, const void *of)
{
	const char *at = row->only ? row->only :
			 (const char *)of + row->only_at;
	bool any = false;
	size_t i;

	for (i = 0; i < row->only_size; i++)
		any |= at[i];
	return (!row->only_size || any != row->unless) &&
	       (!row->has || row->has(of));
}

static const void *object_of(const struct tw_member *row, const void *of)
{
	if (row->via)
		of = *(const void *const *)((const char *)of + row->via - 1);
	return row->get ? row->get(of) : of;
}

static const void *place_of(const struct tw_member *row, const void *of)
{
	return (const char *)(row->from ? row->from : of) + row->at;
}

static const void *next_of(const struct tw_member *row, const void *of, int *i,
			   const char **key)
{
	const char *at = of;

	if (row->next)
		return row->next(of, i, key);
	return *i < *(const int *)(at + row->count_at) ?
	       at + row->at + *i * row->size : NULL;
}

/* As many as there are; returns what precedes the next member. */
static const char *write_row(FILE *file, const struct tw_member *row,
			     const void *of, const char *comma)
{
	const char *key = row->name;
	const void *one = of;
	int i = 0;

	if (!is_there(row, of))
		return comma;
	if (row->spread && row->type == TW_OBJECT)
		return write_rows(file, row->of,
				  place_of(row, object_of(row, of)), comma);
	for (; !row->spread || (one = next_of(row, of, &i, &key)); i++) {
		write_line(file, comma);
		fprintf(file, "\"%s\": ", key);
		comma = ",";
		if (!row->spread) {
			tw_member_write(file, row, of);
			break;
		}
		write_element(file, row, one);
	}
	return comma;
}

static const char *write_rows(FILE *file, const struct tw_member *row,
			      const void *of, const char *comma)
{
	for (; row->name; row++)
		comma = write_row(file, row, of, comma);
	return comma;
}

/* Of none, both are on one line. */
static void close_bracket(FILE *file, char bracket, bool empty)
{
	depth--;
	if (!empty)
		write_line(file, "");
	fputc(bracket, file);
}

void tw_member_object(FILE *file, const struct tw_member *owner,
		      const void *of)
{
	const struct tw_member *lists[TW_MEMBER_LISTS];
	const char *comma = "";
	int i;

	tw_member_lists(owner, lists);
	fputc('{', file);
	depth++;
	for (i = 0; lists[i]; i++)
		comma = write_rows(file, lists[i], of, comma);
	close_bracket(file, '}', !*comma);
}

/* One row named "": not an object. */
static bool is_plain(const struct tw_member *row)
{
	return row->of && !*row->of->name;
}

static void write_element(FILE *file, const struct tw_member *row,
			  const void *of)
{
	const struct tw_member element = {
		.of = row->of, .parts = row->parts, .then = row->then,
	};

	if (is_plain(row))
		tw_member_write(file, row->of, of);
	else
		tw_member_object(file, &element, of);
}

/* Those of an array that are no objects are together in a line. */
static void write_elements(FILE *file, const struct tw_member *row,
			   const void *of)
{
	bool array = row->type == TW_ARRAY, lines = !array || !is_plain(row);
	const char *key = NULL;
	const void *one;
	int i, count = 0;

	fputc(array ? '[' : '{', file);
	depth++;
	for (i = 0; (one = next_of(row, of, &i, &key)); i++, count++) {
		if (lines || (count && count % IN_LINE == 0))
			write_line(file, count ? "," : "");
		else
			fputs(count ? ", " : "", file);
		if (!array)
			fprintf(file, "\"%s\": ", key);
		write_element(file, row, one);
	}
	close_bracket(file, array ? ']' : '}', !lines || !count);
}

void tw_member_write(FILE *file, const struct tw_member *row, const void *of)
{
	of = object_of(row, of);
	if (!of && (row->get || row->via))
		fputs("null", file);
	else if (row->write)
		row->write(file, of);
	else if (row->store == TW_LISTED)
		write_elements(file, row, of);
	else if (row->store)
		write_value(file, row, place_of(row, of));
	else if (row->next)
		write_elements(file, row, place_of(row, of));
	else
		tw_member_object(file, row, place_of(row, of));
}
