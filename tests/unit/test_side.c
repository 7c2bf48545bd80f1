// SPDX-License-Identifier: GPL-2.0-or-later
/* A side as a process of its own, with the test as its peer. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "tw_side.h"
#include "tw_time.h"
#include "tw_wire.h"

#define LIMIT_MS	20000	/* a busy host must not break a test */

static struct tw_pair *pair;
static int ends[2];		/* the side's, and the test's */
static size_t bytes;

static size_t rounded(size_t size)
{
	return (size + 63) / 64 * 64;
}

/* Ordinary, unlocked, a closed loop: what anybody may have. */
static int set_up(void **state)
{
	const struct tw_metric_params params = { .period_ns = 0 };
	const size_t at_tally = rounded(sizeof(struct tw_pair));
	const size_t at_ring = at_tally + rounded(tw_tally_size(0));
	const struct timeval limit = { .tv_sec = LIMIT_MS / 1000 };
	char *memory;
	int role;

	(void)state;
	bytes = at_ring + sizeof(struct tw_ring);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) ||
	    setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		return -1;
	pair = (struct tw_pair *)memory;
	pair->shared_size = bytes;
	pair->tally = tw_tally_init(memory + at_tally, &params, 0);
	pair->ring = (struct tw_ring *)(memory + at_ring);
	for (role = 0; role < TW_TRACES; role++)
		pair->brk.traces[role] = (struct tw_trace_fds) { -1, -1 };
	for (role = 0; role < TW_ROLES; role++)
		if (sched_getaffinity(0, sizeof(cpu_set_t),
				      &pair->task.cpus[role]))
			return -1;
	pair->task.policy = SCHED_OTHER;
	pair->task.timer_ops = &tw_timer_none;
	pair->task.wait_ops = tw_wait_kind(0);
	pair->task.link = (struct tw_link) { ends[0], ends[0] };
	pair->task.size = TW_REQUEST_MIN;
	return tw_clock_open(&pair->task.clock, "monotonic");
}

static int tear_down(void **state)
{
	int role;

	(void)state;
	for (role = TW_SERVER; role <= TW_CLIENT; role++)
		tw_child_stop(&pair->side[role].child, SIGKILL, LIMIT_MS);
	close(ends[0]);
	close(ends[1]);
	return munmap(pair, bytes);
}

static void start(enum tw_role role)
{
	assert_int_equal(tw_side_start(pair, role), 0);
	assert_true(pair->side[role].child.pid > 0);
}

/* Until @role has ended; its exit status. */
static int end_of(enum tw_role role)
{
	struct tw_child *child = &pair->side[role].child;

	/* Without a signal: it is to end by itself. */
	assert_int_equal(tw_child_stop(child, 0, LIMIT_MS), 0);
	assert_true(WIFEXITED(child->status));
	return WEXITSTATUS(child->status);
}

static void stop(enum tw_role role)
{
	struct tw_child *child = &pair->side[role].child;

	atomic_store(&pair->stop, 1);
	assert_int_equal(tw_child_stop(child, TW_STOP_SIGNAL, LIMIT_MS), 0);
	assert_true(WIFEXITED(child->status));
	assert_int_equal(WEXITSTATUS(child->status), 0);
}

static void request(uint64_t seq)
{
	char buf[TW_REQUEST_MIN];

	tw_wire_put_request(buf, seq);
	assert_int_equal(send(ends[1], buf, sizeof(buf), MSG_NOSIGNAL),
			 sizeof(buf));
}

static struct tw_reply await_reply(uint64_t seq)
{
	char buf[TW_REPLY_SIZE];
	struct tw_reply got;

	assert_int_equal(recv(ends[1], buf, sizeof(buf), MSG_WAITALL),
			 sizeof(buf));
	assert_int_equal(tw_wire_get_reply(buf, sizeof(buf), seq, &got), 0);
	return got;
}

static void await_request(uint64_t seq)
{
	char buf[TW_REQUEST_MIN];

	assert_int_equal(recv(ends[1], buf, sizeof(buf), MSG_WAITALL),
			 sizeof(buf));
	assert_int_equal(tw_wire_get_request(buf, sizeof(buf), sizeof(buf),
					     seq), 0);
}

static void reply_after(uint64_t seq, int64_t sleep_ns)
{
	const struct tw_reply sent = {
		.seq = seq, .t1_ns = 11, .t2_ns = 11 + sleep_ns, .cpu = 13,
	};
	char buf[TW_REPLY_SIZE];

	tw_wire_put_reply(buf, &sent);
	assert_int_equal(send(ends[1], buf, sizeof(buf), MSG_NOSIGNAL),
			 sizeof(buf));
}

static void reply(uint64_t seq)
{
	reply_after(seq, 1);
}

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

/* Each keeps its own end; the client, what it marks and stops, too. */
static void test_descriptors(void **state)
{
	int link[2], fds[2 * TW_TRACES], other = dup(0), i;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, link), 0);
	for (i = 0; i < 2 * TW_TRACES; i++)
		fds[i] = open("/dev/null", O_WRONLY);
	for (i = 0; i < TW_TRACES; i++)
		pair->brk.traces[i] = (struct tw_trace_fds) {
			fds[2 * i], fds[2 * i + 1],
		};
	pair->task.link = (struct tw_link) { link[0], link[1] };
	/* Nobody answers: it waits. */
	pair->task.timer_ops = tw_timer_kind(1);
	pair->task.period_ns = 3600 * TW_NS_PER_S;
	start(TW_SERVER);
	start(TW_CLIENT);
	check_name(TW_SERVER, "twoway-server\n");
	check_name(TW_CLIENT, "twoway-client\n");
	assert_true(has_fd(TW_CLIENT, link[0]));
	assert_false(has_fd(TW_CLIENT, link[1]));
	assert_true(has_fd(TW_SERVER, link[1]));
	assert_false(has_fd(TW_SERVER, link[0]));
	for (i = 0; i < 2 * TW_TRACES; i++) {
		assert_true(has_fd(TW_CLIENT, fds[i]));
		assert_false(has_fd(TW_SERVER, fds[i]));
		close(fds[i]);
	}
	assert_false(has_fd(TW_CLIENT, other) || has_fd(TW_SERVER, other));
	stop(TW_CLIENT);
	stop(TW_SERVER);
	close(other);
	close(link[0]);
	close(link[1]);
}

static int lowest_free(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/* A start that leaked one, in each step, would end a long ramp. */
static void test_no_leak(void **state)
{
	const int before = lowest_free();

	(void)state;
	start(TW_SERVER);
	assert_int_equal(lowest_free(), before);
	stop(TW_SERVER);
	assert_int_equal(lowest_free(), before);
	pair->task.priority[TW_CLIENT] = 5;
	assert_int_equal(tw_side_start(pair, TW_CLIENT), -EINVAL);
	assert_int_equal(lowest_free(), before);
}

/* Any process that has lived has faults. */
static bool was_taken(const struct tw_usage *usage)
{
	return *(volatile const int64_t *)&usage->minor_faults > 0;
}

static void await_taken(const struct tw_usage *usage)
{
	int64_t end_ns = tw_now_ns(CLOCK_MONOTONIC) + LIMIT_MS * TW_NS_PER_MS;

	while (!was_taken(usage) && tw_now_ns(CLOCK_MONOTONIC) < end_ns)
		usleep(1000);
	assert_true(was_taken(usage));
}

/* What it uses is counted from the end of the warm-up on. */
static void test_server_warmup(void **state)
{
	const struct tw_side *server = &pair->side[TW_SERVER];
	uint64_t seq;

	(void)state;
	pair->task.warmup = 4;
	start(TW_SERVER);
	for (seq = 1; seq <= 4; seq++) {
		assert_false(was_taken(&server->steady));
		request(seq);
		await_reply(seq);
	}
	await_taken(&server->steady);
	stop(TW_SERVER);
	assert_true(server->end.minor_faults >= server->steady.minor_faults);
	assert_true(was_taken(&server->end));
	assert_false(was_taken(&pair->side[TW_CLIENT].end));
}

static void test_client_warmup(void **state)
{
	const struct tw_side *client = &pair->side[TW_CLIENT];
	int64_t before_ns = tw_now_ns(CLOCK_MONOTONIC);
	uint64_t seq;

	(void)state;
	pair->task.warmup = 3;
	pair->task.loops = 2;
	start(TW_CLIENT);
	for (seq = 1; seq <= 5; seq++) {
		await_request(seq);
		assert_int_equal(atomic_load(&pair->steady), seq > 3);
		assert_int_equal(was_taken(&client->steady), seq > 3);
		reply(seq);
	}
	assert_int_equal(end_of(TW_CLIENT), 0);
	assert_true(was_taken(&client->end));
	assert_in_range(pair->steady_ns, before_ns,
			tw_now_ns(CLOCK_MONOTONIC));
	assert_int_equal(pair->tally->warmup, 3);
	assert_int_equal(pair->tally->cycles, 2);
	assert_int_equal(atomic_load(&pair->ring->head), 2);
	assert_int_equal(pair->ring->cycles[0].seq, 4);
	assert_int_equal(pair->ring->cycles[1].server_cpu, 13);
	assert_int_equal(client->left.policy, SCHED_OTHER);
	assert_true(CPU_EQUAL(&client->left.cpus,
			      &pair->task.cpus[TW_CLIENT]));
	/* Measured before, by the client alone. */
	assert_true(pair->cost.cycle.max_ns > 0);
}

/* Nobody wants whole cycles: there is no ring to write to. */
static void test_no_ring(void **state)
{
	(void)state;
	pair->ring = NULL;
	pair->task.loops = 1;
	start(TW_CLIENT);
	await_request(1);
	reply(1);
	assert_int_equal(end_of(TW_CLIENT), 0);
	assert_int_equal(pair->tally->cycles, 1);
}

/* The cycle that it breaks at is the last, and counts. */
static void check_break(struct tw_ring *ring)
{
	char got;

	pair->ring = ring;
	pair->brk.limit_ns = 5 * TW_NS_PER_S;
	pair->brk.metric = TW_SLEEP;
	start(TW_CLIENT);
	await_request(1);
	reply(1);
	await_request(2);
	reply_after(2, 6 * TW_NS_PER_S);
	assert_int_equal(end_of(TW_CLIENT), 0);
	assert_int_equal(atomic_load(&pair->stop), 1);
	assert_true(pair->brk.broken);
	assert_int_equal(pair->brk.kept.cycle.seq, 2);
	assert_int_equal(pair->brk.number, 1);
	assert_int_equal(pair->tally->cycles, 2);
	if (ring)
		assert_int_equal(atomic_load(&ring->head), 2);
	assert_int_equal(recv(ends[1], &got, 1, MSG_DONTWAIT), -1);
}

static void test_break(void **state)
{
	(void)state;
	check_break(pair->ring);
}

static void test_break_without_ring(void **state)
{
	(void)state;
	check_break(NULL);
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

#define CYCLES	4096	/* in the ring: 72 pages of 4 KiB */

/* What the client faults in within its cycles, beside a real server. */
static int64_t client_faults(size_t size)
{
	const struct tw_side *client;

	tear_down(NULL);
	assert_int_equal(set_up(NULL), 0);
	client = &pair->side[TW_CLIENT];
	pair->task.link = (struct tw_link) { ends[0], ends[1] };
	pair->task.size = size;
	pair->task.loops = CYCLES;
	start(TW_SERVER);
	start(TW_CLIENT);
	assert_int_equal(end_of(TW_CLIENT), 0);
	assert_int_equal(pair->tally->cycles, CYCLES);
	stop(TW_SERVER);
	return client->end.minor_faults - client->steady.minor_faults;
}

/* Also where memory is not locked, each page is there before it is used. */
static void test_prefault(void **state)
{
	const int64_t pages = sysconf(_SC_PAGESIZE);
	const int64_t written = CYCLES * sizeof(struct tw_cycle) / pages;
	int64_t faults, fewest = INT64_MAX;
	int i;

	(void)state;
	for (i = 0; i < 5 && fewest > written / 2; i++) {
		faults = client_faults(TW_REQUEST_MIN);
		fewest = faults < fewest ? faults : fewest;
	}
	assert_true(fewest <= written / 2);
}

/* Sent, a request is read to its end. */
static void test_prefault_request(void **state)
{
	const int64_t sent = TW_REQUEST_MAX / sysconf(_SC_PAGESIZE);
	int64_t large = client_faults(TW_REQUEST_MAX);
	int64_t small = client_faults(TW_REQUEST_MIN);
	int64_t faults;
	int i;

	(void)state;
	for (i = 0; i < 4 && large > small + sent / 2; i++) {
		faults = client_faults(TW_REQUEST_MAX);
		large = faults < large ? faults : large;
		faults = client_faults(TW_REQUEST_MIN);
		small = faults < small ? faults : small;
	}
	assert_true(large <= small + sent / 2);
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
}

/* No less than it is to. */
static void test_server_sleep(void **state)
{
	struct tw_reply got;

	(void)state;
	pair->task.sleep_ns = 5 * TW_NS_PER_MS;
	start(TW_SERVER);
	request(1);
	got = await_reply(1);
	assert_true(got.t2_ns - got.t1_ns >= pair->task.sleep_ns);
	stop(TW_SERVER);
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

#define WITH_PAIR(test)	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PAIR(test_server_signals),
		WITH_PAIR(test_client_signals),
		WITH_PAIR(test_descriptors),
		WITH_PAIR(test_no_leak),
		WITH_PAIR(test_server_warmup),
		WITH_PAIR(test_client_warmup),
		WITH_PAIR(test_no_ring),
		WITH_PAIR(test_break),
		WITH_PAIR(test_break_without_ring),
		WITH_PAIR(test_failure),
		WITH_PAIR(test_unsettled),
		WITH_PAIR(test_prefault),
		WITH_PAIR(test_prefault_request),
		WITH_PAIR(test_merge),
		WITH_PAIR(test_server_sleep),
		WITH_PAIR(test_end_of_main),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
