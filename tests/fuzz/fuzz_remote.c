// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON from another host: what is well-formed is read within its bounds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tw_remote.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere;

static void look(const char *value, int levels)
{
	char text[64];
	int64_t number;

	if (tw_remote_string(value, text, sizeof(text)) &&
	    !memchr(text, '\0', sizeof(text)))
		abort();
	tw_remote_print(nowhere, "# ", value);
	tw_remote_number(value, -5, 5, &number);
	tw_remote_member(value, "twoway");
	if (*value != '[')
		return;
	for (value = tw_remote_first(value); value && levels;
	     value = tw_remote_next(value))
		look(value, levels - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1);
	const char *end;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (!text || !nowhere)
		return 0;
	memcpy(text, data, size);
	end = tw_remote_end(text);
	if (end && (end <= text || end > text + size))
		abort();
	if (end)
		look(text + strspn(text, " "), 32);
	free(text);
	return 0;
}
