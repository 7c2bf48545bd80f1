// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The display during the run. No line may be longer than the terminal is wide:
 * the terminal would wrap it, and the next display would start at the wrong
 * line. Status lines that are too long lose their least important members.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "rt-utils.h"
#include "frame/tw_live.h"

#define COLUMNS		80	/* of a terminal that does not know */
#define ROWS		24
#define HEAD		2	/* lines above the status lines */
#define NAME		8	/* room for the name of a column */
#define FIELD_MAX	32

/* As they are shown, from left to right. */
enum field { COUNT, MIN, ACT, AVG, MAX, STD, FIELDS };

/* Which goes first where there is no room; the maximum stays. */
static const enum field dispensable[] = { STD, ACT, COUNT, MIN, AVG };

/* What is drawn: how large it may be, and which fields are left out. */
struct picture {
	FILE *file;
	const struct tw_columns *shown;
	bool whole;		/* also what is no headline */
	int name_width;		/* of the longest name that is drawn */
	bool on_terminal;
	int columns;
	int rows;
	bool left_out[FIELDS];
};

void tw_live_open(struct tw_live *live, int fd)
{
	memset(live, 0, sizeof(*live));
	live->terminal = isatty(fd) ? fd : -1;
	live->loadavg_fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
}

void tw_live_leave(struct tw_live *live)
{
	live->lines = 0;
}

void tw_live_close(struct tw_live *live)
{
	if (live->loadavg_fd >= 0)
		close(live->loadavg_fd);
	live->loadavg_fd = -1;
}

/* Within a step maxima only grow, and so does their sum. */
static bool max_has_grown(struct tw_live *live,
			  const struct tw_columns *columns)
{
	uint64_t max_ns = 0;
	bool grown;
	int i;

	for (i = 0; i < columns->count; i++)
		max_ns += (uint64_t)columns->column[i].status.max_ns;
	grown = !live->lines || max_ns != live->shown_max_ns;
	live->shown_max_ns = max_ns;
	return grown;
}

/* A line, and nothing behind it of one that stood there. */
static void draw_line(const struct picture *picture, const char *line)
{
	if (picture->on_terminal)
		fprintf(picture->file, "%.*s\033[K\n", picture->columns - 1,
			line);
	else
		fprintf(picture->file, "%s\n", line);
}

static void draw_policy(const struct picture *picture, const char *policy,
			int loadavg_fd)
{
	char load[128] = "", line[256];

	if (pread(loadavg_fd, load, sizeof(load) - 1, 0) > 0)
		load[strcspn(load, "\n")] = '\0';
	snprintf(line, sizeof(line), "policy: %s: loadavg: %s          ",
		 policy, load);
	draw_line(picture, line);
}

/* Whether a column is drawn: of many pairs only the headlines, but at last. */
static bool is_drawn(const struct picture *picture, int index)
{
	return picture->whole || picture->shown->column[index].headline;
}

static void measure_names(struct picture *picture)
{
	char name[TW_COLUMN_NAME];
	int i, width;

	picture->name_width = NAME;
	for (i = 0; i < picture->shown->count; i++) {
		if (!is_drawn(picture, i))
			continue;
		width = (int)strlen(tw_column_name(picture->shown, i, name));
		if (width > picture->name_width)
			picture->name_width = width;
	}
}

/* Whether the lines that go to pipes have room here. */
static bool has_room(const struct picture *picture)
{
	const struct tw_columns *columns = picture->shown;
	char line[TW_STATUS_MAX];
	int i;

	for (i = 0; picture->on_terminal && i < columns->count; i++) {
		if (!is_drawn(picture, i))
			continue;
		tw_status_line(line, columns, i);
		if ((int)strlen(line) >= picture->columns)
			return false;
	}
	return true;
}

static void void_fields(char fields[FIELDS][FIELD_MAX], int width)
{
	snprintf(fields[MIN], FIELD_MAX, " Min:%7s", "-");
	snprintf(fields[ACT], FIELD_MAX, " Act:%*s", width, "-");
	snprintf(fields[AVG], FIELD_MAX, " Avg:%*s", width, "-");
	snprintf(fields[MAX], FIELD_MAX, " Max:%8s", "-");
	snprintf(fields[STD], FIELD_MAX, " Std:%8s", "-");
}

static void format_fields(char fields[FIELDS][FIELD_MAX],
			  const struct tw_columns *columns, int index)
{
	const struct tw_status *status = &columns->column[index].status;
	int width = columns->unit->width;

	snprintf(fields[COUNT], FIELD_MAX, " C:%7" PRIu64, status->count);
	if (columns->column[index].is_void) {
		void_fields(fields, width);
		return;
	}
	snprintf(fields[MIN], FIELD_MAX, " Min:%7" PRId64,
		 tw_shown(columns, status->min_ns));
	snprintf(fields[ACT], FIELD_MAX, " Act:%*" PRId64, width,
		 tw_shown(columns, status->last_ns));
	snprintf(fields[AVG], FIELD_MAX, " Avg:%*" PRId64, width,
		 tw_shown(columns, (int64_t)status->mean_ns));
	snprintf(fields[MAX], FIELD_MAX, " Max:%8" PRId64,
		 tw_shown(columns, status->max_ns));
	snprintf(fields[STD], FIELD_MAX, " Std:%8.1f",
		 tw_shown_real(columns, status->deviation_ns));
}

/* The short form of a line: its name, and the fields that are there. */
static void format_short(char line[TW_STATUS_MAX],
			 const struct picture *picture, int index)
{
	char fields[FIELDS][FIELD_MAX], name[TW_COLUMN_NAME];
	int i, len;

	format_fields(fields, picture->shown, index);
	len = snprintf(line, TW_STATUS_MAX, "%-*s",
		       picture->name_width, tw_column_name(picture->shown, index, name));
	for (i = 0; i < FIELDS; i++)
		if (!picture->left_out[i])
			len += snprintf(line + len, TW_STATUS_MAX - len, "%s",
					fields[i]);
}

/* Leaves out of all lines what makes any of them too long. */
static void leave_out(struct picture *picture)
{
	char line[TW_STATUS_MAX];
	size_t least = 0;
	int i = 0;

	while (i < picture->shown->count && least < ARRAY_SIZE(dispensable)) {
		if (!is_drawn(picture, i)) {
			i++;
			continue;
		}
		format_short(line, picture, i);
		if ((int)strlen(line) < picture->columns) {
			i++;
			continue;
		}
		picture->left_out[dispensable[least++]] = true;
	}
}

static void draw_status(struct picture *picture, int count)
{
	bool whole = has_room(picture);
	char line[TW_STATUS_MAX];
	int i;

	if (!whole)
		leave_out(picture);
	for (i = 0; i < picture->shown->count && count; i++) {
		if (!is_drawn(picture, i))
			continue;
		count--;
		if (whole)
			tw_status_line(line, picture->shown, i);
		else
			format_short(line, picture, i);
		draw_line(picture, line);
	}
}

static void measure_terminal(struct picture *picture, int fd)
{
	struct winsize size = { .ws_row = 0 };

	picture->on_terminal = fd >= 0;
	if (fd >= 0 && ioctl(fd, TIOCGWINSZ, &size))
		size.ws_col = 0;
	picture->columns = size.ws_col ? size.ws_col : COLUMNS;
	picture->rows = size.ws_row ? size.ws_row : ROWS;
}

void tw_live_draw(struct tw_live *live, FILE *file,
		  const struct tw_view *view)
{
	struct picture picture = { .file = file, .shown = view->columns };
	int i, count = 0;

	if (view->on_max && !max_has_grown(live, view->columns) &&
	    !view->last)
		return;
	measure_terminal(&picture, live->terminal);
	picture.whole = view->last;
	measure_names(&picture);
	for (i = 0; i < view->columns->count; i++)
		count += is_drawn(&picture, i);
	/* Lines that have scrolled off the screen cannot be redrawn. */
	if (!view->last && HEAD + count >= picture.rows)
		count = picture.rows > HEAD ? picture.rows - HEAD - 1 : 0;
	if (live->lines)
		fprintf(file, "\033[%dA", live->lines);
	draw_policy(&picture, view->policy, live->loadavg_fd);
	draw_line(&picture, view->step);
	draw_status(&picture, count);
	if (HEAD + count < live->lines)
		fprintf(file, "\033[J");
	live->lines = HEAD + count;
}
