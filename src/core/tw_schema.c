// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_json.h"
#include "tw_part.h"
#include "tw_schema.h"
#include "tw_string.h"

static const char *const types[] = {
	[TW_INTEGER] = "integer", [TW_COUNT] = "integer", [TW_REAL] = "number",
	[TW_BOOLEAN] = "boolean", [TW_STRING] = "string",
	[TW_OBJECT] = "object", [TW_MAP] = "object", [TW_ARRAY] = "array",
};

static bool first;	/* the next member of an object needs no comma */

static void print_schema(const struct tw_member *row, int depth);

static void print_line(int depth)
{
	printf("%s\n%*s", first ? "" : ",", 2 * depth, "");
	first = false;
}

static void open_object(const char *name, int depth)
{
	print_line(depth);
	printf("\"%s\": {", name);
	first = true;
}

static void close_object(int depth)
{
	printf("\n%*s}", 2 * depth, "");
	first = false;
}

/* ' stands for ". */
static void print_also(const char *also)
{
	for (; *also; also++)
		putchar(*also == '\'' ? '"' : *also);
}

/* In the list of what is required, its name alone. */
static bool is_named(const char *name, bool optional, int depth)
{
	if (depth == TW_SCHEMA_NAMES && !optional) {
		printf("%s \"%s\"", first ? "" : ",", name);
		first = false;
	}
	return depth == TW_SCHEMA_NAMES;
}

void tw_schema_member(const char *name, const struct tw_member *row, int depth)
{
	if (is_named(name, row->optional, depth))
		return;
	open_object(name, depth);
	print_schema(row, depth + 1);
	close_object(depth);
}

static const char *word_of(const struct tw_member *row, int i)
{
	return row->words ? row->words[i] : row->word ? row->word(i) : NULL;
}

static void print_members(const struct tw_member *row, int depth)
{
	for (; row->name; row++)
		if (row->spread && row->type == TW_OBJECT)
			print_members(row->of, depth);
		else if (!row->spread && !row->again)
			tw_schema_member(row->name, row, depth);
}

static void print_required(const struct tw_member *const lists[],
			   void (*describe)(int depth))
{
	int i;

	printf("\"required\": [");
	first = true;
	for (i = 0; lists[i]; i++)
		print_members(lists[i], TW_SCHEMA_NAMES);
	if (describe)
		describe(TW_SCHEMA_NAMES);
	printf(" ]");
	first = false;
}

static void print_object(const struct tw_member *row, int depth)
{
	const struct tw_member *lists[TW_MEMBER_LISTS];
	int i;

	/* Elements are described by describe(), not by their row. */
	tw_member_lists(row->next ? &(struct tw_member) { 0 } : row, lists);
	open_object("properties", depth);
	for (i = 0; lists[i]; i++)
		print_members(lists[i], depth + 1);
	if (row->describe)
		row->describe(depth + 1);
	close_object(depth);
	print_line(depth);
	printf("\"additionalProperties\": false");
	if (row->loose)
		return;
	print_line(depth);
	print_required(lists, row->describe);
}

/* One row, or all members of each element. */
static void print_element(const struct tw_member *row, int depth)
{
	struct tw_member element = {
		.type = TW_OBJECT, .of = row->of, .parts = row->parts,
		.then = row->then, .also = row->each,
	}, other = {
		.type = TW_OBJECT, .of = row->or_of,
	};

	open_object(row->type == TW_MAP ? "additionalProperties" : "items",
		    depth);
	if (row->or_of) {
		printf(" \"anyOf\": [ {");
		print_schema(&element, depth + 1);
		printf(" }, {");
		first = true;
		print_schema(&other, depth + 1);
		printf(" } ]");
	} else {
		print_schema(row->of && !*row->of->name ? row->of : &element,
			     depth + 1);
	}
	close_object(depth);
}

static void print_enum(const struct tw_member *row)
{
	int i;

	printf("\"enum\": [");
	for (i = 0; word_of(row, i); i++)
		printf("%s \"%s\"", i ? "," : "", word_of(row, i));
	printf(" ]");
}

static void print_type(const struct tw_member *row, int depth)
{
	print_line(depth);
	if (row->type == TW_STRING && word_of(row, 0))
		print_enum(row);
	else if (row->nullable)
		printf("\"type\": [ \"%s\", \"null\" ]", types[row->type]);
	else
		printf("\"type\": \"%s\"", types[row->type]);
	if (row->type == TW_COUNT) {
		print_line(depth);
		printf("\"minimum\": 0");
	}
}

static void print_schema(const struct tw_member *row, int depth)
{
	if (row->about) {
		print_line(depth);
		printf("\"description\": ");
		tw_string_json(stdout, row->about);
	}
	if (row->type != TW_ANY)
		print_type(row, depth);
	if (row->also) {
		print_line(depth);
		print_also(row->also);
	}
	if (row->type == TW_MAP && word_of(row, 0)) {
		print_line(depth);
		printf("\"propertyNames\": { ");
		print_enum(row);
		printf(" }");
	}
	if (row->type == TW_ARRAY || row->type == TW_MAP)
		print_element(row, depth);
	else if (row->type == TW_OBJECT)
		print_object(row, depth);
}

static void print_help(const struct tw_option *row)
{
	char *text = tw_option_help(row);

	printf("\"description\": ");
	tw_string_json(stdout, text);
	free(text);
}

/* Another name of a word is not what is kept. */
static void print_words(int number, int depth)
{
	const struct tw_option *row = tw_option_row(number);
	const char *word;
	int i;

	print_line(depth);
	printf("\"enum\": [");
	for (i = 0; (word = tw_option_word(row, i)); i++)
		if (*word < '0' || *word > '9')
			printf("%s \"%s\"", i ? "," : "", word);
	if (row->becomes)
		printf(", \"%s\"", row->becomes);
	printf("%s ]", tw_option_usual(row) ? "" : ", null");
}

/* A list of intervals; a limit of a metric. */
static void print_either(const struct tw_option *row, int depth,
			 const char *number)
{
	int i;

	print_line(depth);
	printf("\"anyOf\": [ { %s }, ", number);
	if (row->count) {
		printf("{ \"type\": \"array\", \"minItems\": 2, \"maxItems\": %d, \"items\": { %s } } ]",
		       TW_PAIRS_MAX, number);
		return;
	}
	printf("{ \"type\": \"string\", \"pattern\": \"^(");
	for (i = TW_LATENCY + 1; tw_metric_any_word(i); i++)
		printf("%s%s", i > TW_LATENCY + 1 ? "|" : "",
		       tw_metric_any_word(i));
	printf("):[1-9][0-9]{0,9}$\" } ]");
}

static void print_number(int i, int depth)
{
	const struct tw_option *row = tw_option_row(i);
	char number[128];

	snprintf(number, sizeof(number), "\"type\": \"integer\", \"minimum\": %" PRId64 ", \"maximum\": %" PRId64,
		 tw_option_least(i), row->type == TW_TIME ?
		 (int64_t)TW_DURATION_MAX_S : row->most ? row->most : row->max);
	if (row->count || row->metric) {
		print_either(row, depth, number);
		return;
	}
	print_line(depth);
	printf("%s", number);
}

void tw_schema_settings(int depth)
{
	const struct tw_option *row;
	int i;

	for (i = 0; (row = tw_option_row(i)); i++) {
		struct tw_member member = {
			.type = row->type == TW_FLAG ? TW_BOOLEAN : TW_STRING,
			.nullable = row->type != TW_FLAG,
		};

		if (!row->to || is_named(row->name, false, depth))
			continue;
		open_object(row->name, depth);
		print_line(depth + 1);
		print_help(row);
		if (row->type == TW_WORD)
			print_words(i, depth + 1);
		else if (row->type < TW_WORD && row->type != TW_FLAG)
			print_number(i, depth + 1);
		else
			print_type(&member, depth + 1);
		close_object(depth);
	}
}

/* What follows if anything was measured: all that is not optional. */
static void print_measured(void)
{
	const struct tw_member *lists[TW_MEMBER_LISTS], *row;

	for (row = tw_json_root.of; !row->loose; row++)
		;
	tw_member_lists(row, lists);
	printf(",\n  \"if\": { \"properties\": { \"num_threads\": { \"minimum\": 1 } } },\n"
	       "  \"then\": { \"properties\": { \"thread\": { \"required\": [ \"0\" ] }, \"%s\": { ",
	       row->name);
	print_required(lists, NULL);
	printf(" } } },\n  \"else\": { \"properties\": { \"thread\": { \"maxProperties\": 0 }, \"%s\": { \"maxProperties\": 5 } } }",
	       row->name);
}

void tw_schema_print(void)
{
	printf("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
	       "  \"$comment\": \"SPDX-License-Identifier: GPL-2.0-or-later\",\n"
	       "  \"title\": \"Results of %s --json, schema 3\"",
	       tw_program_name);
	print_schema(&tw_json_root, 1);
	print_measured();
	printf("\n}\n");
}
