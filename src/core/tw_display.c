// SPDX-License-Identifier: GPL-2.0-or-later
/* The status while the test measures, if standard output is a terminal. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tw_array.h"
#include "tw_part.h"
#include "tw_policy.h"
#include "tw_text.h"
#include "tw_time.h"

#define TICK_MS	100

static bool on, on_max;
static int64_t begin_ns, end_ns;	/* of this step; 0: it has no end */

static const struct tw_option options[] = {
	{ 'M', "refresh_on_max", TW_FLAG, &on_max,
	  .help = "redraw the display only when a maximum has grown" },
	{ .name = NULL }
};

static void begin(struct tw_run *run)
{
	on = !tw_config.quiet && !tw_config.verbose && !tw_config.silent &&
	     isatty(STDOUT_FILENO);
	if (on && run->tick_ms < 0)
		run->tick_ms = TICK_MS;
	begin_ns = tw_now_ns(CLOCK_MONOTONIC);
	end_ns = tw_config.duration_s ? begin_ns +
		 tw_config.duration_s * TW_NS_PER_S +
		 tw_config_warmup_us() * TW_NS_PER_US : 0;
}

/* Whether a maximum is not as it was at the last call. */
static bool max_has_changed(const struct tw_run *run)
{
	static int64_t last_ns = -1;
	int64_t before_ns = last_ns;
	int i;

	for (last_ns = 0, i = 0; i < tw_text_columns(); i++)
		last_ns += run->pairs[tw_text_pair(i)]->tally.results.
			   stats[tw_text_metric(i)].max;
	return last_ns != before_ns;
}

/* Of a status line, what matters least comes first. */
static const char *const fields[] = {
	"(", "I:", "P:", "Act:", "Std:", "Avg:", "C:", "Min:",
};

/* How long the field with this name is: up to the next name. */
static size_t length_of(const char *from)
{
	size_t length = 1;

	while (from[length] && !(from[length - 1] == ' ' &&
				 isalpha((unsigned char)from[length])))
		length++;
	return length;
}

/* How many fields must be left out, if it is a status line. */
static int surplus(const char *line, size_t columns)
{
	size_t length = strlen(line);
	const char *from;
	int i = 0;

	while (line[0] == 'T' && length > columns &&
	       i < (int)ARRAY_SIZE(fields)) {
		from = strstr(line, fields[i++]);
		length -= from ? length_of(from) : 0;
	}
	return i;
}

/*
 * Leaves out @count fields of a status line; and of any line the last words,
 * each name with its value, until it fits.
 */
static void shorten(char *line, int count, size_t columns)
{
	size_t length;
	char *from;
	int i;

	for (i = 0; i < count && line[0] == 'T'; i++) {
		from = strstr(line, fields[i]);
		if (!from)
			continue;
		length = length_of(from);
		memmove(from, from + length, strlen(from + length) + 1);
	}
	if (strlen(line) <= columns)
		return;
	for (length = columns; length && (line[length] != ' ' ||
					  line[length - 1] == ':'); length--)
		;
	line[length] = '\0';
}

/*
 * All status lines have the same fields. K: erases the line, before a last
 * character that is at the end of it.
 */
static void print_lines(char *text, int lines, size_t columns)
{
	int i, one, count = 0;
	char *line, *end;

	for (line = text; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		one = surplus(line, columns);
		count = one > count ? one : count;
	}
	for (line = text, i = 0; i < lines; i++, line = end + 1) {
		end = line + strlen(line);
		shorten(line, count, columns);
		printf("\033[K%s\n", line);
	}
	printf("\033[K");
}

static void print_time(FILE *file, const char *name, int64_t ns)
{
	int64_t s = ns > 0 ? ns / TW_NS_PER_S : 0;

	fprintf(file, "%s: %" PRId64 ":%02d:%02d", name, s / 3600,
		(int)(s / 60 % 60), (int)(s % 60));
}

/* Returns the number of lines. */
static int print_status(FILE *file, const struct tw_run *run, int rows)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	double load[3] = { 0 };

	getloadavg(load, 3);
	fprintf(file, "policy: %s: loadavg: %.2f %.2f %.2f\n",
		tw_policy_name(tw_config.policy), load[0], load[1], load[2]);
	print_time(file, "elapsed", now_ns - begin_ns);
	if (end_ns)
		print_time(file, " remaining", end_ns - now_ns);
	fputc('\n', file);
	return 2 + tw_text_lines(file, run, rows - 2);
}

/*
 * Over what was printed before. ?7l: the terminal cuts a line that is too wide
 * all the same, so that it stays one; A: moves up.
 */
static void redraw(struct tw_run *run)
{
	struct winsize window = { .ws_row = 0 };
	char *text = NULL;
	size_t size;
	FILE *file;
	int lines;

	if (!on || (on_max && !max_has_changed(run)))
		return;
	file = open_memstream(&text, &size);
	if (!file)
		return;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) || window.ws_row < 4)
		window.ws_row = 24;
	if (!window.ws_col)
		window.ws_col = 80;
	lines = print_status(file, run, window.ws_row - 1);
	fclose(file);
	printf("\033[?7l");
	print_lines(text, lines, window.ws_col);
	printf("\033[?7h\033[%dA", lines);
	fflush(stdout);
	free(text);
}

static void end(struct tw_run *run)
{
	if (on)
		printf("\033[J");
}

const struct tw_part tw_part_display = {
	.options = options, .group = TW_OUTPUT, .begin = begin, .woken = redraw,
	.end = end,
};
