// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The beginning of the JSON. The system's answers are replaced here, so that
 * the machine does not decide what is tested.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "child.h"
#include "tw_json.h"
#include "tw_part.h"
#include "tw_text.h"

/* Where open() finds /sys/kernel/realtime; NULL: nowhere. */
static const char *realtime_path;

int open(const char *path, int flags, ...)
{
	assert_string_equal(path, "/sys/kernel/realtime");
	return openat(AT_FDCWD, realtime_path ? realtime_path : "/nowhere",
		      flags);
}

static time_t now;

time_t time(time_t *t)
{
	if (t)
		*t = now;
	return now;
}

int uname(struct utsname *uts)
{
	strcpy(uts->sysname, "Linux");
	strcpy(uts->nodename, "a\"b\\c\td");
	strcpy(uts->release, "6.1.0-rt");
	strcpy(uts->version, "#1 SMP");
	strcpy(uts->machine, "s390x");
	return 0;
}

static char test_path[] = "/tmp/test_core_json.XXXXXX";
static int test_fd;

BEFORE_EACH
{
	strcpy(strrchr(test_path, '.'), ".XXXXXX");
	test_fd = mkstemp(test_path);
	assert_true(test_fd >= 0);
}

AFTER_EACH
{
	realtime_path = NULL;
	close(test_fd);
	unlink(test_path);
}

/* 1 s before 2026 begins in Greenwich, and a minute later; @words: to NULL. */
static void write_json(char *words[], int status)
{
	char *options[] = { "test", "--json=-", NULL };
	struct tw_run run = { .argv = words };

	setenv("TZ", "TST-5:30", 1);
	tzset();
	tw_option_parse_all(2, options);
	now = 1767225599;
	tw_part_json.check(&run);
	now += 60;
	if (tw_json_write_checked(&run, status))
		_exit(98);
}

static int status;

static void json_of_words(void)
{
	char *words[] = { "tool", "-l", "5", "a\"\xc3\xa9\xff\nb", "", NULL };

	write_json(words, status);
}

static const char *expected(int realtime)
{
	static char text[OUTPUT_BYTES];

	snprintf(text, sizeof(text),
		 "{\n"
		 "  \"file_version\": 1,\n"
		 "  \"cmdline:\": \"tool -l 5 "
		 "a\\\"\xc3\xa9\\ufffd\\u000ab \",\n"
		 "  \"rt_test_version:\": \"%1.2f\",\n"
		 "  \"start_time\": \"Thu, 01 Jan 2026 05:29:59 +0530\",\n"
		 "  \"end_time\": \"Thu, 01 Jan 2026 05:30:59 +0530\",\n"
		 "  \"return_code\": %d,\n"
		 "  \"sysinfo\": {\n"
		 "    \"sysname\": \"Linux\",\n"
		 "    \"nodename\": \"a\\\"b\\\\c\\u0009d\",\n"
		 "    \"release\": \"6.1.0-rt\",\n"
		 "    \"version\": \"#1 SMP\",\n"
		 "    \"machine\": \"s390x\",\n"
		 "    \"realtime\": %d\n"
		 "  },\n"
		 "  \"num_threads\": 0,\n"
		 "  \"resolution_in_ns\": 0,\n"
		 "  \"thread\": {},\n"
		 "  \"twoway\": {\n"
		 "    \"schema\": 3,\n"
		 "    \"version\": \"%1.2f\",\n"
		 "    \"argv\": [\"tool\", \"-l\", \"5\", "
		 "\"a\\\"\xc3\xa9\\ufffd\\u000ab\", \"\"],\n"
		 "    \"settings\": {\n",
		 VERSION, status, realtime, VERSION);
	return text;
}

static void assert_json(int realtime)
{
	static const char end[] = "\n    },\n    \"system\": {\n"
				  "      \"findings\": []\n    }\n  }\n}\n";
	struct outcome o = run(json_of_words);

	const char *begin = expected(realtime);

	assert_memory_equal(o.out, begin, strlen(begin));
	assert_string_equal(o.out + strlen(o.out) - strlen(end), end);
	assert_string_equal(o.err, "");
	assert_int_equal(o.exit_code, RETURNED);
}

TEST(test_json)
{
	status = 0;
	assert_json(0);
	status = 2;
	assert_json(0);
}

static void assert_realtime(const char *file, int realtime)
{
	assert_int_equal(ftruncate(test_fd, 0), 0);
	assert_int_equal(pwrite(test_fd, file, strlen(file), 0), strlen(file));
	realtime_path = test_path;
	assert_json(realtime);
}

TEST(test_json_realtime)
{
	assert_realtime("1\n", 1);
	assert_realtime("0\n", 0);
	assert_realtime("", 0);
}

/* Argument 1 has long_bytes bytes; an argument of 1 byte follows. */
static size_t long_bytes;

static void json_of_long_command(void)
{
	char *words[] = { "tool", calloc(1, long_bytes + 1), "z", NULL };

	memset(words[1], 'y', long_bytes);
	write_json(words, 0);
	free(words[1]);
}

static void json_of_no_command(void)
{
	char *words[] = { NULL };

	write_json(words, 0);
}

/* The command line in what @fn writes has @bytes bytes and ends in @end. */
static void assert_command(void (*fn)(void), size_t bytes, const char *end)
{
	static const char key[] = "  \"cmdline:\": \"";
	struct outcome o = run(fn);
	char *text = strstr(o.out, key), *quote;

	assert_non_null(text);
	text += strlen(key);
	quote = strchr(text, '"');
	assert_non_null(quote);
	assert_int_equal(quote - text, bytes);
	assert_memory_equal(quote - strlen(end), end, strlen(end));
}

TEST(test_command_is_cut)
{
	/* "tool y...y z" is of 7 bytes more than the argument. */
	long_bytes = 10;
	assert_command(json_of_long_command, 17, "y z");
	long_bytes = 4096 - 7;
	assert_command(json_of_long_command, 4096, "y z");
	long_bytes = 4096 - 6;
	assert_command(json_of_long_command, 4095, "yy");
	long_bytes = 4096 - 5;
	assert_command(json_of_long_command, 4096, "yy");
	long_bytes = 4096 - 4;
	assert_command(json_of_long_command, 4, "tool");
	assert_command(json_of_no_command, 0, "");
}
