// SPDX-License-Identifier: GPL-2.0-or-later
/* A side as a process: its signals, descriptors, failures and end. */
#include <fcntl.h>
#include <stdio.h>

#include "open_files.h"
#include "side.h"

/* A line of /proc/PID/status, as a number. */
static uint64_t status_of(enum tw_role role, const char *name, int base)
{
	char path[64], line[256];
	uint64_t value = 0;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status",
		 (int)pair->side[role].child.pid);
	file = fopen(path, "r");
	assert_non_null(file);
	while (!found && fgets(line, sizeof(line), file)) {
		found = !strncmp(line, name, strlen(name));
		if (found)
			value = strtoull(strchr(line, ':') + 1, NULL, base);
	}
	fclose(file);
	assert_true(found);
	return value;
}

static bool has_signal(uint64_t set, int number)
{
	return set >> (number - 1) & 1;
}

/* Main alone acts on what everybody gets; only the end interrupts. */
static void check_signals(enum tw_role role)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1,
				       SIGPIPE };
	pid_t pid;
	size_t i;

	/* Ignored by nohup, they would be ignored in any case. */
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_DFL);
	start(role);
	pid = pair->side[role].child.pid;
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
		assert_int_equal(kill(pid, ignored[i]), 0);
		assert_true(has_signal(status_of(role, "SigIgn", 16),
				       ignored[i]));
	}
	assert_true(has_signal(status_of(role, "SigCgt", 16),
			       TW_STOP_SIGNAL));
	/* Those of the test's own, blocked or not, are no matter of a side. */
	assert_int_equal(status_of(role, "SigBlk", 16), 0);
	/* As good as before. */
	if (role == TW_SERVER) {
		request(1);
		await_reply(1);
	} else {
		await_request(1);
		reply(1);
		await_request(2);
	}
	stop(role);
	assert_int_equal(pair->side[role].failed, TW_STEP_NONE);
}

static void test_server_signals(void **state)
{
	(void)state;
	check_signals(TW_SERVER);
}

static void test_client_signals(void **state)
{
	(void)state;
	check_signals(TW_CLIENT);
}

static void check_name(enum tw_role role, const char *name)
{
	char path[64], got[32];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm",
		 (int)pair->side[role].child.pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(got, sizeof(got), file));
	fclose(file);
	assert_string_equal(got, name);
}

static bool has_fd(enum tw_role role, int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d",
		 (int)pair->side[role].child.pid, fd);
	return !access(path, F_OK);
}

/* Each keeps its own end; the client, what it is to keep, too. */
static void test_descriptors(void **state)
{
	int link[2], other = dup(0), i;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, link), 0);
	for (i = 0; i < TW_SIDE_KEEP; i++)
		pair->keep[i] = open("/dev/null", O_WRONLY);
	pair->task.link = (struct tw_link) { link[0], link[1] };
	/* Nobody answers: it waits. */
	pair->task.timer_ops = tw_timer_kinds[1];
	pair->task.period_ns = 3600 * TW_NS_PER_S;
	start(TW_SERVER);
	start(TW_CLIENT);
	check_name(TW_SERVER, "twoway-server\n");
	check_name(TW_CLIENT, "twoway-client\n");
	assert_true(has_fd(TW_CLIENT, link[0]));
	assert_false(has_fd(TW_CLIENT, link[1]));
	assert_true(has_fd(TW_SERVER, link[1]));
	assert_false(has_fd(TW_SERVER, link[0]));
	for (i = 0; i < TW_SIDE_KEEP; i++) {
		assert_true(has_fd(TW_CLIENT, pair->keep[i]));
		assert_false(has_fd(TW_SERVER, pair->keep[i]));
		close(pair->keep[i]);
	}
	assert_false(has_fd(TW_CLIENT, other) || has_fd(TW_SERVER, other));
	stop(TW_CLIENT);
	stop(TW_SERVER);
	close(other);
	close(link[0]);
	close(link[1]);
}

/* A start that leaked one, in each step, would end a long ramp. */
static void test_no_leak(void **state)
{
	const int before = count_open_files();

	(void)state;
	start(TW_SERVER);
	assert_int_equal(count_open_files(), before);
	stop(TW_SERVER);
	assert_int_equal(count_open_files(), before);
	pair->task.priority[TW_CLIENT] = 5;
	assert_int_equal(tw_side_start(pair, TW_CLIENT), -EINVAL);
	assert_int_equal(count_open_files(), before);
}

/* What went wrong is told to main, and where. */
static void test_failure(void **state)
{
	(void)state;
	start(TW_SERVER);
	request(7);
	assert_int_equal(end_of(TW_SERVER), EXIT_FAILURE);
	assert_int_equal(pair->side[TW_SERVER].failed, TW_STEP_RUN);
	assert_int_equal(pair->side[TW_SERVER].err, -EPROTO);
	assert_int_equal(pair->side[TW_CLIENT].failed, TW_STEP_NONE);
}

static void test_unsettled(void **state)
{
	(void)state;
	/* Ordinary tasks have no priority. */
	pair->task.priority[TW_CLIENT] = 5;
	assert_int_equal(tw_side_start(pair, TW_CLIENT), -EINVAL);
	assert_int_equal(pair->side[TW_CLIENT].failed, TW_STEP_SCHEDULE);
	assert_int_equal(pair->side[TW_CLIENT].err, -EINVAL);
	assert_true(pair->side[TW_CLIENT].child.ended);
	/* The server's is its own. */
	start(TW_SERVER);
	stop(TW_SERVER);
}

static void test_merge(void **state)
{
	struct tw_side sum = { .child.stops = 2 };
	struct tw_side next = { .child.stops = 3, .err = -EIO };

	/* Of what did not change, the last is told. */
	CPU_SET(3, &next.settings.cpus);
	CPU_SET(3, &next.left.cpus);

	(void)state;
	tw_side_merge(&sum, &next);
	assert_int_equal(sum.child.stops, 5);
	assert_int_equal(sum.err, -EIO);
	assert_true(CPU_EQUAL(&sum.left.cpus, &next.left.cpus));

	/* A change of one step is not hidden by the next one's. */
	CPU_SET(4, &sum.left.cpus);
	tw_side_merge(&sum, &next);
	assert_true(CPU_ISSET(4, &sum.left.cpus));
	assert_int_equal(sum.child.stops, 8);
	/* Of two changes the last is told. */
	CPU_SET(5, &next.left.cpus);
	tw_side_merge(&sum, &next);
	assert_true(CPU_EQUAL(&sum.left.cpus, &next.left.cpus));
}

/* Whatever main dies of: its sides do not outlive it. */
static void test_end_of_main(void **state)
{
	pid_t main_pid;
	char got;

	(void)state;
	main_pid = fork();
	assert_true(main_pid >= 0);
	if (!main_pid) {
		close(ends[1]);
		_exit(tw_side_start(pair, TW_SERVER) ? 1 : 0);
	}
	assert_int_equal(waitpid(main_pid, NULL, 0), main_pid);
	/* Then nobody has the other end any more. */
	close(ends[0]);
	assert_int_equal(recv(ends[1], &got, 1, 0), 0);
	ends[0] = dup(ends[1]);
	memset(&pair->side[TW_SERVER].child, 0, sizeof(struct tw_child));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PAIR(test_server_signals),
		WITH_PAIR(test_client_signals),
		WITH_PAIR(test_descriptors),
		WITH_PAIR(test_no_leak),
		WITH_PAIR(test_failure),
		WITH_PAIR(test_unsettled),
		WITH_PAIR(test_merge),
		WITH_PAIR(test_end_of_main),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
