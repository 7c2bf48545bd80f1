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
#include <time.h>
#include <unistd.h>

#include "rt-utils.h"
#include "tw_report.h"
#include "tw_time.h"

#define COLUMNS		80	/* of a terminal that does not know */
#define ROWS		24
#define HEAD		2	/* lines above the status lines */
#define NAME		8	/* the longest of a metric */
#define FIELD_MAX	32

/* As they are shown, from left to right. */
enum field { COUNT, MIN, ACT, AVG, MAX, STD, FIELDS };

/* Which goes first where there is no room; the maximum stays. */
static const enum field dispensable[] = { STD, ACT, COUNT, MIN, AVG };

/* What is drawn: how large it may be, and which fields are left out. */
struct picture {
	FILE *file;
	const struct tw_report *report;
	bool on_terminal;
	int columns;
	int rows;
	struct tw_status status[TW_METRICS];
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

/* -M: has anything that is shown reached a new maximum? */
static bool max_has_grown(struct tw_live *live, const struct picture *picture)
{
	const struct tw_config *config = picture->report->config;
	bool grown = !live->lines;
	int i, id;

	for (i = 0; i < config->metric_count; i++) {
		id = config->metrics[i];
		if (picture->status[id].max_ns > live->shown_max_ns[id])
			grown = true;
		live->shown_max_ns[id] = picture->status[id].max_ns;
	}
	return grown;
}

/* What is left of the step, in seconds; -1: nobody knows. */
static int64_t seconds_left(const struct tw_report *report)
{
	const struct tw_config *config = report->config;
	uint64_t cycles = report->session->pair->tally->cycles;
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	int64_t left_ns = INT64_MAX;

	if (config->loops && config->interval_us)
		left_ns = (config->loops - (int64_t)cycles) *
			  config->interval_us * TW_NS_PER_US;
	if (config->duration_s && report->session->end_ns - now_ns < left_ns)
		left_ns = report->session->end_ns - now_ns;
	return left_ns == INT64_MAX ? -1 : left_ns / TW_NS_PER_S;
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

static void draw_policy(const struct picture *picture, int loadavg_fd)
{
	const struct tw_config *config = picture->report->config;
	char load[128] = "", line[256];

	if (pread(loadavg_fd, load, sizeof(load) - 1, 0) > 0)
		load[strcspn(load, "\n")] = '\0';
	snprintf(line, sizeof(line), "policy: %s: loadavg: %s          ",
		 tw_system_policy_name(config->policy), load);
	draw_line(picture, line);
}

/* The line that cyclictest leaves empty. */
static void draw_step(const struct picture *picture)
{
	const struct tw_config *config = picture->report->config;
	const struct tw_session *session = picture->report->session;
	const struct tw_load_ops *load = config->load;
	int workers = session->steps[session->step].workers;
	char line[128] = "";

	if (config->steps > 1)
		snprintf(line, sizeof(line),
			 "step: %d/%d: %d %s: %" PRId64 " s left          ",
			 session->step + 1, (int)config->steps, workers,
			 workers == 1 ? load->one : load->many,
			 seconds_left(picture->report));
	draw_line(picture, line);
}

/* Whether the lines that go to pipes have room here. */
static bool has_room(const struct picture *picture)
{
	const struct tw_config *config = picture->report->config;
	char line[TW_STATUS_MAX];
	int i;

	for (i = 0; picture->on_terminal && i < config->metric_count; i++) {
		tw_report_status_line(line, picture->report, i,
				      &picture->status[config->metrics[i]]);
		if ((int)strlen(line) >= picture->columns)
			return false;
	}
	return true;
}

static void format_fields(char fields[FIELDS][FIELD_MAX],
			  const struct tw_config *config,
			  const struct tw_status *status)
{
	int width = config->nsecs ? 8 : 5;

	snprintf(fields[COUNT], FIELD_MAX, " C:%7" PRIu64, status->count);
	snprintf(fields[MIN], FIELD_MAX, " Min:%7" PRId64,
		 tw_report_value(config, status->min_ns));
	snprintf(fields[ACT], FIELD_MAX, " Act:%*" PRId64, width,
		 tw_report_value(config, status->last_ns));
	snprintf(fields[AVG], FIELD_MAX, " Avg:%*" PRId64, width,
		 tw_report_value(config, (int64_t)status->mean_ns));
	snprintf(fields[MAX], FIELD_MAX, " Max:%8" PRId64,
		 tw_report_value(config, status->max_ns));
	snprintf(fields[STD], FIELD_MAX, " Std:%8.1f",
		 tw_report_real(config, status->deviation_ns));
}

/* The short form of a line: its metric, and the fields that are there. */
static void format_short(char line[TW_STATUS_MAX],
			 const struct picture *picture, enum tw_metric_id id)
{
	char fields[FIELDS][FIELD_MAX];
	int i, len;

	format_fields(fields, picture->report->config, &picture->status[id]);
	len = snprintf(line, TW_STATUS_MAX, "%-*s", NAME,
		       tw_metrics[id].token);
	for (i = 0; i < FIELDS; i++)
		if (!picture->left_out[i])
			len += snprintf(line + len, TW_STATUS_MAX - len, "%s",
					fields[i]);
}

/* Leaves out of all lines what makes any of them too long. */
static void leave_out(struct picture *picture)
{
	const struct tw_config *config = picture->report->config;
	char line[TW_STATUS_MAX];
	size_t least = 0;
	int i = 0;

	while (i < config->metric_count && least < ARRAY_SIZE(dispensable)) {
		format_short(line, picture, config->metrics[i]);
		if ((int)strlen(line) < picture->columns) {
			i++;
			continue;
		}
		picture->left_out[dispensable[least++]] = true;
	}
}

static void draw_status(struct picture *picture, int count)
{
	const struct tw_config *config = picture->report->config;
	bool whole = has_room(picture);
	char line[TW_STATUS_MAX];
	int i, id;

	if (!whole)
		leave_out(picture);
	for (i = 0; i < count; i++) {
		id = config->metrics[i];
		if (whole)
			tw_report_status_line(line, picture->report, i,
					      &picture->status[id]);
		else
			format_short(line, picture, id);
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
		  const struct tw_report *report, bool last)
{
	struct picture picture = { .file = file, .report = report };
	int count = report->config->metric_count;

	if (live->terminal < 0 && !last)
		return;
	tw_tally_snapshot(report->session->pair->tally, picture.status);
	if (report->config->refresh_on_max &&
	    !max_has_grown(live, &picture) && !last)
		return;
	measure_terminal(&picture, live->terminal);
	/* What has left the screen above could not be drawn over. */
	if (!last && HEAD + count >= picture.rows)
		count = picture.rows > HEAD ? picture.rows - HEAD - 1 : 0;
	if (live->lines)
		fprintf(file, "\033[%dA", live->lines);
	draw_policy(&picture, live->loadavg_fd);
	draw_step(&picture);
	draw_status(&picture, count);
	if (HEAD + count < live->lines)
		fprintf(file, "\033[J");
	live->lines = HEAD + count;
}
