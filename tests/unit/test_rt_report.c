// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What rt-utils writes: the JSON report.
 *
 * The system's answers are replaced here, so that the machine does not
 * decide what is tested.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "child.h"
#include "rt-utils.h"

/* Where fopen() finds /sys/kernel/realtime; NULL: nowhere. */
static const char *realtime_path;

FILE *fopen(const char *path, const char *mode)
{
	int fd;

	assert_string_equal(path, "/sys/kernel/realtime");
	fd = openat(AT_FDCWD, realtime_path ? realtime_path : "/nowhere",
		    O_RDONLY | O_CLOEXEC);
	return fd < 0 ? NULL : fdopen(fd, mode);
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

static char test_path[] = "/tmp/test_rt_report.XXXXXX";
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

static int answer = 42;

static void add_members(FILE *f, void *data)
{
	fprintf(f, "  \"answer\": %d\n", *(int *)data);
}

/* 1 s before 2026 begins in Greenwich, and a minute later. */
static void init_and_wait(void)
{
	char *argv[] = { "tool", "-l", "5", "a\"\xc3\xa9\xff\nb", "", NULL };

	setenv("TZ", "TST-5:30", 1);
	tzset();
	now = 1767225599;
	rt_init(ARRAY_SIZE(argv) - 1, argv);
	now += 60;
}

static void json_alone(void)
{
	init_and_wait();
	rt_write_json(stdout, 0, NULL, NULL);
}

static void json_with_members(void)
{
	init_and_wait();
	rt_write_json(stdout, -2, add_members, &answer);
}

/* The whole report; @rest begins with the end of sysinfo. */
static const char *report(int return_code, int realtime, const char *rest)
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
		 "  }%s}\n", (double)VERSION, return_code, realtime, rest);
	return text;
}

TEST(test_json)
{
	struct outcome o = run(json_alone);

	assert_string_equal(o.out, report(0, 0, "\n"));
	assert_string_equal(o.err, "");
	assert_int_equal(o.exit_code, RETURNED);

	o = run(json_with_members);
	assert_string_equal(o.out, report(-2, 0, ",\n  \"answer\": 42\n"));
	assert_string_equal(o.err, "");
	assert_int_equal(o.exit_code, RETURNED);
}

static void assert_realtime(const char *file, int realtime)
{
	struct outcome o;

	assert_int_equal(ftruncate(test_fd, 0), 0);
	assert_int_equal(pwrite(test_fd, file, strlen(file), 0), strlen(file));
	realtime_path = test_path;
	o = run(json_alone);
	assert_string_equal(o.out, report(0, realtime, "\n"));
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
	char *argv[] = { "tool", calloc(1, long_bytes + 1), "z" };

	memset(argv[1], 'y', long_bytes);
	rt_init(ARRAY_SIZE(argv), argv);
	free(argv[1]);
	rt_write_json(stdout, 0, NULL, NULL);
}

static void json_of_no_command(void)
{
	init_and_wait();
	rt_init(0, NULL);	/* the last call counts */
	rt_write_json(stdout, 0, NULL, NULL);
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
