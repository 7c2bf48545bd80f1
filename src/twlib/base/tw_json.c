// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "rt-utils.h"
#include "base/tw_json.h"

void tw_json_open(struct tw_json *json, FILE *file, int depth)
{
	*json = (struct tw_json) { .file = file, .depth = depth, .before = "" };
}

void tw_json_close(struct tw_json *json)
{
	fputc('\n', json->file);
}

/* All that stands before a value. */
static void write_key(struct tw_json *json, const char *key)
{
	fputs(json->before, json->file);
	if (!json->line)
		fprintf(json->file, "%*s", 2 * json->depth, "");
	if (key) {
		rt_json_string(json->file, key);
		fputs(": ", json->file);
	}
	json->before = json->line ? ", " : ",\n";
}

void tw_json_begin(struct tw_json *json, const char *key, char bracket)
{
	write_key(json, key);
	fputc(bracket, json->file);
	json->depth++;
	json->arrays = json->arrays << 1 | (bracket == '[');
	json->before = json->line ? "" : "\n";
}

void tw_json_begin_line(struct tw_json *json, const char *key, char bracket)
{
	tw_json_begin(json, key, bracket);
	if (!json->line)
		json->line = json->depth;
	json->before = "";
}

void tw_json_end(struct tw_json *json)
{
	bool empty = *json->before != ',';

	json->depth--;
	if (!json->line && !empty)
		fprintf(json->file, "\n%*s", 2 * json->depth, "");
	fputc(json->arrays & 1 ? ']' : '}', json->file);
	json->arrays >>= 1;
	if (json->line > json->depth)
		json->line = 0;
	json->before = json->line ? ", " : ",\n";
}

void tw_json_text(struct tw_json *json, const char *key, const char *text)
{
	write_key(json, key);
	if (text)
		rt_json_string(json->file, text);
	else
		fputs("null", json->file);
}

void tw_json_null(struct tw_json *json, const char *key)
{
	tw_json_text(json, key, NULL);
}

void tw_json_bool(struct tw_json *json, const char *key, bool value)
{
	write_key(json, key);
	fputs(value ? "true" : "false", json->file);
}

void tw_json_int(struct tw_json *json, const char *key, int64_t value)
{
	write_key(json, key);
	fprintf(json->file, "%" PRId64, value);
}

void tw_json_int_if(struct tw_json *json, const char *key, bool known,
		    int64_t value)
{
	if (known)
		tw_json_int(json, key, value);
	else
		tw_json_null(json, key);
}

void tw_json_uint(struct tw_json *json, const char *key, uint64_t value)
{
	write_key(json, key);
	fprintf(json->file, "%" PRIu64, value);
}

void tw_json_real(struct tw_json *json, const char *key, double value,
		  int digits)
{
	write_key(json, key);
	if (!isfinite(value))
		fputs("null", json->file);
	else if (digits == TW_JSON_SHORT)
		fprintf(json->file, "%.10g", value);
	else
		fprintf(json->file, "%.*f", digits, value);
}

void tw_json_real_if(struct tw_json *json, const char *key, bool known,
		     double value, int digits)
{
	tw_json_real(json, key, known ? value : NAN, digits);
}
