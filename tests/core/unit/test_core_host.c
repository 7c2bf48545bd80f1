// SPDX-License-Identifier: GPL-2.0-or-later
/* What the user says of another host, and what that host says. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tw_await.h"
#include "tw_config.h"
#include "tw_cycle.h"
#include "tw_lines.h"
#include "tw_metric.h"
#include "tw_option.h"
#include "tw_part.h"
#include "tw_reach.h"
#include "tw_time.h"
#include "unit.h"

#define DIGITS_20	"12345678901234567890"

static char longest[TW_REACH_NAME], too_long[TW_REACH_NAME + 1];

AT_START(make_names)
{
	memset(longest, 'a', sizeof(longest) - 1);
	memset(too_long, 'a', sizeof(too_long) - 1);
}

static const struct host {
	const char *text, *name;
	int port;
} hosts[] = {
	{ "a", "a", 0 }, { "a-b.c_9", "a-b.c_9", 0 }, { "u@h", "u@h", 0 },
	{ "a:1", "a", 1 }, { "Z:65535", "Z", 65535 }, { "a:000080", "a", 80 },
	{ "::1", "::1", 0 }, { "[::1]", "::1", 0 }, { "[::1]:9", "::1", 9 },
	{ "fe80::1%eth0", "fe80::1%eth0", 0 }, { "[a]", "a", 0 },
	{ longest, longest, 0 },
};

TEST_EACH(host, hosts)
{
	struct tw_host host = { .port = -1 };

	assert_true(tw_reach_parse(of->text, &host));
	assert_string_equal(host.name, of->name);
	assert_int_equal(host.port, of->port);
}

static const char *const no_hosts[] = {
	too_long, "", ":1", "[]", "-a", "[-a]", "a b", "a/b", "a:", "a:0",
	"a:65536", "a:1x", "a:+1", "a:-1", "a: 1", "a:4294967376",
	"a:18446744073709551696", "[::1",
	"[::1]9", "[::1]:", "[::1]:9]", "[::1]x:9",
};

TEST_EACH(no_host, no_hosts)
{
	struct tw_host host;

	assert_false(tw_reach_parse(*of, &host));
}

static const struct whole {
	const char *text;
	int64_t min, max;
	bool is;
	int64_t number;
} wholes[] = {
	{ "0", 0, 9, true, 0 }, { "9", 0, 9, true, 9 }, { "10", 0, 9, false, 0 },
	{ "-1", -1, 9, true, -1 }, { "-2", -1, 9, false, 0 },
	{ "-1", 0, 9, false, 0 }, { "0008", 0, 9, true, 8 },
	{ "-0", 0, 9, true, 0 }, { "", 0, 9, false, 0 }, { "-", -9, 9, false, 0 },
	{ "+1", 0, 9, false, 0 }, { " 1", 0, 9, false, 0 },
	{ "1 ", 0, 9, false, 0 }, { "1x", 0, 9, false, 0 },
	{ "0x1", 0, 9, false, 0 }, { "--1", -9, 9, false, 0 },
	{ "1-", 0, 9, false, 0 }, { "4294967297", 0, 9, false, 0 },
	{ "9223372036854775807", 0, INT64_MAX, true, INT64_MAX },
	{ "9223372036854775808", 0, INT64_MAX, false, 0 },
	{ "-9223372036854775809", INT64_MIN, 0, false, 0 },
};

TEST_EACH(whole, wholes)
{
	int64_t number = 0;

	assert_int_equal(tw_option_whole(of->text, of->min, of->max, &number),
			 of->is);
	assert_int_equal(number, of->number);
}

/* Each is one line of an object. */
static const struct value {
	const char *text;
	bool is;
} values[] = {
	{ "1", true }, { "0,", false }, { "-5", true }, { "1.50", true },
	{ "10", true }, { DIGITS_20, true }, { DIGITS_20 "1", false },
	{ "0." DIGITS_20, true }, { "0." DIGITS_20 "1", false },
	{ "01", false }, { "-", false }, { "-0.0", true }, { "-00", false },
	{ "1.", false }, { ".5", false }, { "+1", false }, { "", false },
	{ " 1", false }, { "1 ", false }, { "1e5", false }, { "1, 2", false },
	{ "true", true }, { "false", true }, { "null", true }, { "tru", false },
	{ "nulls", false }, { "\"a\"", true }, { "\"a\"b", false },
	{ "\"\"", true }, { "\"a", false }, { "\"", false }, { "a", false },
	{ "\"\\\"\"", true }, { "\"\\\\\"", true }, { "\"\\\\\\\"", false },
	{ "\"\\n\"", false }, { "\"\\u00ff\"", true }, { "\"\\u00f\"", false },
	{ "\"\\u00fg\"", false }, { "\"\\", false }, { "\"a\", \"b\"", false },
	{ "[]", false }, { "{}", false }, { "]", false },
};

TEST_EACH(value, values)
{
	char made[100] = "", line[100], expected[100];
	struct tw_lines_json json = {
		.file = fmemopen(made, sizeof(made), "w")
	};

	assert_true(tw_lines_read_json(&json, "all {"));
	snprintf(line, sizeof(line), "a %s", of->text);
	assert_int_equal(tw_lines_read_json(&json, line), of->is);
	assert_int_equal(json.level, 1);
	assert_true(tw_lines_read_json(&json, "b-2.c_ 2"));
	assert_true(tw_lines_read_json(&json, "}"));
	assert_int_equal(json.level, 0);
	fclose(json.file);
	snprintf(expected, sizeof(expected), "{%s%s%s \"b-2.c_\": 2 }",
		 of->is ? " \"a\": " : "", of->is ? of->text : "",
		 of->is ? "," : "");
	assert_string_equal(made, expected);
}

/* Of lines that are all good but for the last one. */
static const struct made {
	const char *lines, *json;
	bool good;
	int level;
} makings[] = {
	{ "a {\n}", "{ }", true, 0 }, { "a [\n]", "[ ]", true, 0 },
	{ "- {\na 1\nb [\n- 2\n- \"c\"\n]\ne {\n}\n}",
	  "{ \"a\": 1, \"b\": [ 2, \"c\" ], \"e\": { } }", true, 0 },
	{ "a [\nb 1\n- {\n- 2\n}\n- [\n]\n]",
	  "[ 1, { \"-\": 2 }, [ ] ]", true, 0 },
	{ "1", "", false, 0 }, { "a 1", "", false, 0 }, { "}", "", false, 0 },
	{ "", "", false, 0 }, { " {", "", false, 0 }, { "a  {", "", false, 0 },
	{ "a {\n]", "{", false, 1 }, { "a [\n}", "[", false, 1 },
	{ "a {\n} ", "{", false, 1 }, { "a {\nb\" 1", "{", false, 1 },
	{ "a {\n{", "{", false, 1 }, { "a {\nb {\n}\n]", "{ \"b\": { }",
					false, 1 },
};

TEST_EACH(made, makings)
{
	char made[100] = "", *lines = strdup(of->lines), *rest = lines, *line;
	struct tw_lines_json json = {
		.file = fmemopen(made, sizeof(made), "w")
	};

	while ((line = strsep(&rest, "\n")))
		assert_int_equal(tw_lines_read_json(&json, line),
				 rest || of->good);
	assert_int_equal(json.level, of->level);
	fclose(json.file);
	assert_string_equal(made, of->json);
	free(lines);
}

/* Not one level more. */
TEST(levels)
{
	struct tw_lines_json json = { .file = fopen("/dev/null", "w") };
	int i;

	for (i = 0; i < TW_LINES_LEVELS; i++)
		assert_true(tw_lines_read_json(&json, "a ["));
	assert_false(tw_lines_read_json(&json, "a ["));
	assert_true(tw_lines_read_json(&json, "- 1"));
	fclose(json.file);
}

/* As the program writes it, and what becomes of it. */
TEST(json_as_lines)
{
	static const char json[] = "  \"all\": {\n    \"a-1\": [],\n    \"b\": "
		"{ \"c\": -1.50, \"d\": [1, true,\n  \"x, ]\\\"}\\\\\"]"
		"},\"e\": null,\"f\":\"\", \"g: \": {}\n  }\n";
	char text[300] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");

	tw_lines_write_json(file, "= ", json);
	fclose(file);
	assert_string_equal(text, "= all {\n= a-1 [\n= ]\n= b {\n= c -1.50\n"
			    "= d [\n= - 1\n= - true\n= - \"x, ]\\\"}\\\\\"\n"
			    "= ]\n= }\n= e null\n= f \"\"\n= g:  {\n= }\n= }\n");
}

static const struct word {
	const char *word, *text;
} words[] = {
	{ "", "" }, { "--a=b", "--a=b" }, { "a b%", "a%20b%25" },
	{ "~!\"\\", "~!\"\\" }, { "\n\x7f\xff\x01", "%0a%7f%ff%01" },
	{ "%41", "%2541" },
};

TEST_EACH(word, words)
{
	char text[40] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");

	tw_lines_write_word(file, of->word);
	fclose(file);
	assert_string_equal(text, of->text);
	tw_lines_read_word(text);
	assert_string_equal(text, of->word);
}

/* That are not written so. */
static const struct word others[] = {
	{ "%", "%" }, { "%4", "%4" }, { "%g1", "%g1" }, { "% 1", "% 1" },
	{ "%0x1", "%0x1" }, { "A%", "%41%" }, { "ab", "a%62" }, { "J", "%4A" },
	{ "a", "a%00b" },
};

TEST_EACH(other_word, others)
{
	char text[40];

	strcpy(text, of->text);
	tw_lines_read_word(text);
	assert_string_equal(text, of->word);
}

static const struct array {
	const char *text;
	int64_t max;
	int count, found;
	int64_t last;
} arrays[] = {
	{ " 1 -2 3", 3, 4, 3, 3 }, { " 1 2 3", 3, 2, 2, 2 },
	{ " 5 6", 5, 2, 1, 5 }, { " -5 -6", 5, 2, 1, -5 },
	{ " 7", 5, 2, 0, 0 }, { " ", 5, 2, 0, 0 }, { "", 5, 2, 0, 0 },
	{ "1 2", 5, 2, 0, 0 }, { " 1,2", 5, 2, 1, 1 }, { " 1 x", 5, 2, 1, 1 },
	{ " 1x 2", 5, 2, 1, 1 },
	{ " 9223372036854775807 1", INT64_MAX, 2, 2, 1 },
	{ " 1 9223372036854775808", INT64_MAX, 2, 1, 1 },
};

TEST_EACH(array, arrays)
{
	int64_t to[5] = { 0 };
	int found = tw_lines_numbers(of->text, of->max, to, of->count);

	assert_int_equal(found, of->found);
	if (found)
		assert_int_equal(to[found - 1], of->last);
	assert_int_equal(to[4], 0);
}

static struct tw_lines lines;
static int out, other[2];

BEFORE_EACH
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	assert_int_equal(pipe2(other, O_NONBLOCK), 0);
	lines = (struct tw_lines) { .fd = fds[0], .max = 8 };
	out = fds[1];
}

AFTER_EACH
{
	close(lines.fd);
	close(out);
	close(other[0]);
	close(other[1]);
	free(lines.text);
}

static const char *next(void)
{
	return tw_lines_await(&lines, -1, 0);
}

TEST(lines_in_pieces)
{
	assert_null(next());
	assert_int_equal(tw_lines_send(out, "ab", 2), 0);
	assert_null(next());
	assert_int_equal(tw_lines_send(out, "\n\ncd\n", 5), 0);
	assert_string_equal(next(), "ab");
	assert_string_equal(next(), "");
	assert_string_equal(next(), "cd");
	assert_null(next());
	assert_false(lines.ended);
	assert_int_equal(tw_lines_send(out, "\t~\x7f \x1f\xe4\n", 7), 0);
	assert_string_equal(next(), "?~? ??");
	/* What has no end is no line. */
	assert_int_equal(tw_lines_send(out, "x", 1), 0);
	close(out);
	assert_null(next());
	assert_true(lines.ended);
	assert_false(lines.too_long);
}

/* With its end, it may have max bytes. */
TEST(lines_too_long)
{
	assert_int_equal(tw_lines_send(out, "1234567\n", 8), 0);
	assert_string_equal(next(), "1234567");
	assert_int_equal(tw_lines_send(out, "12345678\n", 9), 0);
	assert_null(next());
	assert_true(lines.too_long && lines.ended);
}

TEST(lines_are_awaited)
{
	int64_t begin_ns = tw_await_in_ms(0);

	assert_null(tw_lines_await(&lines, other[0], tw_await_in_ms(3)));
	assert_true(tw_await_in_ms(0) - begin_ns >= 3 * TW_NS_PER_MS);
	assert_int_equal(tw_await(lines.fd, POLLIN, other[0],
				  tw_await_in_ms(3)), -ETIMEDOUT);
	assert_int_equal(tw_await(out, POLLOUT, other[0], INT64_MAX), 0);
	assert_int_equal(write(other[1], "x", 1), 1);
	assert_int_equal(tw_await(out, POLLOUT, other[0], INT64_MAX), -EINTR);
	assert_null(tw_lines_await(&lines, other[0], INT64_MAX));
	/* One that is in memory is not waited for. */
	assert_int_equal(tw_lines_send(out, "a\nb\n", 4), 0);
	assert_string_equal(next(), "a");
	assert_string_equal(tw_lines_await(&lines, other[0], 0), "b");
}

/* It is told, and does not wait until the time is over. */
TEST(nobody_reads)
{
	signal(SIGPIPE, SIG_IGN);
	close(lines.fd);
	assert_int_equal(tw_lines_send(out, "x", 1), -EPIPE);
	lines.fd = dup(out);
	assert_null(next());
	assert_true(lines.ended);
}

/* More than a pipe has room for: it waits until there is some. */
TEST(somebody_reads)
{
	static char text[1 << 18];
	int status, left = sizeof(text);
	pid_t pid = fork();
	ssize_t got;

	if (!pid) {
		while (left && !tw_await(lines.fd, POLLIN, -1, INT64_MAX)) {
			got = read(lines.fd, text, sizeof(text));
			left -= got > 0 ? (int)got : 0;
		}
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(tw_lines_send(out, text, sizeof(text)), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* As struct room of tw_oneway.c. */
struct oneway {
	uint64_t cycles, proven;
	int64_t uncertainty_ns, lower_ns, upper_ns;
	int count;
};

#define WINDOW	64

/* Of a window, the values of one cycle and those of all others. */
static const struct window {
	const char *name;
	int64_t send_ns, receive_ns, of_one[2];
	bool proven;
	int64_t uncertainty_ns;
} windows[] = {
	{ "as usual", 30, 20, { 40, 50 }, true, 30 },
	{ "the shortest send", 30, 20, { 25, 90 }, true, 25 },
	{ "the shortest reply", 30, 20, { 90, 5 }, true, 30 },
	{ "the reply is longer", 30, 70, { 90, 90 }, true, 70 },
	{ "at once", 30, 20, { 0, 0 }, true, 0 },
	{ "read before it was sent", 30, 20, { -1, 90 }, false, 0 },
	{ "the reply, too", 30, 20, { 90, -1 }, false, 0 },
};

TEST_EACH(oneway, windows)
{
	struct oneway room = { .count = 0 };
	int64_t values_ns[TW_METRICS] = { 0 };
	struct tw_cycle cycle = { .seq = 1 };
	int i, round;

	for (round = 0; round < 2; round++)
		for (i = 0; i < WINDOW; i++) {
			assert_int_equal(room.cycles, WINDOW * round);
			values_ns[TW_SEND] = i == 9 ? of->of_one[0] :
					     of->send_ns;
			values_ns[TW_RECEIVE] = i == 9 ? of->of_one[1] :
						of->receive_ns;
			assert_false(tw_part_oneway.record(&room, &cycle,
							   values_ns));
		}
	assert_int_equal(room.cycles, 2 * WINDOW);
	assert_int_equal(room.proven, of->proven ? 2 * WINDOW : 0);
	assert_int_equal(room.uncertainty_ns, of->uncertainty_ns);
	/* The largest of all stays. */
	values_ns[TW_SEND] = values_ns[TW_RECEIVE] = 1;
	for (i = 0; i < WINDOW; i++)
		tw_part_oneway.record(&room, &cycle, values_ns);
	assert_int_equal(room.uncertainty_ns, of->proven &&
			 of->uncertainty_ns ? of->uncertainty_ns : 1);
}

TEST(room_of_oneway)
{
	assert_int_equal(tw_part_oneway.room(NULL), 0);
	*(const char **)tw_part_oneway.options[0].to = "sync";
	assert_int_equal(tw_part_oneway.room(NULL), 0);
	tw_settings.absent[TW_SERVER] = true;
	assert_int_equal(tw_part_oneway.room(NULL), sizeof(struct oneway));
}
