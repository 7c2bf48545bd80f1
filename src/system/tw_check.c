// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tw_check.h"
#include "tw_cpus.h"
#include "tw_json.h"
#include "tw_mark.h"
#include "tw_place.h"
#include "tw_read.h"
#include "tw_say.h"
#include "tw_schema.h"
#include "tw_string.h"

#define FACTS_MAX	128
#define CPUS	"'pattern': '^([0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)?$'"

static struct found {
	const struct tw_fact *fact;
	struct tw_value value;
	bool disturbs;
} found[FACTS_MAX];
static int count;
static struct tw_checked checked;

void tw_check_text(struct tw_value *value, const char *text)
{
	free(value->text);
	value->text = strdup(text);
	value->known = value->text;
}

void tw_check_cpus(struct tw_value *value, const cpu_set_t *cpus)
{
	char list[TW_READ_LINE];

	tw_place_list(cpus, list, sizeof(list));
	tw_check_text(value, list);
}

void tw_check_number(struct tw_value *value, int64_t number)
{
	value->number = number;
	value->known = true;
}

/* A file without a text has nothing to say. */
static void read_file(struct tw_value *value, enum tw_fact_kind kind)
{
	char text[TW_READ_LINE];
	int64_t number;
	cpu_set_t cpus;

	if (kind == TW_FACT_CPUS) {
		if (tw_cpus_read(&cpus, value->from))
			tw_check_cpus(value, &cpus);
	} else if (kind == TW_FACT_TEXT) {
		if (tw_read_text(text, sizeof(text), value->from) && *text)
			tw_check_text(value, text);
	} else if (tw_read_number(&number, value->from)) {
		tw_check_number(value, number);
	}
}

static bool add(const struct tw_fact *fact)
{
	struct tw_value *value = &found[count].value;

	*value = (struct tw_value) { .from = fact->from, .of = &checked };
	if (fact->read)
		fact->read(value);
	else
		read_file(value, fact->kind);
	found[count].fact = fact;
	found[count].disturbs = value->known && fact->disturbs &&
				fact->disturbs(value);
	return found[count++].disturbs;
}

/* For people: one line. */
static void format(char *text, size_t size, int i)
{
	const struct tw_value *value = &found[i].value;

	if (found[i].fact->kind == TW_FACT_NUMBER)
		snprintf(text, size, "%" PRId64, value->number);
	else if (found[i].fact->kind == TW_FACT_FLAG)
		snprintf(text, size, value->number ? "yes" : "no");
	else
		snprintf(text, size, "%s", *value->text ? value->text : "none");
}

/* Without CPU 0, which the system needs. */
static void fill_in(char *text, size_t size, const char *fix)
{
	cpu_set_t cpus = checked.cpus;
	char list[TW_READ_LINE];
	size_t used = 0;

	CPU_CLR(0, &cpus);
	tw_place_list(&cpus, list, sizeof(list));
	for (text[0] = '\0'; *fix && *fix != '\n' && used < size; fix++)
		used += strchr("@%~", *fix) ?
			snprintf(text + used, size - used, "%s",
				 *fix == '%' ? checked.device :
				 *fix == '~' ? tw_mark_tracefs() :
				 *list ? list : "CPUS") :
			snprintf(text + used, size - used, "%c", *fix);
}

static void print_fact(FILE *file, int i)
{
	char text[TW_READ_LINE];
	const char *some;

	format(text, sizeof(text), i);
	fprintf(file, "%-7s  %-24s  %s\n", found[i].disturbs ? "FINDING" : "ok",
		found[i].fact->name, text);
	if (!found[i].disturbs)
		return;
	some = strchr(found[i].fact->fix, '\n');
	if (some && *found[i].value.text)
		snprintf(text, sizeof(text), "%s%s", some + 1,
			 found[i].value.text);
	else
		fill_in(text, sizeof(text), found[i].fact->fix);
	fprintf(file, "         why: %s\n         fix: %s\n",
		found[i].fact->why, text);
}

static void print_facts(FILE *file)
{
	char list[TW_READ_LINE];
	int i;

	tw_place_list(&checked.cpus, list, sizeof(list));
	fprintf(file, "# Checked for %s on CPU %s%s\n", checked.priority ?
		"real-time tasks" : "ordinary tasks (no -p)", list,
		checked.pinned ? "" : ", not pinned to one each (-a)");
	for (i = 0; i < count; i++)
		if (found[i].fact->why && found[i].value.known)
			print_fact(file, i);
	for (i = 0; i < count; i++)
		if (found[i].fact->why && !found[i].value.known)
			fprintf(file, "# Not known: %s\n",
				found[i].fact->name);
}

static void write_fact(FILE *file, const void *of)
{
	const struct found *at = of;
	const struct tw_value *value = &at->value;

	if (!value->known)
		fprintf(file, "null");
	else if (at->fact->kind == TW_FACT_NUMBER)
		fprintf(file, "%" PRId64, value->number);
	else if (at->fact->kind == TW_FACT_FLAG)
		fprintf(file, value->number ? "true" : "false");
	else
		tw_string_json(file, value->text);
}

static const void *next_fact(const void *of, int *i, const char **key)
{
	if (*i == count)
		return NULL;
	*key = found[*i].fact->name;
	return &found[*i];
}

struct finding {
	const char *name;
	char read[TW_READ_LINE];
};

static const void *next_finding(const void *of, int *i, const char **key)
{
	static struct finding finding;

	while (*i < count && !found[*i].disturbs)
		++*i;
	if (*i == count)
		return NULL;
	finding.name = found[*i].fact->name;
	format(finding.read, sizeof(finding.read), *i);
	return &finding;
}

static const struct tw_member of_finding[] = {
	{ TW_NAMED(struct finding, name), TW_STRING, "Of the member above." },
	{ TW_NAMED(struct finding, read), TW_STRING, "Its value, for people." },
	{ .name = NULL }
};

static const struct tw_member of_fact[] = {
	{ "", TW_NOWHERE, TW_ANY, NULL, .write = write_fact },
	{ .name = NULL }
};

static const struct tw_member facts[] = {
	{ "", TW_NOWHERE, TW_MAP, NULL, .spread = true, .next = next_fact,
	  .of = of_fact },
	{ "findings", TW_NOWHERE, TW_ARRAY,
	  "What of it disturbs, as --check says.", .next = next_finding,
	  .of = of_finding },
	{ .name = NULL }
};

static void describe(int depth)
{
	static const enum tw_member_type types[] = {
		[TW_FACT_TEXT] = TW_STRING, [TW_FACT_CPUS] = TW_STRING,
		[TW_FACT_NUMBER] = TW_INTEGER, [TW_FACT_FLAG] = TW_BOOLEAN,
	};
	const struct tw_fact *const *table, *fact;

	for (table = tw_check_tables; *table; table++)
		for (fact = *table; fact->name; fact++) {
			struct tw_member row = {
				.type = types[fact->kind],
				.about = fact->about,
				.nullable = strcmp(fact->name, "network_device"),
				.optional = !strncmp(fact->name, "network_", 8),
				.also = fact->kind == TW_FACT_CPUS ?
					CPUS : NULL,
			};

			tw_schema_member(fact->name, &row, depth);
		}
}

const struct tw_member tw_json_checked[] = {
	{ "system", TW_NOWHERE, TW_OBJECT, "The state of the system before the run, as far as it could be read: null is unknown. Used CPUs are those of what is measured.",
	  .describe = describe, .of = facts },
	{ .name = NULL }
};

void tw_check_facts(struct tw_run *run, const struct tw_checked *of,
		    const struct tw_fact *const tables[], bool only)
{
	const struct tw_fact *fact;
	int status = EXIT_SUCCESS;

	checked = *of;
	for (; *tables; tables++)
		for (fact = *tables; fact->name && count < FACTS_MAX; fact++)
			status |= add(fact) ? 2 : 0;
	if (!only)
		return;
	print_facts(stdout);
	if (fflush(stdout)) {
		tw_say_warn("cannot write to standard output\n");
		status = EXIT_FAILURE;
	}
	exit(tw_json_write_checked(run, status) ? EXIT_FAILURE : status);
}
