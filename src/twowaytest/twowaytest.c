// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * twowaytest: measures the latency of a request and its reply under real-time
 * scheduling. Start to read here.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rt-error.h"
#include "rt-utils.h"
#include "tw_config.h"
#include "tw_explain.h"
#include "tw_json.h"
#include "tw_output.h"
#include "tw_session.h"

#define EXIT_EXCEEDED	2	/* a limit, or -b; --check: findings */
#define WARNING		"WARN: "	/* as the library's */
#define WARNING_MS	100

/*
 * One line on stderr, whatever the user's own words in it are made of. Who
 * reads it may pause for @idle_ms, or, with -1, until a signal comes.
 */
static void say(const char *prefix, const char *message, int idle_ms)
{
	char line[TW_ERROR_MAX];
	struct tw_file file;
	size_t i;

	snprintf(line, sizeof(line), "%s", message);
	for (i = 0; line[i]; i++)
		if (iscntrl((unsigned char)line[i]))
			line[i] = '?';
	if (!tw_file_use(&file, STDERR_FILENO)) {
		fprintf(file.flow.stream, "%s%s\n", prefix, line);
		tw_file_commit(&file, idle_ms);
	} else {
		err_msg("%s%s\n", prefix, line);
	}
}

static int complain_for(const char *message, int idle_ms)
{
	say("twowaytest: ", message, idle_ms);
	return EXIT_FAILURE;
}

static int complain(const char *message)
{
	return complain_for(message, -1);
}

/* The results want the command line as it was, before getopt reorders it. */
static char **copy_argv(int argc, char *argv[])
{
	char **copy = calloc(argc + 1, sizeof(*copy));

	return copy ? memcpy(copy, argv, argc * sizeof(*copy)) : NULL;
}

/* rt_write_json() writes the command line unescaped: escape it before. */
static int init_library(int argc, char *argv[])
{
	char **escaped = calloc(argc + 1, sizeof(*escaped));
	int i, ok = escaped != NULL;

	for (i = 0; ok && i < argc; i++) {
		size_t size = 6 * strlen(argv[i]) + 1;

		escaped[i] = malloc(size);
		ok = escaped[i] != NULL;
		if (ok)
			tw_json_escape(escaped[i], size, argv[i]);
	}
	if (ok)
		rt_init(argc, escaped);
	for (i = 0; escaped && i < argc; i++)
		free(escaped[i]);
	free(escaped);
	return ok ? 0 : -1;
}

static void announce(const struct tw_session *session, FILE *text)
{
	const struct tw_config *config = session->config;
	char line[TW_ERROR_MAX];

	if (session->latency_fd >= 0)
		fprintf(text, "# /dev/cpu_dma_latency set to %dus\n",
			(int)config->latency_us);
	else if (session->latency_err) {
		snprintf(line, sizeof(line), "/dev/cpu_dma_latency: cannot limit the latency of power management: %s",
			 strerror(-session->latency_err));
		say(WARNING, line, WARNING_MS);
	}
	if (session->trace.removed) {
		snprintf(line, sizeof(line), "--trace: removed what killed tests have left behind: %s%s",
			 session->trace.first_removed,
			 session->trace.removed > 1 ? " and others" : "");
		say(WARNING, line, WARNING_MS);
	}
}

/* One step after the other, until the last or the first that fails. */
static void run_steps(struct tw_session *session, struct tw_output *output)
{
	struct tw_watch watch;
	int step;

	tw_output_watch(output, &watch);
	for (step = 0; step < session->config->steps; step++) {
		if (tw_session_begin(session, step))
			return;
		if (!step)
			announce(session, output->text.flow.stream);
		tw_output_begin_step(output);
		if (tw_session_run(session, &watch))
			return;
		tw_output_end_step(output);
		if (session->interrupted || session->pair->brk.broken ||
		    output->err)
			return;
	}
}

static int measure(struct tw_report *report, struct tw_output *output)
{
	const struct tw_config *config = report->config;
	bool whole_cycles = config->dump || (config->verbose && !config->quiet);
	struct tw_session session;
	struct tw_survey survey;
	char error[TW_ERROR_MAX] = "";
	bool unwritten = false;
	int idle_ms;

	report->session = &session;
	if (!tw_session_open(&session, config, whole_cycles)) {
		if (config->json) {
			tw_survey_make(&survey, config,
				       session.latency_fd >= 0);
			report->survey = &survey;
		}
		run_steps(&session, output);
		tw_session_finish(&session);
		if (session.failure.step != TW_STEP_NONE)
			report->return_code = EXIT_FAILURE;
		else if (session.broken || !tw_report_within_limits(report))
			report->return_code = EXIT_EXCEEDED;
		unwritten = session.started && tw_output_finish(output);
	}
	/* What could not be written is complained of in any case. */
	if (session.failure.step != TW_STEP_NONE &&
	    !(session.failure.step == TW_STEP_WRITE && output->err))
		tw_explain(&session, error, sizeof(error));
	/* First: whoever reads the messages may let us wait. */
	tw_session_close(&session);
	idle_ms = tw_output_patience_ms(output);
	if (unwritten)
		report->return_code = complain_for(output->error, idle_ms);
	if (*error)
		report->return_code = complain_for(error, idle_ms);
	return report->return_code;
}

/* --check: as before a test of this configuration. */
static int check(struct tw_report *report, struct tw_output *output)
{
	const struct tw_config *config = report->config;
	struct tw_survey survey;

	tw_survey_make(&survey, config, !config->default_system &&
		       !access("/dev/cpu_dma_latency", W_OK));
	report->survey = &survey;
	report->return_code = survey.count ? EXIT_EXCEEDED : EXIT_SUCCESS;
	if (tw_output_check(output))
		report->return_code = complain(output->error);
	return report->return_code;
}

static int run(const struct tw_config *config, int argc, char **argv)
{
	struct tw_report report = {
		.config = config, .argc = argc, .argv = argv,
	};
	struct tw_output output;
	int status;

	if (tw_output_open(&output, &report))
		return complain(output.error);
	status = config->check ? check(&report, &output) :
				 measure(&report, &output);
	tw_output_close(&output);
	return status;
}

int main(int argc, char *argv[])
{
	struct tw_config config;
	char error[TW_ERROR_MAX];
	char **original;
	int status;

	if (tw_system_check_stdio())
		return complain("standard output and standard error must be open");
	original = copy_argv(argc, argv);
	if (!original || init_library(argc, argv))
		return complain("out of memory");

	if (tw_config_parse(&config, argc, argv, error)) {
		status = complain(error);
	} else if (config.help) {
		tw_config_help(stdout);
		status = EXIT_SUCCESS;
	} else if (config.version) {
		printf("twowaytest V %1.2f\n", VERSION);
		status = EXIT_SUCCESS;
	} else {
		status = run(&config, argc, original);
	}
	free(original);
	return status;
}
