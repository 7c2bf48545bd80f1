// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that may hold anything. */
#include <errno.h>
#include <sys/syscall.h>

#include "tree.h"
#include "base/tw_cpus.h"
#include "base/tw_kfile.h"

/* The next read is interrupted; each gives one byte at most. */
static bool interrupted, slow;

ssize_t read(int fd, void *buf, size_t size)
{
	if (interrupted) {
		interrupted = false;
		errno = EINTR;
		return -1;
	}
	return syscall(SYS_read, fd, buf, slow && size ? 1 : size);
}

static void test_lists(void **state)
{
	static const struct {
		const char *text;
		int last;
		const char *want;	/* NULL: refused */
	} rows[] = {
		{ "", 9, "" }, { "(null)", 9, "" }, { "0", 9, "0" },
		{ "0-2,5", 9, "0 1 2 5" }, { "5,0-2", 9, "0 1 2 5" },
		{ "1, 3", 9, "1 3" }, { "1,,3,", 9, "1 3" },
		{ "all", 3, "0 1 2 3" }, { "N", 3, "3" }, { "2-N", 4, "2 3 4" },
		{ "all,0", 1, "0 1" }, { "0-7:1/2", 9, "0 2 4 6" },
		{ "1-8:2/3", 9, "1 2 4 5 7 8" }, { "3-3", 9, "3" },
		{ "0-3:2/2", 9, "0 1 2 3" }, { "0 2\t4", 9, "0 2 4" },
		{ "8-12", 9, "8 9" }, { "12", 9, "" },
		{ "0-99999999999999999999", 2, "0 1 2" },
		{ "99999999999999999999", 9, "" },
		{ "0-18446744073709551615", 1, "0 1" },
		{ "0-", 9, NULL }, { "-1", 9, NULL }, { "5-3", 9, NULL },
		{ "x", 9, NULL }, { "1x", 9, NULL }, { "1-2-3", 9, NULL },
		{ "0-7:1", 9, NULL }, { "0-7:1/", 9, NULL },
		{ "0-7:0/2", 9, NULL }, { "0-7:3/2", 9, NULL },
		{ "0-7:1/0", 9, NULL }, { "allx", 9, NULL },
		{ "0x1", 9, NULL }, { "1;2", 9, NULL }, { "?", 9, NULL },
	};
	struct tw_cpus cpus = { .known = true };
	size_t i;
	int err;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		err = tw_cpus_parse(rows[i].text, rows[i].last, &cpus.set);
		if (err != (rows[i].want ? 0 : -EINVAL))
			fail_msg("\"%s\": %d", rows[i].text, err);
		if (rows[i].want)
			assert_string_equal(listed(&cpus), rows[i].want);
	}
	/* The most that there can be. */
	assert_int_equal(tw_cpus_parse("0-N", CPU_SETSIZE - 1, &cpus.set),
			 0);
	assert_int_equal(CPU_COUNT(&cpus.set), CPU_SETSIZE);
}

static void test_text(void **state)
{
	static const struct {
		const char *file, *want;
	} rows[] = {
		{ "", "" }, { "\n", "" }, { "word", "word" },
		{ "two words\n", "two words" }, { "  both \t ends  \n", "both   ends" },
		{ "first\nsecond\n", "first" }, { "\n\nlate\n", "" },
		{ "\033[31mred\n", "?[31mred" }, { "\xc3\xa4\x80\xff", "????" },
		{ "long0123456789abcdef\n", "long0123456789a" },
	};
	char text[16];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tree_add("/sys/file", rows[i].file);
		assert_true(tw_kfile_text(tree_root, text, sizeof(text),
					    "/%s/file", "sys"));
		assert_string_equal(text, rows[i].want);
	}
	tree_bytes("/sys/file", "a\0b\0\0", 5);
	assert_true(tw_kfile_text(tree_root, text, sizeof(text),
				    "/sys/file"));
	assert_string_equal(text, "a?b");
}

static void test_no_file(void **state)
{
	char text[16] = "kept", path[PATH_MAX + 10];
	cpu_set_t cpus = one_cpu(7);
	int64_t number = 77;

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	tree_add("/sys/dir/file", "1\n");
	assert_false(tw_kfile_text(tree_root, text, sizeof(text), "/none"));
	assert_false(tw_kfile_text(tree_root, text, sizeof(text),
				     "/sys/dir"));
	assert_false(tw_kfile_text(tree_root, text, sizeof(text), "/%s",
				     path));
	assert_string_equal(text, "kept");
	assert_false(tw_kfile_number(tree_root, &number, "/none"));
	assert_int_equal(number, 77);
	assert_false(tw_cpus_read(tree_root, 9, &cpus, "/none"));
	assert_true(CPU_ISSET(7, &cpus));
	assert_null(tw_kfile_load(tree_root, "/none"));
	assert_null(tw_kfile_load(tree_root, "/sys/dir"));
	assert_int_equal(tw_kfile_bytes(tree_root, text, 4, "/none"),
			 -ENOENT);
	/* Cut, it would name the root itself. */
	memset(path, '/', sizeof(path) - 1);
	assert_int_equal(tw_kfile_bytes(tree_root, text, 4, path),
			 -ENAMETOOLONG);
}

static void test_pieces(void **state)
{
	int64_t number = 0;
	char *text;

	(void)state;
	tree_add("/file", "123\n");
	slow = true;
	assert_true(tw_kfile_number(tree_root, &number, "/file"));
	text = tw_kfile_load(tree_root, "/file");
	slow = false;
	assert_int_equal(number, 123);
	assert_string_equal(text, "123\n");
	free(text);
	interrupted = true;
	assert_true(tw_kfile_number(tree_root, &number, "/file"));
	assert_false(interrupted);
}

/* A pipe that nobody writes to is as empty as a file; SIGALRM ends a wait. */
static void test_pipe(void **state)
{
	char text[16], path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/pipe", tree_root);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(20);
	assert_true(tw_kfile_text(tree_root, text, sizeof(text), "/pipe"));
	alarm(0);
	assert_string_equal(text, "");
}

/* Longer than any line that is read. */
static void test_long_text(void **state)
{
	char bytes[5000], text[6000];

	(void)state;
	memset(bytes, 'b', sizeof(bytes));
	tree_bytes("/file", bytes, sizeof(bytes));
	assert_true(tw_kfile_text(tree_root, text, sizeof(text), "/file"));
	assert_int_equal(strlen(text), 4095);
}

static void test_numbers(void **state)
{
	static const struct {
		const char *file;
		bool good;
		int64_t want;
	} rows[] = {
		{ "0\n", true, 0 }, { "-1\n", true, -1 }, { " 42 ", true, 42 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "9223372036854775808", false, 0 }, { "", false, 0 },
		{ "\n", false, 0 }, { "1x\n", false, 0 }, { "0x10", false, 0 },
		{ "1 2\n", false, 0 }, { "none\n", false, 0 },
	};
	int64_t number;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		number = 77;
		tree_add("/file", rows[i].file);
		if (tw_kfile_number(tree_root, &number, "/file") !=
		    rows[i].good)
			fail_msg("\"%s\"", rows[i].file);
		assert_int_equal(number, rows[i].good ? rows[i].want : 77);
	}
}

static void test_bad_list_changes_nothing(void **state)
{
	cpu_set_t cpus = one_cpu(7);

	(void)state;
	tree_add("/file", "1,3,5-3\n");
	assert_false(tw_cpus_read(tree_root, 9, &cpus, "/file"));
	assert_int_equal(CPU_COUNT(&cpus), 1);
	tree_add("/file", "1,3\n");
	assert_true(tw_cpus_read(tree_root, 9, &cpus, "/file"));
	assert_int_equal(CPU_COUNT(&cpus), 2);
}

/* As long as lists become, and only as far as CPUs may go. */
static void test_list_of_a_file(void **state)
{
	char text[4096];
	cpu_set_t cpus;
	size_t used = 0;
	int cpu;

	(void)state;
	for (cpu = 1; cpu < CPU_SETSIZE; cpu += 2)
		used += snprintf(text + used, sizeof(text) - used, "%s%d",
				 used ? "," : "", cpu);
	tree_add("/file", text);
	assert_true(tw_cpus_read(tree_root, CPU_SETSIZE - 1, &cpus,
				 "/file"));
	assert_int_equal(CPU_COUNT(&cpus), CPU_SETSIZE / 2);
	assert_true(tw_cpus_read(tree_root, 7, &cpus, "/file"));
	assert_int_equal(CPU_COUNT(&cpus), 4);
	assert_true(CPU_ISSET(7, &cpus));
}

/* Of each size round those of the buffer, and more than is ever read. */
static void test_load(void **state)
{
	static const size_t sizes[] = {
		0, 1, 16383, 16384, 16385, 32768, 100000, TW_FILE_MAX + 5000000,
	};
	char *text, *bytes = malloc(TW_FILE_MAX + 5000000);
	size_t i;

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 'b', TW_FILE_MAX + 5000000);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		tree_bytes("/file", bytes, sizes[i]);
		text = tw_kfile_load(tree_root, "/file");
		assert_non_null(text);
		if (sizes[i] <= TW_FILE_MAX)
			assert_int_equal(strlen(text), sizes[i]);
		else
			assert_int_equal(strlen(text), TW_FILE_MAX);
		free(text);
	}
	free(bytes);
	tree_bytes("/file", "a\0b\0", 4);
	text = tw_kfile_load(tree_root, "/file");
	assert_string_equal(text, "a?b?");
	free(text);
}

/* Each of many facts is read from a file of its own. */
static void test_no_descriptor_is_left(void **state)
{
	int64_t number;
	cpu_set_t cpus;
	char text[16];
	int before, after;

	(void)state;
	tree_add("/file", "1\n");
	before = dup(STDIN_FILENO);
	close(before);
	tw_kfile_text(tree_root, text, sizeof(text), "/file");
	tw_kfile_number(tree_root, &number, "/file");
	tw_kfile_bytes(tree_root, text, sizeof(text), "/file");
	tw_kfile_field(tree_root, &number, "/file", "x");
	tw_kfile_field_text(tree_root, text, sizeof(text), "/file", "x");
	tw_kfile_stat(tree_root, &number, 1, 4);
	tw_cpus_read(tree_root, 9, &cpus, "/file");
	free(tw_kfile_load(tree_root, "/file"));
	tw_kfile_load(tree_root, "/");
	after = dup(STDIN_FILENO);
	close(after);
	assert_int_equal(after, before);
}

static void test_field(void **state)
{
	static const struct {
		const char *file;
		bool found;
		int64_t want;
	} rows[] = {
		{ "", false, 0 }, { "A: 5\n", true, 5 }, { "A:\t5 kB", true, 5 },
		{ "AB: 3\nB: 4\n A: 1\nA: 9 kB\nA: 2\n", true, 9 },
		{ "A 5\nAA: 5\nBA: 5\n", false, 0 }, { "A: x\n", false, 0 },
		{ "A:", false, 0 }, { "A: -7\n", true, -7 },
	};
	int64_t number = 0;
	size_t i;

	(void)state;
	assert_false(tw_kfile_field(tree_root, &number, "/none", "A"));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tree_add("/file", rows[i].file);
		if (tw_kfile_field(tree_root, &number, "/file", "A") !=
		    rows[i].found)
			fail_msg("\"%s\"", rows[i].file);
		if (rows[i].found)
			assert_int_equal(number, rows[i].want);
	}
}

static void test_field_text(void **state)
{
	static const struct {
		const char *file, *want;	/* NULL: not there */
	} rows[] = {
		{ "A: word\n", "word" }, { "A:\tR (running) \nB: x\n", "R (running)" },
		{ "A:\nB: x\n", "" }, { "A:", "" }, { "B: A: no\nA:yes", "yes" },
		{ "AA: no\n A: no\nA no\n", NULL }, { "", NULL },
		{ "A: first\nA: second\n", "first" }, { "A: \033[m\n", "?[m" },
		{ "A: long0123456789abcdef\n", "long0123456789a" },
	};
	char text[16];
	bool found;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		strcpy(text, "kept");
		tree_add("/file", rows[i].file);
		found = tw_kfile_field_text(tree_root, text, sizeof(text),
					    "/file", "A");
		assert_int_equal(found, rows[i].want != NULL);
		assert_string_equal(text, found ? rows[i].want : "kept");
	}
	assert_false(tw_kfile_field_text(tree_root, text, sizeof(text),
					 "/none", "A"));
}

/* The name of a process may look like the fields behind it. */
static void test_stat(void **state)
{
	static const struct {
		const char *file;
		bool good;
		int64_t parent, fifth;
	} rows[] = {
		{ "7 (a) S 12 13 14\n", true, 12, 13 },
		{ "7 (a) R 1) S 12 -13 14\n", true, 12, -13 },
		{ "7 (\\n) ) S 12 13\n", true, 12, 13 },
		{ "7 (a) S\n", false, 0, 0 }, { "7 (a)\n", false, 0, 0 },
		{ "7 (a) S x y\n", false, 0, 0 }, { "7 a S 12 13\n", false, 0, 0 },
		{ "", false, 0, 0 },
	};
	int64_t number;
	size_t i;

	(void)state;
	assert_false(tw_kfile_stat(tree_root, &number, 7, 4));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tree_add("/proc/7/stat", rows[i].file);
		number = 77;
		if (tw_kfile_stat(tree_root, &number, 7, 4) != rows[i].good)
			fail_msg("\"%s\"", rows[i].file);
		assert_int_equal(number, rows[i].good ? rows[i].parent : 77);
		if (!rows[i].good)
			continue;
		assert_true(tw_kfile_stat(tree_root, &number, 7, 5));
		assert_int_equal(number, rows[i].fifth);
	}
	assert_false(tw_kfile_stat(tree_root, &number, 7, 60));
	/* Ours, as the kernel writes it. */
	assert_true(tw_kfile_stat("", &number, getpid(), 4));
	assert_int_equal(number, getppid());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		tree_test(test_text),
		tree_test(test_no_file),
		tree_test(test_pieces),
		tree_test(test_pipe),
		tree_test(test_long_text),
		tree_test(test_numbers),
		tree_test(test_bad_list_changes_nothing),
		tree_test(test_list_of_a_file),
		tree_test(test_load),
		tree_test(test_field),
		tree_test(test_field_text),
		tree_test(test_stat),
		tree_test(test_no_descriptor_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
