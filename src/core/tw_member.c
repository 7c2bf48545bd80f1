// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include "tw_cycle.h"
#include "tw_member.h"
#include "tw_part.h"
#include "tw_string.h"

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

/* A new line, or a space between members. */
static void write_space(FILE *file, int spaces)
{
	if (spaces > 0)
		fprintf(file, "\n%*s", spaces, "");
	else
		fputc(spaces == TW_MARGIN ? '\n' : ' ', file);
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
		fputs(comma, file);
		write_space(file, row->line);
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

void tw_member_object(FILE *file, const struct tw_member *owner,
		      const void *of)
{
	const struct tw_member *lists[TW_MEMBER_LISTS];
	const char *comma = "{";
	int i;

	tw_member_lists(owner, lists);
	for (i = 0; lists[i]; i++)
		comma = write_rows(file, lists[i], of, comma);
	write_space(file, owner->close);
	fputc('}', file);
}

static void write_element(FILE *file, const struct tw_member *row,
			  const void *of)
{
	const struct tw_member element = {
		.of = row->of, .parts = row->parts, .then = row->then,
		.close = row->shut,
	};

	if (row->of && !*row->of->name)
		tw_member_write(file, row->of, of);
	else
		tw_member_object(file, &element, of);
}

static void write_elements(FILE *file, const struct tw_member *row,
			   const void *of)
{
	bool map = row->type == TW_MAP;
	const char *key = NULL;
	const void *one;
	int i, count = 0;

	fputc(map ? '{' : '[', file);
	for (i = 0; (one = row->next(of, &i, &key)); i++, count++) {
		fputs(count ? "," : "", file);
		if (row->lines || map || count)
			write_space(file, row->lines);
		if (map)
			fprintf(file, "\"%s\": ", key);
		write_element(file, row, one);
	}
	/* One of objects is {} if there are none. */
	if ((count || (map && !row->shut)) && (map || row->close))
		write_space(file, row->close);
	fputc(map ? '}' : ']', file);
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
