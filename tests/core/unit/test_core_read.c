// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts, numbers and lists of CPUs, from files that come in pieces. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"
#include "tw_cpus.h"
#include "tw_read.h"

#define PIECE	4096	/* as seq_file does it */

ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size)
{
	return __real_read(fd, to, size < PIECE ? size : PIECE);
}

static char path[64];
static int fd = -1;

static void put(const char *text, size_t size)
{
	fd = memfd_create("file", 0);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
}

AFTER_EACH {
	if (fd >= 0)
		close(fd);
	fd = -1;
}

#define NO_NUMBER	INT64_MIN
#define NO_CPUS		(UINT64_MAX - 1)	/* of the first 64 */

static const struct files {
	const char *name, *has, *text;
	int64_t number;
	uint64_t cpus;
	int count;		/* of all CPUs */
} files[] = {
	{ "number", "12\n", "12", 12, 1 << 12, 1 },
	{ "negative", "-12\n", "-12", -12, NO_CPUS, 0 },
	{ "spaces", " \t7 \t\nnext\n", "7", 7, 1 << 7, 1 },
	{ "spaces before null", "  (null)\n", "(null)", NO_NUMBER, 0, 0 },
	{ "empty", "", "", NO_NUMBER, 0, 0 },
	{ "an empty line", "\n5", "", NO_NUMBER, 0, 0 },
	{ "null", "(null)\n", "(null)", NO_NUMBER, 0, 0 },
	{ "not only a number", "12x", "12x", NO_NUMBER, NO_CPUS, 0 },
	{ "no number", "x", "x", NO_NUMBER, NO_CPUS, 0 },
	{ "the greatest", "9223372036854775807", "9223372036854775807",
	  INT64_MAX, NO_CPUS, 0 },
	{ "too great", "9223372036854775808", "9223372036854775808",
	  NO_NUMBER, NO_CPUS, 0 },
	{ "list", "0-2,5,1023", "0-2,5,1023", NO_NUMBER, 0x27, 5 },
	{ "backwards", "5-3", "5-3", NO_NUMBER, NO_CPUS, 0 },
	{ "of a large system", "3,1024", "3,1024", NO_NUMBER, 1 << 3, 1 },
	{ "all of a large system", "0-8191", "0-8191", NO_NUMBER, UINT64_MAX,
	  1024 },
	{ "too many", "3,8192", "3,8192", NO_NUMBER, NO_CPUS, 0 },
	{ "too long", "3-8192", "3-8192", NO_NUMBER, NO_CPUS, 0 },
	{ "some of each group", "0-15:2/4", "0-15:2/4", NO_NUMBER, 0x3333, 8 },
	{ "from elsewhere on", "4-10:1/3,1", "4-10:1/3,1", NO_NUMBER, 0x492, 4 },
	{ "one CPU in groups", "5:1/1", "5:1/1", NO_NUMBER, 1 << 5, 1 },
	{ "of no group", "0-15:2", "0-15:2", NO_NUMBER, NO_CPUS, 0 },
	{ "none of a group", "0-15:0/4", "0-15:0/4", NO_NUMBER, NO_CPUS, 0 },
	{ "more than a group", "0-15:5/4", "0-15:5/4", NO_NUMBER, NO_CPUS, 0 },
	{ "of an empty group", "0-15:1/0", "0-15:1/0", NO_NUMBER, NO_CPUS, 0 },
	{ "no end", "3-", "3-", NO_NUMBER, NO_CPUS, 0 },
	{ "a sign of its own", "3-+5", "3-+5", NO_NUMBER, NO_CPUS, 0 },
	{ "not only all", "allx", "allx", NO_NUMBER, NO_CPUS, 0 },
	{ "not only a list", "3,x", "3,x", NO_NUMBER, NO_CPUS, 0 },
	{ "nothing in a list", "3,,4", "3,,4", NO_NUMBER, NO_CPUS, 0 },
	{ "another sign", "3;4", "3;4", NO_NUMBER, NO_CPUS, 0 },
	{ "signs", "a\x1b[2J\x7f\xe4~", "a?[2J??~", NO_NUMBER, NO_CPUS, 0 },
};

TEST_EACH(reads_a_file, files)
{
	char text[TW_READ_LINE] = "old";
	uint64_t mask = 0;
	int64_t number;
	cpu_set_t cpus;
	int i;

	put(of->has, strlen(of->has));
	assert_true(tw_read_text(text, sizeof(text), path));
	assert_string_equal(text, of->text);
	assert_int_equal(tw_read_number(&number, path),
			 of->number != NO_NUMBER);
	if (of->number != NO_NUMBER)
		assert_int_equal(number, of->number);
	assert_int_equal(tw_cpus_read(&cpus, path), of->cpus != NO_CPUS);
	if (of->cpus == NO_CPUS)
		return;
	for (i = 0; i < 64; i++)
		mask |= (uint64_t)!!CPU_ISSET(i, &cpus) << i;
	assert_true(mask == of->cpus);
	assert_int_equal(CPU_COUNT(&cpus), of->count);
}

/* N is the last CPU that there may be; all begins at 0. */
TEST(last_cpu)
{
	cpu_set_t possible, cpus, same;
	char list[32];
	int last = CPU_SETSIZE - 1;

	if (!tw_cpus_read(&possible, "/sys/devices/system/cpu/possible")) {
		print_message("no list of CPUs in /sys\n");
		skip();
	}
	while (!CPU_ISSET(last, &possible))
		last--;
	snprintf(list, sizeof(list), "0-%d", last);
	assert_true(tw_cpus_parse(&cpus, list));
	assert_true(tw_cpus_parse(&same, "all"));
	assert_true(CPU_EQUAL(&cpus, &same));
	assert_true(tw_cpus_parse(&same, "0-N"));
	assert_true(CPU_EQUAL(&cpus, &same));
	assert_true(tw_cpus_parse(&same, "N"));
	assert_int_equal(CPU_COUNT(&same), 1);
	assert_true(CPU_ISSET(last, &same));
	assert_true(tw_cpus_parse(&same, "all:1/1,N"));
	assert_true(CPU_EQUAL(&cpus, &same));
}

TEST(all_of_a_file)
{
	static char long_text[100001];
	char bytes[10], *all;

	memset(long_text, 'x', sizeof(long_text) - 1);
	put(long_text, sizeof(long_text) - 1);
	all = tw_read_all(path);
	assert_non_null(all);
	assert_string_equal(all, long_text);
	free(all);
	assert_int_equal(tw_read_bytes(bytes, sizeof(bytes), path),
			 sizeof(bytes));
}

TEST(none_at_all)
{
	char text[8];
	int64_t number;
	cpu_set_t cpus;

	assert_null(tw_read_all("/"));
	assert_int_equal(tw_read_bytes(text, sizeof(text), "/"), -1);
	assert_false(tw_read_text(text, sizeof(text), "/nowhere/x"));
	assert_false(tw_read_number(&number, "/nowhere/x"));
	assert_false(tw_cpus_read(&cpus, "/nowhere/x"));
}
