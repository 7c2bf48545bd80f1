// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --json: first the members that cyclictest has, then the program's object,
 * with what the parts add to it. During a long run, what is known is written
 * beside the final file: if the run is killed or the machine crashes, little
 * is lost.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "rt-utils.h"
#include "base/tw_json.h"
#include "base/tw_time.h"
#include "frame/tw_run.h"

#define SCHEMA		1
#define PARTIAL_MS	60000
#define LONG_S		120	/* writing disturbs: shorter ones go without */

static struct {
	const char *path;
	struct tw_file file;
	int64_t partial_ns;	/* time of the next; CLOCK_MONOTONIC; 0: none */
} set;
static const __typeof__(set) initial;

static const struct tw_option options[] = {
	{ 0, "json", TW_ARGUMENT, "FILE", tw_option_file, &set.path,
	  .help = "write the results to FILE, as JSON; -: to stdout,\n"
		  "the text then goes to stderr" },
	{ .name = NULL }
};

static void write_head(struct tw_json *json, const struct tw_run *run)
{
	char version[16];
	int i;

	snprintf(version, sizeof(version), "%1.2f", VERSION);
	tw_json_int(json, "schema", SCHEMA);
	tw_json_text(json, "version", version);
	tw_json_begin_line(json, "argv", '[');
	for (i = 0; i < run->argc; i++)
		tw_json_text(json, NULL, run->argv[i]);
	tw_json_end(json);
	if (run->partial)
		tw_json_bool(json, "partial", true);
}

static void write_settings(struct tw_json *json, const struct tw_run *run)
{
	int i;

	tw_json_begin(json, "settings", '{');
	for (i = 0; run->parts[i]; i++)
		if (run->parts[i]->json_settings)
			run->parts[i]->json_settings(json, run);
	tw_json_end(json);
}

/* The first failure of the run, else of the output. */
static const char *error_of(const struct tw_run *run)
{
	if (run->err)
		return run->error;
	return run->output.err ? run->output.error : NULL;
}

static void write_members(FILE *file, void *data)
{
	const struct tw_run *run = data;
	const struct tw_columns columns = run->program->columns(run);
	struct tw_json json;
	int i;

	tw_json_open(&json, file, 1);
	tw_json_int(&json, "num_threads", columns.count);
	tw_json_int(&json, "resolution_in_ns", run->show->nsecs);
	tw_percentiles_json(&json, &columns);
	tw_json_begin(&json, run->program->object, '{');
	write_head(&json, run);
	write_settings(&json, run);
	for (i = 0; run->parts[i]; i++)
		if (run->parts[i]->json)
			run->parts[i]->json(&json, run);
	tw_json_bool(&json, "interrupted", run->interrupted);
	tw_json_text(&json, "error", error_of(run));
	tw_json_end(&json);
	tw_json_close(&json);
}

/* Of a part that does something instead of measuring. */
static void write_instead(FILE *file, void *data)
{
	const struct tw_run *run = data;
	struct tw_json json;

	tw_json_open(&json, file, 1);
	tw_json_int(&json, "num_threads", 0);
	tw_json_int(&json, "resolution_in_ns", 0);
	tw_json_begin(&json, "thread", '{');
	tw_json_end(&json);
	tw_json_begin(&json, run->program->object, '{');
	write_head(&json, run);
	run->only->json(&json, run);
	tw_json_text(&json, "error", error_of(run));
	tw_json_end(&json);
	tw_json_close(&json);
}

/*
 * The library's JSON writer takes a name and does not look at errors, so it
 * gets one that lies in memory. Returns 0 or -errno.
 */
static int print(const struct tw_run *run, FILE *to)
{
	char name[32], buf[4096];
	ssize_t len;
	int fd, err;

	fd = memfd_create("twowaytest", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	rt_write_json(name, run->return_code,
		      run->only ? write_instead : write_members, (void *)run);
	while ((len = read(fd, buf, sizeof(buf))) > 0)
		if (fwrite(buf, 1, (size_t)len, to) != (size_t)len)
			break;
	err = len < 0 ? -errno : 0;
	close(fd);
	return err;
}

static int open_json(struct tw_run *run)
{
	/* As far as it can be told before. */
	if (!set.path || set.file.direct || run->step_s * run->steps <= LONG_S)
		return 0;
	set.partial_ns = tw_now_ns(CLOCK_MONOTONIC) +
			 PARTIAL_MS * TW_NS_PER_MS;
	tw_run_tick_at(run, PARTIAL_MS);
	return 0;
}

/* Returns 0 or -errno. */
static int write_partial(struct tw_run *copy)
{
	struct tw_file file;
	int err = tw_file_open_partial(&file, &set.file);

	if (err)
		return err;
	copy->partial = true;
	copy->return_code = EXIT_FAILURE;
	copy->err = 0;
	tw_fail(copy, -EINPROGRESS, "these are partial results: the test had not ended when they were written");
	err = print(copy, file.flow.stream);
	if (!err)
		return tw_file_commit(&file, -1);
	tw_file_abort(&file);
	return err;
}

static int tick(struct tw_run *run)
{
	int64_t now_ns = tw_now_ns(CLOCK_MONOTONIC);
	const int64_t period_ns = PARTIAL_MS * TW_NS_PER_MS;
	struct tw_run *copy;

	if (!set.partial_ns || now_ns < set.partial_ns)
		return 0;
	/* The next tick may come slightly less than a period later. */
	set.partial_ns = now_ns + period_ns - period_ns / 8;
	copy = run->program->so_far(run);
	if (!copy)
		return 0;
	/* An error is ignored; if it persists, the final JSON reports it. */
	if (!write_partial(copy))
		set.file.has_partial = true;
	run->program->forget(copy);
	return 0;
}

static const struct tw_result result = {
	.option = "json", .path = &set.path, .file = &set.file,
	.write = print, .verdict = true,
};

const struct tw_part tw_part_json = {
	.name = "json", .options = options, TW_SETTINGS(set, initial),
	.open = open_json, .tick = tick, .result = &result,
};
