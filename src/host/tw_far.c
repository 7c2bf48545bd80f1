// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --far: the server's side of a measurement between two hosts. Standard input
 * has the request, then what the client's side does; standard output gets the
 * answers. All are lines of words. It ends when its input ends.
 *
 *	["--far=3"] STEPS --size=8 ...
 *				twowaytest 3
 *				twowaytest 3 ready PORT COOKIE
 *				twowaytest 3 started STEP
 *	end 1
 *				twowaytest 3 ended STATUS SET SUSPENDED EXCESS
 *				 REQUESTS ... RATE ...
 *				twowaytest 3 moved [CHANGE]
 *				twowaytest 3 result NAME VALUE
 *
 * With "end 0", another step follows. The status is 1 if something has failed
 * here, after a message, or 2 if a signal came: then the run has ended, also if
 * the client's side has not asked for that. SET: how often the clock was set;
 * SUSPENDED: us; EXCESS: tw_far_cause_answer(); REQUESTS: of each pair; RATE:
 * of each load, in 1000 s. After the last step, "moved" comes for each pair,
 * and "result" as tw_lines_write_json() has it. Other lines are messages or,
 * from # on, the text of a cause.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tw_await.h"
#include "tw_hosts.h"
#include "tw_idle.h"
#include "tw_json.h"
#include "tw_lines.h"
#include "tw_load.h"
#include "tw_part.h"
#include "tw_policy.h"
#include "tw_process.h"
#include "tw_stamps.h"
#include "tw_string.h"
#include "tw_transport.h"

#define MEET_S		20	/* until all clients are connected */
#define ANSWER		TW_ASK_ANSWER TW_ASK_VERSION

bool tw_far, tw_far_is_awake;
int tw_far_priority = INT_MAX, tw_far_lock_fd = -1;
static int output;		/* what was standard output */
static char *text;		/* of an answer */
static bool last;		/* no step follows */
static struct tw_lines lines = {
	.fd = STDIN_FILENO, .max = TW_ASK_MAX,
};
static struct tw_meeting meeting;

static const struct tw_option options[] = {
	{ 0, "far", TW_FLAG, &tw_far,
	  .help = "the server's side, with requests from standard input" },
	{ .name = NULL }
};

/* In memory; a line of something else may have been begun. */
static FILE *begin_answer(void)
{
	FILE *file = tw_string_open(&text);

	fputs("\n" ANSWER, file);
	return file;
}

static void send_answer(FILE *file)
{
	fputc('\n', file);
	fclose(file);
	tw_lines_send(output, text, strlen(text));
	free(text);
}

/* Standard output has the answers, and messages, alone. */
static void redirect(void)
{
	int null = open("/dev/null", O_WRONLY);

	if (isatty(STDIN_FILENO))
		tw_say_fatal("--far: standard input is a terminal; twowaytest --connect=HOST --rsh starts this program\n");
	output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (output < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(output, STDERR_FILENO) < 0)
		tw_say_fatal("--far: cannot redirect standard output: %m\n");
	close(null);
	fcntl(output, F_SETFL, O_NONBLOCK);
	send_answer(begin_answer());
}

static void meet(void)
{
	int err = tw_reach_meet_listen(&meeting, lines.fd);
	FILE *file;

	if (err)
		tw_say_fatal("cannot open a port for the clients: %s\n",
			     strerror(-err));
	file = begin_answer();
	fprintf(file, " ready %d %s", meeting.port, meeting.cookie);
	send_answer(file);
	meeting.other_fd = lines.fd;
	meeting.end_ns = tw_await_in_ms(MEET_S * 1000);
	err = tw_reach_meet_accept(&meeting);
	/* The client's side has ended, and knows why. */
	if (err == -EINTR)
		exit(EXIT_SUCCESS);
	if (err)
		tw_say_fatal("the clients were not connected within %d s: %s; look for a firewall between the hosts\n",
			     MEET_S, strerror(-err));
}

static void woken(struct tw_run *run)
{
	const char *line;
	int ends;

	if (!tw_far)
		return;
	while ((line = tw_lines_await(&lines, -1, 0))) {
		tw_far_cause_note(run, line);
		if (sscanf(line, "end %1d", &ends) != 1)
			continue;
		last = ends;
		run->control->stop = 1;
	}
	last |= lines.ended;
	if (last)
		run->control->stop = 1;
}

static void start_pair(struct tw_run *run, int number)
{
	struct tw_pair *pair = run->pairs[number];
	FILE *file;

	if (!number)
		meet();
	pair->fd[TW_CLIENT] = -1;
	pair->fd[TW_SERVER] = meeting.fds[number];
	tw_transport_prepare(pair->fd[TW_SERVER]);
	tw_stamps_enable(pair->fd[TW_SERVER]);
	run->wake_fd = lines.fd;
	tw_pair_start_process(run, number, TW_SERVER);
	if (number < tw_config.pairs - 1)
		return;
	file = begin_answer();
	fprintf(file, " started %d", run->step);
	send_answer(file);
	/* A line that is in memory does not wake anybody. */
	woken(run);
}

/* Not by ssh, whose user has logged in, but by a server or a socket unit. */
static bool is_networked(void)
{
	int family = AF_UNIX;
	socklen_t length = sizeof(family);

	/* A pipe has none. */
	getsockopt(STDIN_FILENO, SOL_SOCKET, SO_DOMAIN, &family, &length);
	return family != AF_UNIX;
}

/* Before all else is checked: what is asked for is as if it had been typed. */
static void check(struct tw_run *run)
{
	struct flock lock = { .l_type = F_WRLCK };
	const char *line;

	if (!tw_far)
		return;
	redirect();
	line = tw_lines_await(&lines, tw_await_stop_fd(),
			      tw_await_in_ms(TW_ASK_S * 1000));
	if (!line && tw_await_stopped())
		exit(EXIT_SUCCESS);
	if (!line)
		tw_say_fatal("--far: no request has come; allowed is a line of at most %d bytes, within %d s\n",
			     TW_ASK_MAX, TW_ASK_S);
	if (tw_far_lock_fd >= 0 && fcntl(tw_far_lock_fd, F_SETLK, &lock))
		tw_say_fatal("BUSY: the server is measuring with another client\n");
	run->steps = tw_ask_parse(line, !is_networked());
	if (tw_far_is_awake) {
		tw_idle.untouched = true;
		tw_idle.latency_us = -1;
	}
	run->start_pair = start_pair;
	tw_settings.absent[TW_CLIENT] = true;
}

/* Of what will be set. A load, and main with it, is below all servers. */
static void check_rights(struct tw_run *run)
{
	if (tw_far_priority == INT_MAX)
		return;
	/* It has no priority. */
	if (tw_config.schedule != tw_process_schedule)
		tw_say_fatal("--policy=%s: a --server allows nobody this; use --rsh\n",
			     tw_policy_name(tw_config.policy));
	if (tw_config_rank(TW_SERVER, 0).priority > tw_far_priority)
		tw_say_fatal("--priority=%d: this server allows its servers %d at most\n",
			     (int)tw_config.priority, tw_far_priority);
}

/* After the last step: what is known of the servers, and all results. */
static void write_results(FILE *file, const struct tw_run *run)
{
	char *json;
	FILE *memory = tw_string_open(&json);
	int i;

	tw_json_own(memory, run);
	fclose(memory);
	for (i = 0; i < tw_config.pairs; i++) {
		const struct tw_pair *pair = run->pairs[i];

		if (!tw_process_changed(&pair->begun[TW_SERVER],
					&pair->left[TW_SERVER]))
			fputs(ANSWER " moved\n", file);
		tw_process_print_change(file, ANSWER " moved ",
					&pair->begun[TW_SERVER],
					&pair->left[TW_SERVER]);
	}
	tw_lines_write_json(file, ANSWER " result ", json);
	free(json);
}

/* After all other parts. Here are no results to be judged. */
static void end(struct tw_run *run)
{
	int64_t excess_ns = -1;
	FILE *file;
	int i;

	if (!tw_far)
		return;
	run->wake_fd = -1;
	last |= run->failed || run->interrupted;
	if (last)
		excess_ns = tw_far_cause_answer(run);
	file = begin_answer();
	fprintf(file, " ended %d %" PRIu64 " %" PRId64 " %" PRId64,
		run->failed ? 1 : run->interrupted ? 2 : 0,
		run->times_set, run->suspended_us, excess_ns);
	for (i = 0; i < tw_config.pairs; i++)
		fprintf(file, " %" PRIu64, tw_transport_answered(run, i));
	for (i = 0; tw_load_number(i); i++)
		fprintf(file, " %" PRId64,
			(int64_t)(tw_load_number(i)->rate * 1000));
	fputc('\n', file);
	if (last)
		write_results(file, run);
	send_answer(file);
	if (last)
		exit(run->failed ? EXIT_FAILURE : EXIT_SUCCESS);
}

const struct tw_part tw_part_far = {
	.options = options, .group = TW_HOSTS, .check = check,
	.checked = check_rights, .woken = woken, .end = end,
};
