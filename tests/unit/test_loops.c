// SPDX-License-Identifier: GPL-2.0-or-later
/* Both loops against each other: two processes, each with its own script. */
#include <errno.h>
#include <sys/wait.h>

#include "loop_client.h"
#include "measure/tw_server.h"

#define KINDS		5
#define SERVER_SEED	4711

static struct script_clock server_script;

static void server_steady(void *to)
{
	(void)to;
}

/* Where the sides are to run; -1: anywhere. */
static int client_cpu = -1, server_cpu = -1;

/* In a child, until the client hangs up; the exit code is -error. */
static pid_t start_server(const struct tw_wait_ops *ops, size_t size)
{
	cpu_set_t before;

	const struct tw_server server = {
		.fd = ends[1],
		.size = size,
		.request = request,
		.clock = script_clock(&server_script, SERVER_SEED),
		.wait_ops = ops,
		.warmup = 2,
		.stop = &stop,
		.steady = server_steady,
	};
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		close(ends[0]);
		if (server_cpu >= 0)
			stay_on(server_cpu, &before);
		_exit(-tw_server_run(&server));
	}
	return pid;
}

/* Four scripted times a cycle, two from each side: nothing else. */
static void assert_times(uint64_t count)
{
	uint64_t i;

	assert_int_equal(sink.warm, 2);
	assert_int_equal(sink.recorded, count - 2);
	for (i = 0; i < count; i++) {
		const struct tw_cycle *cycle = &sink.cycles[i];

		assert_int_equal(cycle->seq, i + 1);
		assert_int_equal(cycle->t0_ns, script.times_ns[1 + 2 * i]);
		assert_int_equal(cycle->t1_ns, server_script.times_ns[2 * i]);
		assert_int_equal(cycle->t2_ns,
				 server_script.times_ns[2 * i + 1]);
		assert_int_equal(cycle->t3_ns, script.times_ns[2 + 2 * i]);
		assert_int_equal(cycle->missed, 0);
		assert_int_equal(cycle->planned_ns, GRID_START +
				 (int64_t)(i + 1) * GRID_PERIOD);
	}
}

static void check(size_t kind, size_t size, uint64_t count)
{
	struct tw_client client = new_client(2, count - 2);
	cpu_set_t before;
	int status;
	pid_t pid;

	client.size = size;
	pid = start_server(tw_wait_kinds[kind], size);
	if (client_cpu >= 0)
		stay_on(client_cpu, &before);
	assert_int_equal(tw_client_run(&client), 0);
	if (client_cpu >= 0)
		go_anywhere(&before);
	assert_int_equal(shutdown(ends[0], SHUT_WR), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_times(count);
}

static void test_every_wait(void **state)
{
	size_t kind;

	(void)state;
	for (kind = 0; kind < KINDS; kind++) {
		check(kind, TW_REQUEST_MIN, 500);
		tear_down(state);
		set_up(state);
	}
}

static void test_sizes(void **state)
{
	static const size_t sizes[] = { 9, 1000, 4096, TW_REQUEST_MAX };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		check(0, sizes[i], 50);
		tear_down(state);
		set_up(state);
	}
}

/* On two CPUs, if there are two: each of them where it belongs. */
static void test_cpus(void **state)
{
	size_t i;

	(void)state;
	client_cpu = allowed_cpu(false);
	server_cpu = allowed_cpu(true);
	check(0, TW_REQUEST_MIN, 20);
	for (i = 0; i < 20; i++) {
		assert_int_equal(sink.cycles[i].client_cpu, client_cpu);
		assert_int_equal(sink.cycles[i].server_cpu, server_cpu);
	}
	client_cpu = -1;
	server_cpu = -1;
}

/* The two do not agree on the size: neither waits for ever. */
static void test_other_size(void **state)
{
	struct tw_client client = new_client(0, 5);
	int status;
	pid_t pid;

	(void)state;
	client.size = 24;
	pid = start_server(tw_wait_kinds[0], 16);
	close(ends[1]);
	assert_true(tw_client_run(&client) < 0);
	assert_int_equal(shutdown(ends[0], SHUT_RDWR), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(status == EPROTO << 8 || status == EMSGSIZE << 8);
	ends[1] = dup(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_ENDS(test_every_wait),
		WITH_ENDS(test_sizes),
		WITH_ENDS(test_cpus),
		WITH_ENDS(test_other_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
