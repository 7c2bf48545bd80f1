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
#define LEVELS_16	"[[[[[[[[[[[[[[[["
#define ENDS_16		"]]]]]]]]]]]]]]]]"

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

static const struct value {
	const char *text;
	int length;		/* -1: it is none */
} values[] = {
	{ "1", 1 }, { "0,", 1 }, { "-5 ", 2 }, { "1.50]", 4 }, { "10", 2 },
	{ DIGITS_20, 20 }, { DIGITS_20 "1", -1 }, { "0." DIGITS_20, 22 },
	{ "0." DIGITS_20 "1", -1 }, { "01", -1 }, { "-", -1 }, { "-0.0", 4 },
	{ "-00", -1 }, { "1.", -1 }, { ".5", -1 }, { "+1", -1 }, { "", -1 },
	{ "true", 4 }, { "false", 5 }, { "null}", 4 }, { "tru", -1 },
	{ "\"a\"b", 3 }, { "\"\"", 2 }, { "\"a", -1 }, { "\"\\\"\"", 4 },
	{ "\"\\\\\"", 4 }, { "\"\\n\"", -1 }, { "\"\\u00ff\"", 8 },
	{ "\"\\u00f\"", -1 }, { "\"\\u00fg\"", -1 }, { "\"\\", -1 },
	{ "[]", 2 }, { "{}", 2 }, { "[ ]", 3 }, { "{ }x", 3 }, { "[1]", 3 },
	{ "[1, 2 ,3 ]", 10 }, { "[ 1 ]", 5 }, { "[1,]", -1 }, { "[1 2]", -1 },
	{ "[1", -1 }, { "[,1]", -1 }, { "[", -1 }, { "]", -1 }, { "[1}", -1 },
	{ "{\"a\":1}", 7 }, { "{ \"a\" : [ ] , \"b\":{}}", 21 },
	{ "{\"a\" 1}", -1 }, { "{\"a\"}", -1 }, { "{1:1}", -1 },
	{ "{\"a\":}", -1 }, { "{\"a\":1]", -1 }, { "{\"a\":1,}", -1 },
	{ "[\"a\":1]", -1 }, { "{\"a", -1 },
	{ LEVELS_16 LEVELS_16 ENDS_16 ENDS_16, 64 },
	{ LEVELS_16 LEVELS_16 "[]" ENDS_16 ENDS_16, -1 },
	{ LEVELS_16 LEVELS_16 "1" ENDS_16 ENDS_16, 65 },
};

TEST_EACH(value, values)
{
	const char *end = tw_lines_end(of->text);

	assert_int_equal(end ? end - of->text : -1, of->length);
}

static const struct string {
	const char *text, *plain;	/* NULL: it is none */
} strings[] = {
	{ "\"\"", "" }, { "\"ab\", \"c\"", "ab" }, { "\"a\\\"b\"", "a\"b" },
	{ "\"\\\\u0041\"", "\\u0041" }, { "\"\\u0041b\"", "Ab" },
	{ "\"\\u00ff\"", "\xff" }, { "\"\\u0100\"", "?" },
	{ "\"\\u0001\\u0000\"", "\1?" }, { "\"u0041\"", "u0041" },
	{ "ab", NULL }, { "\"a", NULL }, { "", NULL }, { "\"\\n\"", NULL },
};

TEST_EACH(string, strings)
{
	char *end, text[32];
	const char *behind = tw_lines_end(of->text);

	strcpy(text, of->text);
	end = tw_lines_string(text);
	if (!of->plain) {
		assert_null(end);
		assert_string_equal(text, of->text);
		return;
	}
	assert_int_equal(end - text, behind - of->text);
	assert_string_equal(text, of->plain);
}

static const struct array {
	const char *text;
	int64_t max;
	int count, found;
	int64_t last;
} arrays[] = {
	{ "[1, -2,3]", 3, 4, 3, 3 }, { "[1,2,3]", 3, 2, 2, 2 },
	{ "[5, 6]", 5, 2, 1, 5 }, { "[-5, -6]", 5, 2, 1, -5 },
	{ "[7]", 5, 2, 0, 0 }, { "[]", 5, 2, 0, 0 }, { "", 5, 2, 0, 0 },
	{ "1,2", 5, 2, 0, 0 }, { "[1 2]", 5, 2, 1, 1 }, { "[1,,2]", 5, 2, 1, 1 },
	{ "[1,x]", 5, 2, 1, 1 }, { "{1}", 5, 2, 0, 0 },
	{ "[9223372036854775807, 1]", INT64_MAX, 2, 2, 1 },
	{ "[1, 9223372036854775808]", INT64_MAX, 2, 1, 1 },
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
	tw_config.absent[TW_SERVER] = true;
	assert_int_equal(tw_part_oneway.room(NULL), sizeof(struct oneway));
}
