// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON from another host: it is read within its bounds. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tw_lines.h"

#define NUMBERS	4
#define MOST	5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), *string;
	int64_t numbers[NUMBERS];
	const char *end;
	int i, count;

	if (!text)
		return 0;
	memcpy(text, data, size);
	end = tw_lines_end(text);
	if (end && (end <= text || end > text + size))
		abort();
	count = tw_lines_numbers(text, MOST, numbers, NUMBERS);
	for (i = 0; i < count; i++)
		if (numbers[i] > MOST || numbers[i] < -MOST)
			abort();
	string = tw_lines_string(text);
	if (string && (data[0] != '"' || string != end ||
		       text + strlen(text) > string - 2))
		abort();
	free(text);
	return 0;
}
