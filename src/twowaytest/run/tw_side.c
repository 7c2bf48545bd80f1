// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/tw_time.h"
#include "measure/tw_client.h"
#include "measure/tw_server.h"
#include "measure/tw_wire.h"
#include "run/tw_side.h"

/* Empty: the signal only has to interrupt system calls. */
static void on_stop(int signal)
{
	(void)signal;
}

/* Only main acts on signals that the terminal or init sends to all. */
static int take_signals(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1,
				       SIGPIPE };
	struct sigaction action = { .sa_handler = SIG_IGN };
	sigset_t none;
	size_t i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		if (sigaction(ignored[i], &action, NULL))
			return -errno;
	action.sa_handler = on_stop;
	if (sigaction(TW_STOP_SIGNAL, &action, NULL))
		return -errno;
	sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL) ? -errno : 0;
}

int tw_side_settle(const struct tw_task *task, enum tw_role role,
		   struct tw_settings *settings, enum tw_step *step)
{
	int err;

	/* First: with a lower priority it might never run on a busy CPU. */
	*step = TW_STEP_SCHEDULE;
	err = tw_system_schedule(task->policy, task->priority[role]);
	if (err)
		return err;
	/* Also if it is not pinned: otherwise it would keep main's CPUs. */
	*step = TW_STEP_PIN;
	err = tw_system_pin(&task->cpus[role]);
	if (err)
		return err;
	*step = TW_STEP_LOCK;
	err = task->lock_memory ? tw_system_lock_memory() : 0;
	if (err)
		return err;
	*step = TW_STEP_VERIFY;
	return tw_system_verify(settings, task->policy, task->priority[role],
				&task->cpus[role], task->lock_memory);
}

void tw_side_merge(struct tw_side *sum, const struct tw_side *side)
{
	bool changed = tw_system_changed(&sum->settings, &sum->left);
	struct tw_settings left = sum->left;
	int stops = sum->child.stops;
	int64_t again = sum->retransmitted;

	*sum = *side;
	sum->child.stops += stops;
	if (again > 0)
		sum->retransmitted += again;
	if (changed && !tw_system_changed(&sum->settings, &sum->left))
		sum->left = left;
}

static void warm(void *sink, const struct tw_cycle *cycle)
{
	struct tw_pair *pair = sink;

	tw_tally_warmup(pair->tally, cycle);
}

void tw_side_record(void *sink, const struct tw_cycle *cycle)
{
	struct tw_pair *pair = sink;

	tw_tally_add(pair->tally, cycle);
}

void tw_side_lose(void *sink, const struct tw_cycle *cycle)
{
	struct tw_pair *pair = sink;

	tw_tally_lose(pair->tally, cycle);
}

static void client_steady(void *sink)
{
	struct tw_pair *pair = sink;

	tw_system_usage(&pair->side[TW_CLIENT].steady);
	pair->steady_ns = tw_now_ns(CLOCK_MONOTONIC);
	atomic_store_explicit(&pair->steady, 1, memory_order_release);
}

void tw_side_server_steady(void *sink)
{
	struct tw_pair *pair = sink;

	tw_system_usage(&pair->side[TW_SERVER].steady);
}

/*
 * To end, a process frees its memory at its own priority: of several pairs, the
 * first to be done would disturb the last cycles of the others. So each waits
 * for the order to stop, which main gives when all are done.
 */
static void client_done(void *sink)
{
	struct tw_pair *pair = sink;

	if (!pair->gated || atomic_load(&pair->stop))
		return;
	atomic_store(&pair->done, 1);
	/* As if it had ended: main looks who is done. */
	kill(getppid(), SIGCHLD);
	while (!atomic_load(&pair->stop))
		sem_wait(&pair->gate);
}

static int run_client(struct tw_pair *pair, void *request)
{
	const struct tw_client client = {
		.fd = pair->task.link.client_fd, .size = pair->task.size,
		.request = request, .inversions = &pair->inversions,
		.clock = &pair->task.clock, .timer_ops = pair->task.timer_ops,
		.period_ns = pair->task.period_ns, .first_ns = pair->first_ns,
		.warmup = pair->task.warmup, .loops = pair->task.loops,
		.stop = &pair->stop, .several = pair->gated,
		.prompt = pair->prompt, .sink = pair, .warm = warm,
		.record = pair->record, .receive = pair->receive,
		.lose = pair->lose, .datagrams = pair->datagrams,
		.stamps = pair->stamps, .steady = client_steady,
		.done = client_done,
	};

	return pair->run_client(&client);
}

int tw_side_serve(struct tw_pair *pair, void *request)
{
	const struct tw_server server = {
		.fd = pair->task.link.server_fd, .size = pair->task.size,
		.request = request, .clock = &pair->task.clock,
		.wait_ops = pair->task.wait_ops,
		.sleep_ns = pair->task.sleep_ns, .warmup = pair->task.warmup,
		.stop = &pair->stop, .take = pair->take,
		.datagrams = pair->datagrams, .stamps = pair->stamps,
		.tells_junk = pair->limit != NULL, .sink = pair,
		.steady = tw_side_server_steady,
	};

	return pair->run_server(&server);
}

/* Argument of live(). */
struct self {
	struct tw_pair *pair;
	enum tw_role role;
};

static int get_ready(struct tw_pair *pair, enum tw_role role, void *request,
		     enum tw_step *step)
{
	bool client = role == TW_CLIENT;
	int err;

	*step = TW_STEP_START;
	err = take_signals();
	if (err)
		return err;
	err = tw_side_settle(&pair->task, role, &pair->side[role].settings,
			     step);
	if (err)
		return err;
	/* Only the client may write to the tally, so only it touches that. */
	tw_system_prefault(pair, client ? pair->shared_size : sizeof(*pair));
	tw_system_prefault(request, pair->task.size);
	if (client && pair->prepare)
		pair->prepare(pair);
	return tw_child_ready();
}

/* A signal may come before main has posted it: that is the order to stop. */
static void await_others(struct tw_pair *pair)
{
	while (sem_wait(&pair->gate) && !atomic_load(&pair->stop))
		;
}

/* Of all connections that this side has had. */
static int64_t retransmitted(const struct tw_pair *pair, enum tw_role role)
{
	int64_t sum = 0, count;
	unsigned int k;

	if (role == TW_CLIENT)
		return tw_transport_retransmitted(pair->task.link.client_fd);
	for (k = 0; k < pair->served_count; k++) {
		count = tw_transport_retransmitted(
			pair->served[k]->task.link.server_fd);
		if (count < 0)
			return count;
		sum += count;
	}
	return sum;
}

static int live(void *arg)
{
	static char request[TW_REQUEST_MAX];
	const struct self *self = arg;
	struct tw_pair *pair = self->pair;
	struct tw_side *side = &pair->side[self->role];
	enum tw_step step;
	int err;

	err = get_ready(pair, self->role, request, &step);
	if (!err) {
		step = TW_STEP_RUN;
		if (pair->gated && self->role == TW_CLIENT)
			await_others(pair);
		err = self->role == TW_CLIENT ?
		      run_client(pair, request) : pair->task.serve(pair, request);
	}
	tw_system_usage(&side->end);
	tw_system_read(&side->left);
	side->retransmitted = retransmitted(pair, self->role);
	if (err) {
		side->failed = step;
		side->err = err;
	}
	return err;
}

/* The server's ends of the connections of the pairs that it serves. */
static int list_links(const struct tw_pair *pair, int fds[TW_PAIRS_MAX])
{
	unsigned int k;

	for (k = 0; k < pair->served_count; k++)
		fds[k] = pair->served[k]->task.link.server_fd;
	return (int)pair->served_count;
}

int tw_side_start(struct tw_pair *pair, enum tw_role role)
{
	struct self self = { pair, role };
	int fds[TW_PAIRS_MAX];
	const struct tw_link *link = &pair->task.link;
	bool client = role == TW_CLIENT;
	struct tw_child_how how = {
		.name = client ? "twoway-client" : "twoway-server",
		.death_signal = SIGKILL,
		.keep = { client ? link->client_fd : pair->server_keep },
		.live = live, .arg = &self,
	};
	int i;

	if (!client) {
		how.keep_more = fds;
		how.more_count = list_links(pair, fds);
	}
	for (i = 0; client && i < TW_SIDE_KEEP; i++)
		how.keep[1 + i] = pair->keep[i];
	return tw_child_start(&pair->side[role].child, &how,
			      TW_CHILD_READY_MS);
}
