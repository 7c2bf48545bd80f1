// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * twowaytest: measures the latency of a request and its reply under real-time
 * scheduling. tw_parts.c says what it consists of.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "tw_file.h"
#include "tw_output.h"
#include "tw_part.h"
#include "tw_place.h"
#include "tw_text.h"

#define EXIT_EXCEEDED	2

/*
 * If descriptor 0, 1 or 2 is closed, a socket could get its number and receive
 * our messages. Opened for reading, it cannot, and writing still fails.
 */
static void occupy_closed(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
			exit(EXIT_FAILURE);
}

/*
 * SIGINT ends the run even if it was ignored at the start, as it is in a
 * shell's background job; SIGHUP stays ignored under nohup.
 */
static void open_signals(struct tw_run *run)
{
	struct sigaction action;
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGALRM);
	if (!sigaction(SIGHUP, NULL, &action) && action.sa_handler != SIG_IGN)
		sigaddset(&signals, SIGHUP);
	/* In cyclictest, it asks for something that is not here. */
	signal(SIGUSR2, SIG_IGN);
	/* It may have been ignored at the start, and children not be reaped. */
	signal(SIGCHLD, SIG_DFL);
	/* A failed write then returns an error, which is reported. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	run->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (run->signal_fd < 0)
		tw_say_fatal("cannot take signals: %m\n");
}

static int print(const struct tw_run *run, int status)
{
	tw_text_print(stdout, run);
	if (tw_output_flush())
		return status;
	/* Else it was told while it measured. */
	if (!run->failed)
		tw_output_warn();
	return EXIT_FAILURE;
}

/* Exit status of a run that has results, which are then printed and written. */
static int conclude(const struct tw_run *run, int status)
{
	int i;

	for (i = 0; tw_parts[i]; i++)
		if (tw_parts[i]->exceeded && tw_parts[i]->exceeded(run))
			status = status ? status : EXIT_EXCEEDED;
	status = print(run, status);
	while (i--)
		if (tw_parts[i]->write && tw_parts[i]->write(run, status))
			status = EXIT_FAILURE;
	return status;
}

int main(int argc, char *argv[])
{
	static struct tw_run run = {
		.steps = 1, .tick_ms = -1, .wake_fd = -1,
	};
	int i, status;

	occupy_closed();
	tw_place_open();
	run.argv = calloc(argc + 1, sizeof(*run.argv));
	for (i = 0; i < argc; i++)
		run.argv[i] = strdup(argv[i]);
	tw_option_parse_all(argc, argv);
	open_signals(&run);
	TW_PARTS(check, &run);
	TW_PARTS(checked, &run);
	tw_file_open_all();
	tw_run_measure(&run);
	tw_output_begin();
	/* A server that -b has found to be too late need not end. */
	status = run.failed && !(run.stuck && run.broken) ? EXIT_FAILURE :
		 EXIT_SUCCESS;
	return run.measured ? conclude(&run, status) : status;
}
