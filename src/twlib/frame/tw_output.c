// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame/tw_run.h"

#define PATIENCE_MS	1000	/* after a signal that nobody typed */

/* The result of a part that is wanted; NULL: none. */
static const struct tw_result *wanted(const struct tw_run *run, int index)
{
	const struct tw_result *result = run->parts[index]->result;

	return result && *result->path ? result : NULL;
}

/* The one that contains the exit status; NULL: none is wanted. */
static const struct tw_result *verdict(const struct tw_run *run)
{
	const struct tw_result *result;
	int i;

	for (i = 0; run->parts[i]; i++) {
		result = wanted(run, i);
		if (result && result->verdict)
			return result;
	}
	return NULL;
}

/* What another program reads stands alone on standard output. */
static bool is_standard(const struct tw_result *result)
{
	return result && result->verdict && !strcmp(*result->path, "-");
}

int tw_output_check(struct tw_run *run)
{
	const struct tw_result *result;
	int i;

	for (i = 0; run->parts[i]; i++) {
		result = wanted(run, i);
		if (result && !result->verdict && !strcmp(*result->path, "-"))
			return tw_fail(run, -EINVAL, "--%s=-: only --json can go to standard output; name a file",
				       result->option);
	}
	return 0;
}

/* "--dump=FILE", or "standard output". */
static void name_file(const struct tw_run *run, const struct tw_file *file,
		      char *name, size_t size)
{
	bool text = file == &run->output.text;
	const struct tw_result *result;
	int i;

	for (i = 0; run->parts[i]; i++) {
		result = wanted(run, i);
		if (result && result->file == file && !is_standard(result)) {
			snprintf(name, size, "--%s=%.300s", result->option,
				 *result->path);
			return;
		}
	}
	snprintf(name, size, "standard %s",
		 text && is_standard(verdict(run)) ? "error" : "output");
}

int tw_output_judge(struct tw_run *run, const struct tw_file *file, int err)
{
	struct tw_output *output = &run->output;
	const char *kept;
	char name[400];
	size_t len;

	/* Only the first is reported: others often have the same cause. */
	if (!err || output->err)
		return err;
	name_file(run, file, name, sizeof(name));
	snprintf(output->error, sizeof(output->error),
		 "%.340s: cannot write: %s%s", name,
		 err == -EBUSY && !file->direct ?
		 "another run is writing this file; wait for its end, or name another file" :
		 tw_flow_error(err),
		 err == -EACCES && !geteuid() ?
		 "; if another user's link or file is there, in a directory that all users may write to, remove it or choose another name" :
		 "");
	kept = tw_file_kept(file);
	len = strlen(output->error);
	if (kept)
		snprintf(output->error + len, sizeof(output->error) - len,
			 "; what was written before is kept in its directory as %s",
			 kept);
	output->err = err;
	return err;
}

static int open_text(struct tw_run *run)
{
	int fd = is_standard(verdict(run)) ? STDERR_FILENO : STDOUT_FILENO;
	struct tw_file *text = &run->output.text;

	return tw_output_judge(run, text, tw_file_use(text, fd));
}

static int open_result(struct tw_run *run, const struct tw_result *result)
{
	int err;

	if (is_standard(result))
		err = tw_file_use(result->file, STDOUT_FILENO);
	else
		err = tw_file_open(result->file, *result->path);
	return tw_output_judge(run, result->file, err);
}

/* For this run alone, unless nobody has typed the name. */
static int claim(struct tw_run *run, const struct tw_result *result)
{
	int err = 0;

	if (!run->only && tw_option_given(run, result->option))
		err = tw_file_lock(result->file);

	/* What is written during the run can be read during the run. */
	if (!err && !result->write && !run->only)
		err = tw_file_show(result->file);
	else if (!err)
		tw_file_reserve(result->file);
	return tw_output_judge(run, result->file, err);
}

int tw_output_push(struct tw_run *run, struct tw_file *file, int ms)
{
	int err = tw_flow_push(&file->flow, ms);

	return err == -EAGAIN ? 0 : tw_output_judge(run, file, err);
}

/* The message begins with a file that is not the verdict's. */
static int refuse_same(struct tw_run *run, const struct tw_result *one,
		       const struct tw_result *other)
{
	const struct tw_result *first = one->verdict ? other : one;

	snprintf(run->output.error, sizeof(run->output.error),
		 "--%s=%.300s: allowed is a file of its own, not that of --%s",
		 first->option, *first->path,
		 first == one ? other->option : one->option);
	return -EINVAL;
}

/* The last to be renamed would be the only one that is left. */
static int check_different(struct tw_run *run)
{
	const struct tw_result *one, *other;
	int i, j;

	for (i = 0; run->parts[i]; i++)
		for (j = i + 1; run->parts[j]; j++) {
			one = wanted(run, j);
			other = wanted(run, i);
			if (one && other &&
			    tw_file_same(one->file, other->file))
				return refuse_same(run, one, other);
		}
	return 0;
}

int tw_output_open(struct tw_run *run)
{
	const struct tw_result *result;
	int i, err;

	err = open_text(run);
	for (i = 0; !err && run->parts[i]; i++) {
		result = wanted(run, i);
		if (result)
			err = open_result(run, result);
	}
	if (!err)
		err = check_different(run);
	for (i = 0; !err && run->parts[i]; i++) {
		result = wanted(run, i);
		if (result)
			err = claim(run, result);
	}
	if (err)
		tw_output_close(run);
	return err;
}

void tw_output_close(struct tw_run *run)
{
	const struct tw_result *result;
	int i;

	for (i = 0; run->parts[i]; i++) {
		result = wanted(run, i);
		if (result)
			tw_file_abort(result->file);
	}
	tw_file_abort(&run->output.text);
}

void tw_output_remarks(FILE *file, const struct tw_run *run)
{
	int i;

	for (i = 0; run->parts[i]; i++)
		if (run->parts[i]->remarks)
			run->parts[i]->remarks(file, run);
	/* As cyclictest below a histogram. */
	if (run->window_us)
		fprintf(file, "\n");
}

static void print_text(struct tw_run *run)
{
	FILE *file = run->output.text.flow.stream;
	int i;

	if (run->only) {
		run->only->text(file, run);
		return;
	}
	if (!run->remarks_elsewhere)
		tw_output_remarks(file, run);
	for (i = 0; run->parts[i]; i++)
		if (run->parts[i]->text)
			run->parts[i]->text(file, run);
}

int tw_output_patience_ms(const struct tw_run *run)
{
	int number = run->interrupted;

	return number == SIGTERM || number == SIGHUP ? PATIENCE_MS : -1;
}

/* Commits what waits for no reader. */
static void commit(struct tw_run *run, struct tw_file *file)
{
	if (!file->direct)
		tw_output_judge(run, file, tw_file_commit(file, -1));
}

static void write_result(struct tw_run *run, const struct tw_result *result)
{
	struct tw_file *file = result->file;
	int err = 0;

	if (!file->flow.stream)
		return;
	if (result->has_any && !result->has_any(run)) {
		tw_file_abort(file);
		return;
	}
	if (result->verdict && run->output.err)
		run->return_code = EXIT_FAILURE;
	if (result->write)
		err = result->write(run, file->flow.stream);
	if (err) {
		tw_file_abort(file);
		tw_output_judge(run, file, err);
	} else {
		commit(run, file);
	}
}

static void write_results(struct tw_run *run)
{
	const struct tw_result *result;
	int i;

	for (i = 0; run->parts[i]; i++) {
		result = wanted(run, i);
		if (result && !result->verdict && !run->only)
			write_result(run, result);
	}
	print_text(run);
	commit(run, &run->output.text);
}

/* Calls @function for each file that is still open, the verdict's excepted. */
static void for_each_file(struct tw_run *run,
			  void (*function)(struct tw_run *run,
					   struct tw_file *file))
{
	const struct tw_result *result;
	int i;

	for (i = 0; run->parts[i]; i++) {
		result = wanted(run, i);
		if (result && !result->verdict && !run->only &&
		    result->file->flow.stream)
			function(run, result->file);
	}
	if (run->output.text.flow.stream)
		function(run, &run->output.text);
}

/* As far as it can be without waiting: what is behind goes out in order. */
static void push(struct tw_run *run, struct tw_file *file)
{
	tw_output_push(run, file, 0);
}

static void finish(struct tw_run *run, struct tw_file *file)
{
	tw_output_judge(run, file,
			tw_file_commit(file, tw_output_patience_ms(run)));
}

int tw_output_finish(struct tw_run *run)
{
	const struct tw_result *last = verdict(run);
	struct tw_output *output = &run->output;
	bool direct = last && last->file->direct;
	int told;

	write_results(run);
	for_each_file(run, push);
	if (last && !direct)
		write_result(run, last);
	told = output->err;
	for_each_file(run, finish);
	if (!last)
		return output->err;
	/*
	 * JSON to a pipe or terminal is written now, after the text. JSON in a
	 * file is written again if an error since then changes the exit status.
	 */
	if (!direct && output->err != told &&
	    !tw_output_judge(run, last->file,
			     tw_file_open(last->file, *last->path)))
		claim(run, last);
	write_result(run, last);
	if (last->file->flow.stream)
		finish(run, last->file);
	return output->err;
}
