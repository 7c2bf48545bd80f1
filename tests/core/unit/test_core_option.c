// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of options themselves. */
#include <string.h>

#include "unit.h"
#include "tw_option.h"

static void assert_named(const char *line)
{
	char *list = strndup(line, strcspn(line, ",;:\n")), *word;
	const struct tw_option *row;
	int i, named = 0;

	for (word = strtok(list, " "); word; word = strtok(NULL, " ")) {
		if (*word != '-')
			continue;
		named++;
		word[strcspn(word, "=")] = '\0';
		for (i = 0; (row = tw_option_row(i)); i++)
			if (word[1] == '-' ? !strcmp(row->name, word + 2) :
			    row->letter == word[1])
				break;
		assert_non_null(row);
	}
	assert_true(named);
	free(list);
}

TEST(test_texts_name_options_that_exist)
{
	char *words[] = { "test", NULL };
	const struct tw_option *row;
	const char *line;
	int i;

	tw_option_parse_all(1, words);
	for (i = 0; (row = tw_option_row(i)); i++) {
		if (row->with)
			assert_named(row->with);
		for (line = row->without; line && *line; line += *line == '\n') {
			assert_named(line);
			line += strcspn(line, "\n");
		}
	}
	assert_true(i > 70);
}

/* What is kept must be as its type says; who may ask needs a value. */
TEST(test_types)
{
	const struct tw_option *row;
	int i;

	for (i = 0; (row = tw_option_row(i)); i++) {
		assert_true(row->parse || row->to || row->type == TW_FLAG);
		assert_true(row->type != TW_FLAG || (!row->metavar &&
						     !row->optional));
		assert_true(row->type != TW_NUMBER || row->min < row->max);
		assert_true(row->type != TW_WORD || row->choices ||
			    row->choice);
		assert_true(row->type != TW_TEXT || row->metavar);
	}
}
