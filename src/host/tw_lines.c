// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tw_await.h"
#include "tw_lines.h"
#include "tw_say.h"

#define SEND_MS		5000
#define NAME_SIZE	64
/* Of JSON, as this program writes it. */
#define SCALAR		"^(\"([^\"\\]|\\\\[\"\\]|\\\\u[0-9a-f]{4})*\"|" \
			"-?(0|[1-9][0-9]{0,19})(\\.[0-9]{1,20})?|" \
			"true|false|null)$"

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

void tw_lines_write_word(FILE *file, const char *word)
{
	for (; *word; word++)
		fprintf(file, *word > ' ' && *word <= '~' && *word != '%' ?
			"%c" : "%%%02x", (unsigned char)*word);
}

void tw_lines_read_word(char *word)
{
	unsigned int code;
	char *to;

	for (to = word; *word; word++) {
		code = (unsigned char)*word;
		if (*word == '%' && isxdigit((unsigned char)word[1]) &&
		    isxdigit((unsigned char)word[2])) {
			sscanf(word + 1, "%2x", &code);
			word += 2;
		}
		*to++ = (char)code;
	}
	*to = '\0';
}

int tw_lines_numbers(const char *text, int64_t max, int64_t to[], int count)
{
	char *end;
	int i;

	for (i = 0; i < count && *text == ' '; i++) {
		errno = 0;
		to[i] = strtoll(text + 1, &end, 10);
		if (errno || end == text + 1 || to[i] > max || to[i] < -max)
			break;
		text = end;
	}
	return i;
}

/* A bracket, a string, or what is neither. */
static int token_length(const char *at)
{
	int length = 1;

	if (strchr("{}[]", *at))
		return 1;
	if (*at != '"')
		return (int)strcspn(at, " \n,]}");
	while (at[length] != '"')
		length += at[length] == '\\' ? 2 : 1;
	return length + 1;
}

void tw_lines_write_json(FILE *file, const char *before, const char *json)
{
	bool named = false, closes;
	int length;

	for (; *(json += strspn(json, " \n,:")); json += length) {
		length = token_length(json);
		if (json[length] == ':') {
			fprintf(file, "%s%.*s ", before, length - 2, json + 1);
			named = true;
			continue;
		}
		closes = strchr("}]", *json);
		fprintf(file, "%s%s%.*s\n", named ? "" : before,
			named || closes ? "" : "- ", length, json);
		named = false;
	}
}

static bool is_scalar(const char *text)
{
	static regex_t scalar;
	static bool compiled;

	if (!compiled && regcomp(&scalar, SCALAR, REG_EXTENDED | REG_NOSUB))
		tw_say_fatal("no memory for an answer\n");
	compiled = true;
	return !regexec(&scalar, text, 0, NULL, 0);
}

bool tw_lines_read_json(struct tw_lines_json *to, const char *line)
{
	char name[NAME_SIZE];
	char end = to->level ? to->ends[to->level - 1] : '\0';
	const char *value;
	int at = 0;
	bool opens;

	if (to->level && line[0] == end && !line[1]) {
		fprintf(to->file, " %c", end);
		to->level--;
		return to->more = true;
	}
	sscanf(line, "%63[A-Za-z0-9_.-]%n", name, &at);
	value = line + at + (line[at] == ' ');
	opens = !strcmp(value, "{") || !strcmp(value, "[");
	if (!at || (opens ? to->level == TW_LINES_LEVELS :
		    !to->level || !is_scalar(value)))
		return false;
	fputs(!to->level ? "" : to->more ? ", " : " ", to->file);
	if (end == '}')
		fprintf(to->file, "\"%s\": ", name);
	fputs(value, to->file);
	if (opens)
		to->ends[to->level++] = *value == '{' ? '}' : ']';
	to->more = !opens;
	return true;
}
