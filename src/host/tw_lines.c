// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tw_await.h"
#include "tw_lines.h"
#include "tw_say.h"
#include "tw_time.h"

#define SEND_MS		5000
#define LEVELS		32		/* of JSON */
#define DIGITS_MAX	20

static void make_printable(char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (text[i] != '\n' && (text[i] < ' ' || text[i] > 126))
			text[i] = '?';
}

static void read_more(struct tw_lines *lines)
{
	ssize_t length;

	if (!lines->text)
		lines->text = malloc(lines->max + 1);
	if (!lines->text)
		tw_say_fatal("no memory for %zu bytes\n", lines->max);
	if (lines->used == lines->max) {
		lines->too_long = lines->ended = true;
		return;
	}
	length = read(lines->fd, lines->text + lines->used,
		      lines->max - lines->used);
	if (length > 0) {
		make_printable(lines->text + lines->used, length);
		lines->used += length;
	} else if (!length || (errno != EAGAIN && errno != EINTR)) {
		lines->ended = true;
	}
}

char *tw_lines_await(struct tw_lines *lines, int other_fd, int64_t end_ns)
{
	char *end;

	if (lines->taken) {
		lines->used -= lines->taken;
		memmove(lines->text, lines->text + lines->taken, lines->used);
		lines->taken = 0;
	}
	for (;;) {
		end = lines->used ? memchr(lines->text, '\n', lines->used) :
		      NULL;
		if (end) {
			*end = '\0';
			lines->taken = end + 1 - lines->text;
			return lines->text;
		}
		if (lines->ended ||
		    tw_await(lines->fd, POLLIN, other_fd, end_ns))
			return NULL;
		read_more(lines);
	}
}

int tw_lines_send(int fd, const char *text, size_t length)
{
	int64_t end_ns = tw_await_in_ms(SEND_MS);
	int err = 0;

	while (length && !err) {
		ssize_t written = write(fd, text, length);

		if (written > 0) {
			text += written;
			length -= written;
		} else if (errno != EAGAIN && errno != EINTR) {
			err = -errno;
		} else {
			err = tw_await(fd, POLLOUT, -1, end_ns);
		}
	}
	return err;
}

static const char *skip(const char *at)
{
	return at + strspn(at, " ");
}

/* After the quotation mark. */
static const char *string_end(const char *at)
{
	for (; *at && *at != '"'; at++) {
		if (*at != '\\')
			continue;
		at++;
		if (*at == 'u' && strspn(at + 1, "0123456789abcdef") >= 4)
			at += 4;
		else if (*at != '"' && *at != '\\')
			return NULL;
	}
	return *at ? at + 1 : NULL;
}

static const char *digits_end(const char *at)
{
	size_t digits = strspn(at, "0123456789");

	return digits && digits <= DIGITS_MAX ? at + digits : NULL;
}

static const char *number_end(const char *at)
{
	const char *first = at + (*at == '-');

	at = digits_end(first);
	if (!at || (*first == '0' && at > first + 1))
		return NULL;
	return *at == '.' ? digits_end(at + 1) : at;
}

static const char *plain_end(const char *at)
{
	static const char *const words[] = { "true", "false", "null", NULL };
	int i;

	for (i = 0; words[i]; i++)
		if (!strncmp(at, words[i], strlen(words[i])))
			return at + strlen(words[i]);
	return *at == '"' ? string_end(at + 1) : number_end(at);
}

static const char *value_end(const char *at, int levels)
{
	char last = *at == '{' ? '}' : ']';

	if (*at != '{' && *at != '[')
		return plain_end(at);
	at = skip(at + 1);
	if (*at == last || !levels)
		return levels ? at + 1 : NULL;
	for (;;) {
		if (last == '}') {
			at = *at == '"' ? string_end(at + 1) : NULL;
			at = at ? skip(at) : "";
			if (*at++ != ':')
				return NULL;
		}
		at = value_end(skip(at), levels - 1);
		at = at ? skip(at) : "";
		if (*at == last)
			return at + 1;
		if (*at != ',')
			return NULL;
		at = skip(at + 1);
	}
}

const char *tw_lines_end(const char *text)
{
	return value_end(text, LEVELS);
}

char *tw_lines_string(char *text)
{
	char *end = *text == '"' ? (char *)string_end(text + 1) : NULL;
	char *from, *to = text;
	unsigned int code;

	if (!end)
		return NULL;
	for (from = text + 1; from < end - 1; from++) {
		bool escape = *from == '\\';

		from += escape;
		if (!escape || sscanf(from, "u%4x", &code) != 1) {
			*to++ = *from;
			continue;
		}
		*to++ = code && code < 256 ? (char)code : '?';
		from += 4;
	}
	*to = '\0';
	return end;
}

int tw_lines_numbers(const char *array, int64_t max, int64_t to[], int count)
{
	const char *at = array;
	char *end;
	int i;

	for (i = 0; i < count && *at == (i ? ',' : '['); i++) {
		errno = 0;
		to[i] = strtoll(at + 1, &end, 10);
		if (errno || end == at + 1 || to[i] > max || to[i] < -max)
			break;
		at = end;
	}
	return i;
}
