// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "rt-utils.h"
#include "tw_output.h"

#define PATIENCE_MS	1000	/* after a signal that nobody typed */

static int print_results(struct tw_output *output, FILE *to);
static int print_json(struct tw_output *output, FILE *to);

static bool has_trace(const struct tw_report *report)
{
	return report->session->trace_text;
}

/*
 * All that is written, in this order, but the JSON, which is last: its
 * option, its name in the config, its place in the output; how it is printed
 * at the end, by the report alone or by us; and when: NULL for always.
 */
static const struct row {
	const char *option;	/* NULL: the text */
	size_t path;
	size_t file;
	void (*report)(FILE *file, const struct tw_report *report);
	int (*print)(struct tw_output *output, FILE *to);
	bool (*when)(const struct tw_report *report);
} rows[] = {
	{ .option = "--trace-file=",
	  .path = offsetof(struct tw_config, trace_file),
	  .file = offsetof(struct tw_output, trace),
	  .report = tw_report_trace, .when = has_trace },
	{ .option = "--trltp-log=",
	  .path = offsetof(struct tw_config, trltp_log),
	  .file = offsetof(struct tw_output, trltp),
	  .report = tw_report_trltp },
	{ .option = "--dump=", .path = offsetof(struct tw_config, dump),
	  .file = offsetof(struct tw_output, dump) },
	{ .file = offsetof(struct tw_output, text), .print = print_results },
	{ .option = "--histfile=",
	  .path = offsetof(struct tw_config, histfile),
	  .file = offsetof(struct tw_output, histogram),
	  .report = tw_report_histogram },
	{ .option = "--json=", .path = offsetof(struct tw_config, json),
	  .file = offsetof(struct tw_output, json), .print = print_json },
};

#define JSON	(&rows[ARRAY_SIZE(rows) - 1])

static const char *path_of(const struct tw_output *output,
			   const struct row *row)
{
	return *(const char *const *)((const char *)output->report->config +
				      row->path);
}

static struct tw_file *file_of(struct tw_output *output,
			       const struct row *row)
{
	return (struct tw_file *)((char *)output + row->file);
}

/*
 * The standard stream that a row goes to; -1: a file's own. JSON that is
 * printed stands alone, for another program to read.
 */
static int standard_fd(const struct tw_output *output, const struct row *row)
{
	const char *json = output->report->config->json;
	bool alone = json && !strcmp(json, "-");

	if (!row->option)
		return alone ? STDERR_FILENO : STDOUT_FILENO;
	return alone && row == JSON ? STDOUT_FILENO : -1;
}

int tw_output_judge(struct tw_output *output, const struct tw_file *file,
		    int err)
{
	static const char *const standard[] = {
		[STDOUT_FILENO] = "standard output",
		[STDERR_FILENO] = "standard error",
	};
	const struct row *row = rows;
	int fd;

	/* The first is told; the others are likely to have its cause. */
	if (!err || output->err)
		return err;
	while (file_of(output, row) != file)
		row++;
	fd = standard_fd(output, row);
	snprintf(output->error, sizeof(output->error),
		 "%s%.300s: cannot write: %s%s", fd < 0 ? row->option : "",
		 fd < 0 ? path_of(output, row) : standard[fd],
		 tw_flow_error(err), err == -EACCES && !geteuid() ?
		 "; if another user's link or file is there, in a directory that all users may write to, remove it or choose another name" :
		 "");
	output->err = err;
	return err;
}

static int open_row(struct tw_output *output, const struct row *row)
{
	struct tw_file *file = file_of(output, row);
	int fd = standard_fd(output, row);
	int err = 0;

	if (fd >= 0)
		err = tw_file_use(file, fd);
	else if (path_of(output, row))
		err = tw_file_open(file, path_of(output, row));
	return tw_output_judge(output, file, err);
}

int tw_output_push(struct tw_output *output, struct tw_file *file, int ms)
{
	int err = tw_flow_push(&file->flow, ms);

	return err == -EAGAIN ? 0 : tw_output_judge(output, file, err);
}

/* The last to be renamed would be the only one that is left. */
static int check_different(struct tw_output *output)
{
	const struct row *row, *other;

	for (row = rows; row < JSON; row++)
		for (other = row + 1; other <= JSON; other++) {
			if (!tw_file_same(file_of(output, row),
					  file_of(output, other)))
				continue;
			snprintf(output->error, sizeof(output->error),
				 "%s%.300s: allowed is a file of its own, not that of %.*s",
				 row->option, path_of(output, row),
				 (int)strlen(other->option) - 1,
				 other->option);
			return -EINVAL;
		}
	return 0;
}

int tw_output_open(struct tw_output *output, struct tw_report *report)
{
	const struct tw_config *config = report->config;
	size_t i;
	int err = 0;

	memset(output, 0, sizeof(*output));
	output->report = report;
	report->error = output->error;
	output->live.loadavg_fd = -1;
	for (i = 0; !err && i < ARRAY_SIZE(rows); i++)
		err = open_row(output, &rows[i]);
	if (!err)
		err = check_different(output);
	if (!err && config->dump)
		err = tw_output_judge(output, &output->dump,
				      tw_file_show(&output->dump));
	if (err) {
		tw_output_close(output);
		return err;
	}
	output->partial_ms = tw_output_partial_ms(output);
	if (config->dump)
		tw_report_dump_header(output->dump.flow.stream);
	if (tw_output_shows_live(config))
		tw_live_open(&output->live, output->text.flow.fd);
	return 0;
}

void tw_output_close(struct tw_output *output)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		tw_file_abort(file_of(output, &rows[i]));
	tw_live_close(&output->live);
}

static int print_results(struct tw_output *output, FILE *to)
{
	const struct tw_report *report = output->report;
	const struct tw_config *config = report->config;

	if (config->histogram_us && !config->histfile)
		tw_report_histogram(to, report);
	else if (config->steps == 1 && !config->histogram_us)
		tw_output_last_status(output);
	if (config->steps > 1)
		tw_report_ramp(to, report);
	if (!config->histogram_us) {
		tw_report_percentiles(to, report);
		tw_report_remarks(to, report);
	}
	tw_report_worst(to, report);
	tw_report_spikes(to, report);
	tw_report_break(to, report);
	tw_report_limits(to, report);
	return 0;
}

/*
 * The library's JSON writer takes a name and does not look at errors, so it
 * gets one that lies in memory.
 */
int tw_output_json(struct tw_report *report, FILE *to,
		   void (*members)(FILE *file, void *data))
{
	char name[32], buf[4096];
	ssize_t len;
	int fd, err;

	fd = memfd_create("twowaytest", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	rt_write_json(name, report->return_code, members, report);
	while ((len = read(fd, buf, sizeof(buf))) > 0)
		if (fwrite(buf, 1, (size_t)len, to) != (size_t)len)
			break;
	err = len < 0 ? -errno : 0;
	close(fd);
	return err;
}

static int print_json(struct tw_output *output, FILE *to)
{
	if (output->err)
		output->report->return_code = EXIT_FAILURE;
	return tw_output_json(output->report, to, tw_report_json);
}

int tw_output_patience_ms(const struct tw_output *output)
{
	int number = output->report->session->interrupted;

	return number == SIGTERM || number == SIGHUP ? PATIENCE_MS : -1;
}

/* Prints it, and if that waits for no reader, commits it. */
static void write_row(struct tw_output *output, const struct row *row)
{
	struct tw_file *file = file_of(output, row);
	int err = 0;

	if (!file->flow.stream)
		return;
	if (row->when && !row->when(output->report)) {
		tw_file_abort(file);
		return;
	}
	if (row->report)
		row->report(file->flow.stream, output->report);
	if (row->print)
		err = row->print(output, file->flow.stream);
	if (err)
		tw_file_abort(file);
	else if (!file->direct)
		err = tw_file_commit(file, -1);
	tw_output_judge(output, file, err);
}

/* As far as it can be without waiting: what is behind goes out in order. */
static void push_rows(struct tw_output *output)
{
	const struct row *row;
	struct tw_file *file;

	for (row = rows; row < JSON; row++) {
		file = file_of(output, row);
		if (!file->flow.stream)
			continue;
		tw_output_push(output, file, 0);
		if (tw_flow_behind(&file->flow))
			return;
	}
}

static void finish_row(struct tw_output *output, const struct row *row)
{
	struct tw_file *file = file_of(output, row);

	if (file->flow.stream)
		tw_output_judge(output, file,
				tw_file_commit(file, tw_output_patience_ms(output)));
}

int tw_output_finish(struct tw_output *output)
{
	bool direct = output->json.direct;
	const struct row *row;
	int told;

	for (row = rows; row < JSON; row++)
		write_row(output, row);
	push_rows(output);
	if (!direct)
		write_row(output, JSON);
	told = output->err;
	for (row = rows; row < JSON; row++)
		finish_row(output, row);
	/* It is behind the text where both go, or tells what is new. */
	if (path_of(output, JSON) && !direct && output->err != told)
		tw_output_judge(output, &output->json,
				tw_file_open(&output->json,
					     path_of(output, JSON)));
	write_row(output, JSON);
	finish_row(output, JSON);
	return output->err;
}

int tw_output_check(struct tw_output *output)
{
	struct tw_report *report = output->report;
	struct tw_file *json = &output->json;
	int err;

	tw_report_check(output->text.flow.stream, report->survey->findings);
	err = tw_file_commit(&output->text, -1);
	if (tw_output_judge(output, &output->text, err) || !json->flow.stream)
		return output->err;
	err = tw_output_json(report, json->flow.stream, tw_report_json_check);
	if (!err)
		err = tw_file_commit(json, -1);
	return tw_output_judge(output, json, err);
}
