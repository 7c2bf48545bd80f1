// SPDX-License-Identifier: GPL-2.0-or-later
/* Marks in a trace: the files are replaced by those of the test. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "child.h"
#include "tw_array.h"
#include "tw_mark.h"

/* The files that open() opens instead of the library's. */
static const char *marker, *tracing_on;
/* Where tracefs is; what is said of another place. */
static const char *tracefs = "/sys/kernel/tracing";
static int elsewhere = ENOENT;

int access(const char *path, int mode)
{
	if (!strncmp(path, tracefs, strlen(tracefs)))
		return 0;
	errno = elsewhere;
	return -1;
}

TEST(test_tracefs)
{
	static const struct {
		const char *there;
		int error;
		const char *found;
	} rows[] = {
		{ "/sys/kernel/tracing/", ENOENT, "/sys/kernel/tracing" },
		{ "/sys/kernel/debug/", ENOENT, "/sys/kernel/debug/tracing" },
		{ "/nowhere", ENOENT, "/sys/kernel/tracing" },
		{ "/sys/kernel/debug/", EACCES, "/sys/kernel/tracing" },
		{ "/", ENOENT, "/sys/kernel/tracing" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		tracefs = rows[i].there;
		elsewhere = rows[i].error;
		assert_string_equal(tw_mark_tracefs(), rows[i].found);
	}
	tracefs = "/sys/kernel/tracing";
}

int open(const char *path, int flags, ...)
{
	if (!strcmp(path, "/sys/kernel/tracing/trace_marker"))
		path = marker;
	else if (!strcmp(path, "/sys/kernel/tracing/tracing_on"))
		path = tracing_on;
	return openat(AT_FDCWD, path, flags);
}

static void do_marks(void)
{
	tw_mark_write("not open");
	tw_mark_stop();
	tw_mark_open();
	tw_mark_write("a%d", 1);
	tw_mark_write("%2000d", 1);
	tw_mark_stop();
}

#define FULL	"WARN: cannot write to /sys/kernel/tracing/trace_marker: " \
		"No space left on device; is tracing on?\n"

/* Marks come out on stdout; where there is no trace, only a warning. */
TEST(test_marks)
{
	struct outcome o;

	marker = "/dev/stdout";
	tracing_on = "/dev/stdout";
	o = run(do_marks);
	assert_string_equal(o.err, "");
	assert_int_equal(strlen(o.out), 2 + 1023 + 2);
	assert_memory_equal(o.out, "a1  ", 4);
	assert_string_equal(o.out + 2 + 1022, " 0\n");

	tracing_on = "/dev/full";
	o = run(do_marks);
	assert_string_equal(o.err, "WARN: cannot stop tracing\n");

	marker = "/dev/full";
	o = run(do_marks);
	assert_string_equal(o.err, FULL FULL
			    "WARN: cannot stop tracing\n");

	marker = "/nowhere";
	assert_outcome(do_marks, RETURNED, "WARN: cannot open "
		       "/sys/kernel/tracing/trace_marker: "
		       "No such file or directory\n");
}
