// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON from another host: it is read within its bounds, and printed safely. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_remote.h"

#define NUMBERS	4
#define MOST	5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is printed: lines that begin as they should, and are ASCII. */
static void check_print(const char *text)
{
	char *printed = NULL, *line, *next;
	size_t length = 0;
	FILE *file = open_memstream(&printed, &length);

	if (!file)
		return;
	tw_remote_print(file, "# ", text);
	fclose(file);
	if (strlen(printed) != length)
		abort();
	for (next = printed; (line = strsep(&next, "\n")) && *line; )
		for (length = 0; line[length]; length++)
			if (line[length] < ' ' || line[length] > 126 ||
			    strncmp(line, "# ", 2))
				abort();
	free(printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), small[8];
	int64_t numbers[NUMBERS];
	const char *end, *string;
	int i, count;

	if (!text)
		return 0;
	memcpy(text, data, size);
	end = tw_remote_end(text);
	if (end && (end <= text || end > text + size))
		abort();
	string = tw_remote_string(text, small, sizeof(small));
	if (string && (*text != '"' || string != end || strlen(small) > 7))
		abort();
	count = tw_remote_numbers(text, MOST, numbers, NUMBERS);
	for (i = 0; i < count; i++)
		if (numbers[i] > MOST || numbers[i] < -MOST)
			abort();
	if (*text == '"')
		check_print(text);
	free(text);
	return 0;
}
