// SPDX-License-Identifier: GPL-2.0-or-later
/* The program from its start to its exit status, whatever it measures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rt-utils.h"
#include "base/tw_system.h"
#include "frame/tw_run.h"
#include "frame/tw_say.h"

static int complain_for(const struct tw_run *run, const char *message,
			int idle_ms)
{
	char prefix[64];

	snprintf(prefix, sizeof(prefix), "%s: ", run->program->name);
	tw_say(prefix, message, idle_ms);
	return EXIT_FAILURE;
}

static int complain(const struct tw_run *run, const char *message)
{
	return complain_for(run, message, -1);
}

/* The results want the command line as it was, before getopt reorders it. */
static char **copy_argv(int argc, char *argv[])
{
	char **copy = calloc(argc + 1, sizeof(*copy));

	return copy ? memcpy(copy, argv, argc * sizeof(*copy)) : NULL;
}

static int measure(struct tw_run *run)
{
	struct tw_output *output = &run->output;
	bool explain, unwritten = false;
	int idle_ms;

	if (!tw_run_open(run)) {
		tw_run_steps(run);
		tw_run_finish(run);
		if (run->err)
			run->return_code = EXIT_FAILURE;
		else if (tw_run_exceeded(run))
			run->return_code = TW_EXIT_EXCEEDED;
		unwritten = run->started && tw_output_finish(run);
	}
	/* What could not be written is complained of in any case. */
	explain = run->err && !(run->unwritten && output->err);
	/* First: whoever reads the messages may let us wait. */
	tw_run_close(run);
	idle_ms = tw_output_patience_ms(run);
	if (unwritten)
		run->return_code = complain_for(run, output->error, idle_ms);
	if (explain)
		run->return_code = complain_for(run, run->error, idle_ms);
	return run->return_code;
}

static int do_only(struct tw_run *run)
{
	run->return_code = run->only->instead(run);
	if (tw_output_finish(run))
		run->return_code = complain(run, run->output.error);
	return run->return_code;
}

static int execute(struct tw_run *run)
{
	int status;

	if (tw_output_open(run))
		return complain(run, run->output.error);
	status = run->only ? do_only(run) : measure(run);
	tw_output_close(run);
	return status;
}

int tw_run_main(struct tw_run *run, const struct tw_program *program,
		int argc, char *argv[])
{
	char **original;
	int status;

	run->program = program;
	if (tw_system_check_stdio())
		return complain(run, "standard output and standard error must be open");
	original = copy_argv(argc, argv);
	if (!original)
		return complain(run, "out of memory");
	rt_init(argc, argv);

	if (tw_run_parse(run, program, argc, argv)) {
		status = complain(run, run->error);
	} else if (run->help) {
		tw_run_help(run, stdout);
		status = EXIT_SUCCESS;
	} else if (run->version) {
		printf("%s V %1.2f\n", program->name, VERSION);
		status = EXIT_SUCCESS;
	} else {
		run->argv = original;
		status = execute(run);
	}
	free(original);
	return status;
}
