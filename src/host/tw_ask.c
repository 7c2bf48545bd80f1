// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tw_array.h"
#include "tw_config.h"
#include "tw_hosts.h"
#include "tw_idle.h"
#include "tw_lines.h"
#include "tw_load.h"
#include "tw_option.h"
#include "tw_place.h"
#include "tw_say.h"
#include "tw_string.h"

#define WORD_MAX	4096

/* What needs a login: it runs a command, or takes a CPU for itself. */
static const char *const login_only[] = {
	"--load=command", "--load-args", "--wait=busy",
};

static void write_word(FILE *file, const char *name, const char *value)
{
	char word[WORD_MAX + 1];
	int length = snprintf(word, sizeof(word), "--%s%s%s", name,
			      value ? "=" : "", value ? value : "");

	if (length > WORD_MAX)
		tw_say_fatal("--%s: allowed are %d characters for another host\n",
			     name, WORD_MAX);
	fprintf(file, " ");
	tw_lines_write_word(file, word);
}

/* With the value that it has here, if it has one. */
static void write_option(FILE *file, const struct tw_option *row)
{
	char *text = tw_option_text(row);

	if (row->type == TW_FLAG) {
		if (*(bool *)row->to)
			write_word(file, row->name, NULL);
	} else if (text && (row->type >= TW_WORD ||
			    *(int64_t *)row->to >= row->min)) {
		write_word(file, row->name, text);
	}
	free(text);
}

static void write_loads(FILE *file)
{
	const struct tw_load *load;
	char word[WORD_MAX + 1];
	int i;

	for (i = 0; (load = tw_load_number(i)); i++) {
		if (load->ops == &tw_load_command)
			snprintf(word, sizeof(word), "%s:%s", load->ops->name,
				 load->words);
		else if (load->fixed)
			snprintf(word, sizeof(word), "%s:%d", load->ops->name,
				 load->wanted);
		else
			snprintf(word, sizeof(word), "%s", load->ops->name);
		write_word(file, "load", word);
	}
}

char *tw_ask_text(int steps)
{
	bool load = tw_config.absent[TW_LOAD];
	const struct tw_option *row;
	char *text;
	FILE *file = tw_string_open(&text);
	int i;

	fprintf(file, TW_ASK_GREETING TW_ASK_VERSION "\"] %d", load ? 1 : steps);
	for (i = 0; (row = tw_option_row(i)); i++)
		if (row->far == TW_ASKED ||
		    (load && tw_option_given(row->name) &&
		     row->far == TW_ASKED_OF_LOAD))
			write_option(file, row);
	if (load) {
		write_loads(file);
		/* A ramp must have it; the clients count. */
		write_word(file, "loops", "1");
	}
	if (tw_place_chosen() || tw_config.smp)
		write_word(file, "affinity", NULL);
	/* 0 is the default; a server may have --default-system. */
	if (tw_idle.latency_us > 0)
		write_option(file, tw_option_find("latency"));
	fprintf(file, "\n");
	fclose(file);
	if (strlen(text) > TW_ASK_MAX)
		tw_say_fatal("--connect: the options are longer than %d bytes\n",
			     TW_ASK_MAX);
	return text;
}

static void check_login(const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(login_only); i++)
		if (!strncmp(word, login_only[i], strlen(login_only[i])))
			tw_say_fatal("%s: nobody may ask for this without a login; use --rsh\n",
				     login_only[i]);
}

/* Of "--NAME" or "--NAME=VALUE", which a parse function may keep. */
static void parse_word(char *word)
{
	char *value = strchr(word, '=');
	const struct tw_option *row;

	if (value)
		*value++ = '\0';
	row = strncmp(word, "--", 2) ? NULL : tw_option_find(word + 2);
	if (!row || !row->far)
		tw_say_fatal("%s: nobody may ask for this from another host\n",
			     word);
	if (!row->optional && (row->type == TW_FLAG) == !!value)
		tw_say_fatal("%s: allowed is %s value\n",
			     word, value ? "no" : "a");
	tw_option_take(row, value);
}

int tw_ask_parse(const char *line, bool login)
{
	char version[10];
	int steps = 0, length = 0;
	static char words[TW_ASK_MAX];
	char *rest = words, *word;

	if (sscanf(line, TW_ASK_GREETING "%9[0-9]%n", version, &length) != 1)
		tw_say_fatal("--far: the first line is no request of twowaytest\n");
	/* That one shows no message which comes before this. */
	if (!strcmp(version, "2"))
		fprintf(stderr, TW_ASK_ANSWER_2 "%s}\n", version);
	if (strcmp(version, TW_ASK_VERSION))
		tw_say_fatal("--far: the client speaks version %s of the protocol, this program version %s: install the same release on both hosts\n",
			     version, TW_ASK_VERSION);
	line += length;
	length = 0;
	sscanf(line, "\"] %9d%n", &steps, &length);
	if (steps < 1 || steps > TW_LOAD_MAX + 1)
		tw_say_fatal("--far: the request has no number of steps\n");
	/* It has what options have as values. */
	snprintf(words, sizeof(words), "%s", line + length);
	while ((word = strsep(&rest, " "))) {
		tw_lines_read_word(word);
		if (*word && !login)
			check_login(word);
		if (*word)
			parse_word(word);
	}
	tw_option_check();
	return steps;
}
