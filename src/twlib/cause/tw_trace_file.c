// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/tw_time.h"
#include "cause/tw_event.h"
#include "cause/tw_trace_file.h"

#define KEPT_NS		(20 * TW_NS_PER_MS)
#define BEFORE_NS	TW_NS_PER_MS	/* who was where, at its begin */

int64_t tw_trace_file_from_ns(int64_t begin_ns, int64_t end_ns,
			      int64_t before_ns)
{
	int64_t from_ns = end_ns - KEPT_NS;

	if (begin_ns - BEFORE_NS < from_ns)
		from_ns = begin_ns - BEFORE_NS;
	/* On a quiet system there may be nothing since the one before. */
	return before_ns < from_ns ? before_ns : from_ns;
}

/* Those of @next and later that were before @before_ns; which is next then. */
static int print_marks(FILE *file, const char *whose,
		       const struct tw_trace_mark *marks, int count, int next,
		       int64_t before_ns)
{
	for (; next < count && marks[next].at_ns <= before_ns; next++)
		fprintf(file, "# %" PRId64 ".%09" PRId64 ": %s: %s\n",
			marks[next].at_ns / TW_NS_PER_S,
			marks[next].at_ns % TW_NS_PER_S, whose,
			marks[next].what);
	return next;
}

void tw_trace_file_write(FILE *file, const char *text, const char *whose,
			 const struct tw_trace_mark *marks, int count)
{
	struct tw_event event;
	char line[1024];
	int next = 0;
	size_t len;

	for (; text && *text; text += len) {
		len = strcspn(text, "\n");
		len += text[len] == '\n';
		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		if (tw_event_parse(line, &event))
			next = print_marks(file, whose, marks, count, next,
					   event.time_ns);
		fwrite(text, 1, len, file);
	}
	print_marks(file, whose, marks, count, next, INT64_MAX);
}
