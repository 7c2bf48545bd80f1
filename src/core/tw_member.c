// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include "tw_cycle.h"
#include "tw_member.h"
#include "tw_part.h"
#include "tw_string.h"

#define IN_LINE	8	/* elements that are no objects */

static void write_int(FILE *file, const struct tw_member *row, const void *at)
{
	fprintf(file, "%d", *(const int *)at);
}

static void write_int64(FILE *file, const struct tw_member *row, const void *at)
{
	if (row->nullable && *(const int64_t *)at == TW_NO_VALUE)
		fputs("null", file);
	else
		fprintf(file, "%" PRId64, *(const int64_t *)at);
}

static void write_uint64(FILE *file, const struct tw_member *row,
			 const void *at)
{
	fprintf(file, "%" PRIu64, *(const uint64_t *)at);
}

static void write_double(FILE *file, const struct tw_member *row,
			 const void *at)
{
	double value = *(const double *)at;

	if (isnan(value))
		fputs("null", file);
	else
		fprintf(file, row->format ? row->format : "%.3f", value);
}

static void write_bool(FILE *file, const struct tw_member *row, const void *at)
{
	fputs(*(const bool *)at ? "true" : "false", file);
}

static void write_text(FILE *file, const struct tw_member *row, const void *at)
{
	const char *text = row->store == TW_CHARS ? at :
			   *(const char *const *)at;

	if (text)
		tw_string_json(file, text);
	else
		fputs("null", file);
}

static void (*const writers[])(FILE *file, const struct tw_member *row,
			       const void *at) = {
	[TW_INT] = write_int, [TW_INT64] = write_int64,
	[TW_UINT64] = write_uint64, [TW_DOUBLE] = write_double,
	[TW_BOOL] = write_bool, [TW_POINTER] = write_text,
	[TW_CHARS] = write_text,
};

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

/* As many as there are; returns what precedes the next member. */
static const char *write_row(FILE *file, const struct tw_member *row,
			     const void *of, const char *comma)
{
	const char *key = row->name;
	const void *one = of;
	int i = 0;

	if (row->has && !row->has(of))
		return comma;
	if (row->spread && row->type == TW_OBJECT)
		return write_rows(file, row->of, row->get(of), comma);
	for (; !row->spread || (one = row->next(of, &i, &key)); i++) {
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
	for (i = 0; (one = row->next(of, &i, &key)); i++, count++) {
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
	of = row->get ? row->get(of) : of;
	if (row->get && !of)
		fputs("null", file);
	else if (row->write)
		row->write(file, of);
	else if (row->store)
		writers[row->store](file, row, row->from ? row->from :
				    (const char *)of + row->at);
	else if (row->next)
		write_elements(file, row, of);
	else
		tw_member_object(file, row, of);
}
