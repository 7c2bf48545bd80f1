// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "rt-utils.h"
#include "tw_output.h"

#define DISPLAY_MS	100
#define CYCLES_MS	25	/* the ring holds more than comes meanwhile */

static int failed(struct tw_output *output, const char *option,
		  const char *path, int err)
{
	/* The first is told; the others are likely to have its cause. */
	if (!output->error[0])
		snprintf(output->error, sizeof(output->error),
			 "%s%.300s: cannot write: %s", option, path,
			 strerror(-err));
	return err;
}

/* The option that each file comes from, in the order they are committed. */
static const struct output_file {
	const char *option;
	size_t path;		/* offset of the name in the config */
	size_t file;		/* and of the file in the output */
} files[] = {
	{ "--dump=", offsetof(struct tw_config, dump),
	  offsetof(struct tw_output, dump) },
	{ "--trltp-log=", offsetof(struct tw_config, trltp_log),
	  offsetof(struct tw_output, trltp) },
	{ "--histfile=", offsetof(struct tw_config, histfile),
	  offsetof(struct tw_output, histogram) },
	{ "--trace-file=", offsetof(struct tw_config, trace_file),
	  offsetof(struct tw_output, trace) },
	{ "--json=", offsetof(struct tw_config, json),
	  offsetof(struct tw_output, json) },
};

static const char *path_of(const struct tw_output *output, size_t i)
{
	return *(const char *const *)((const char *)output->report->config +
				      files[i].path);
}

static struct tw_file *file_of(struct tw_output *output, size_t i)
{
	return (struct tw_file *)((char *)output + files[i].file);
}

/* The reference set-up leaves main asleep while it measures. */
static bool shows_live(const struct tw_config *config)
{
	return !config->quiet && !config->verbose && !config->reference;
}

int tw_output_open(struct tw_output *output, struct tw_report *report)
{
	const struct tw_config *config = report->config;
	size_t i;
	int err;

	memset(output, 0, sizeof(*output));
	output->report = report;
	report->error = output->error;
	output->live.loadavg_fd = -1;
	if (config->unbuffered)
		setvbuf(stdout, NULL, _IONBF, 0);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		const char *path = path_of(output, i);

		if (!path || !strcmp(path, "-"))
			continue;
		err = tw_file_open(file_of(output, i), path);
		if (err) {
			failed(output, files[i].option, path, err);
			tw_output_close(output);
			return err;
		}
	}
	if (config->dump)
		tw_report_dump_header(output->dump.stream);
	if (shows_live(config))
		tw_live_open(&output->live);
	return 0;
}

void tw_output_close(struct tw_output *output)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		tw_file_abort(file_of(output, i));
	tw_live_close(&output->live);
}

/*
 * Whether all that was printed since errno was set to 0 got out. A stream
 * tells that a write failed, but not why: errno still does, right here.
 */
static int flush(FILE *file)
{
	int err = errno;

	if (fflush(file))
		return -errno;
	if (ferror(file))
		return err ? -err : -EIO;
	return 0;
}

static int on_tick(void *arg)
{
	struct tw_output *output = arg;
	const struct tw_config *config = output->report->config;
	int err;

	errno = 0;
	if (shows_live(config))
		tw_live_draw(&output->live, stdout, output->report, false);
	err = flush(stdout);
	return err ? failed(output, "standard output", "", err) : 0;
}

static int on_cycle(void *arg, unsigned int pair, const struct tw_cycle *cycle)
{
	struct tw_output *output = arg;
	const struct tw_config *config = output->report->config;

	if (config->verbose && !config->quiet)
		tw_report_cycle(stdout, output->report, pair, cycle);
	if (!config->dump)
		return 0;
	errno = 0;
	tw_report_dump(output->dump.stream, output->report, pair, cycle);
	if (ferror(output->dump.stream))
		return failed(output, "--dump=", config->dump,
			      errno ? -errno : -EIO);
	return 0;
}

static void on_status(void *arg)
{
	static const char rule[] = "#---------------------------\n";
	struct tw_output *output = arg;

	fputs(rule, stderr);
	tw_report_status(stderr, output->report);
	fputs(rule, stderr);
}

void tw_output_watch(struct tw_output *output, struct tw_watch *watch)
{
	const struct tw_config *config = output->report->config;

	memset(watch, 0, sizeof(*watch));
	watch->arg = output;
	watch->cycle = on_cycle;
	watch->status = on_status;
	if (config->dump || (config->verbose && !config->quiet))
		watch->tick_ms = CYCLES_MS;
	else if (shows_live(config))
		watch->tick_ms = DISPLAY_MS;
	if (!config->quiet)
		watch->tick = on_tick;
}

/* The status lines that a step, or a run without a ramp, ends with. */
static void print_last_status(struct tw_output *output)
{
	const struct tw_config *config = output->report->config;

	if (shows_live(config))
		tw_live_draw(&output->live, stdout, output->report, true);
	else if (!config->verbose || config->quiet)
		tw_report_status(stdout, output->report);
}

void tw_output_begin_step(struct tw_output *output)
{
	const struct tw_report *report = output->report;

	output->live.drawn = false;
	if (report->config->steps > 1)
		tw_report_step(stdout, report);
	fflush(stdout);
}

void tw_output_end_step(struct tw_output *output)
{
	const struct tw_config *config = output->report->config;
	int err;

	if (config->steps == 1)
		return;
	errno = 0;
	if (!config->histogram_us)
		print_last_status(output);
	err = flush(stdout);
	if (err)
		failed(output, "standard output", "", err);
}

static void print_results(struct tw_output *output)
{
	const struct tw_report *report = output->report;
	const struct tw_config *config = report->config;

	if (config->histogram_us && !config->histfile)
		tw_report_histogram(stdout, report);
	else if (config->steps == 1 && !config->histogram_us)
		print_last_status(output);
	if (config->steps > 1)
		tw_report_ramp(stdout, report);
	if (!config->histogram_us) {
		tw_report_percentiles(stdout, report);
		tw_report_remarks(stdout, report);
	}
	tw_report_worst(stdout, report);
	tw_report_spikes(stdout, report);
	tw_report_break(stdout, report);
	tw_report_limits(stdout, report);
}

/* One of the other files, written by @print. */
static int finish_file(struct tw_output *output, struct tw_file *file,
		       const char *option, const char *path,
		       void (*print)(FILE *file,
				     const struct tw_report *report))
{
	int err;

	errno = 0;
	print(file->stream, output->report);
	err = flush(file->stream);
	return err ? failed(output, option, path, err) : 0;
}

static int finish_text(struct tw_output *output)
{
	const struct tw_report *report = output->report;
	const struct tw_config *config = report->config;
	int err;

	errno = 0;
	print_results(output);
	err = flush(stdout);
	if (err)
		return failed(output, "standard output", "", err);
	if (config->histfile)
		err = finish_file(output, &output->histogram, "--histfile=",
				  config->histfile, tw_report_histogram);
	if (!err && config->trltp_log)
		err = finish_file(output, &output->trltp, "--trltp-log=",
				  config->trltp_log, tw_report_trltp);
	if (!err && report->session->trace_text)
		err = finish_file(output, &output->trace, "--trace-file=",
				  config->trace_file, tw_report_trace);
	else	/* nothing broke: an old one stays */
		tw_file_abort(&output->trace);
	return err;
}

/*
 * The library's JSON writer takes a name and does not look at errors, so it
 * gets one that lies in memory.
 */
static int write_json(struct tw_output *output, FILE *to,
		      void (*members)(FILE *file, void *data))
{
	char name[32], buf[4096];
	ssize_t len;
	int fd, err;

	fd = memfd_create("twowaytest", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	rt_write_json(name, output->report->return_code, members,
		      output->report);
	errno = 0;
	while ((len = read(fd, buf, sizeof(buf))) > 0)
		if (fwrite(buf, 1, len, to) != (size_t)len)
			break;
	err = len < 0 ? -errno : flush(to);
	close(fd);
	return err;
}

int tw_output_finish(struct tw_output *output)
{
	const char *json = output->report->config->json;
	int first = finish_text(output);
	FILE *to;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		struct tw_file *file = file_of(output, i);
		const char *path = path_of(output, i);

		err = 0;
		if (first)
			output->report->return_code = 1;
		if (path == json && json) {
			to = file->stream ? file->stream : stdout;
			err = write_json(output, to, tw_report_json);
		}
		if (!err && file->stream)
			err = tw_file_commit(file);
		if (err) {
			failed(output, files[i].option, path, err);
			first = first ? first : err;
		}
	}
	return first;
}

int tw_output_check(struct tw_output *output)
{
	const struct tw_report *report = output->report;
	const char *path = report->config->json;
	struct tw_file *json = &output->json;
	int err;

	/* The table would not be JSON, if that goes the same way. */
	if (!path || json->stream)
		tw_report_check(stdout, report->survey->findings);
	err = flush(stdout);
	if (err)
		return failed(output, "standard output", "", err);
	if (path)
		err = write_json(output, json->stream ? json->stream : stdout,
				 tw_report_json_check);
	if (!err && json->stream)
		err = tw_file_commit(json);
	return err ? failed(output, "--json=", path, err) : 0;
}
